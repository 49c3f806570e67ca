// Usage in the database: how much of each service an account used on each day.
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { UsageCycle, DailyUsage } from './model.ts';

export interface AccountDailyUsage extends DailyUsage {
  userId: string;
}

export async function addUsage({ db, batch }: Engine, usage: readonly AccountDailyUsage[]): Promise<void> {
  // Sorted, so that two nodes never deadlock.
  const sorted = usage.toSorted(
    (a, b) => compare(a.userId, b.userId) || a.day - b.day || compare(a.service, b.service),
  );
  await batch(
    sorted.map(({ userId, day, service, quantity }) =>
      db
        .insertInto('actor_usage')
        .values({ user_id: userId, day, service, quantity })
        .onConflict((conflict) =>
          conflict
            .columns(['user_id', 'day', 'service'])
            .doUpdateSet((eb) => ({ quantity: eb('actor_usage.quantity', '+', quantity) })),
        )
        .compile(),
    ),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export async function listUsage(db: Db, userId: string, { start, end }: UsageCycle): Promise<DailyUsage[]> {
  return await db
    .selectFrom('actor_usage')
    .select(['day', 'service', 'quantity'])
    .where('user_id', '=', userId)
    .where('day', '>=', start)
    .where('day', '<', end)
    .orderBy('day')
    .execute();
}
