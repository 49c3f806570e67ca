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

/** The quantities of all accounts on days from this one on, the newest days first. */
export async function listUsageOfAll(
  db: Db,
  since: number,
  { before, limit }: { before: Omit<AccountDailyUsage, 'quantity'> | undefined; limit: number },
): Promise<AccountDailyUsage[]> {
  return await db
    .selectFrom('actor_usage')
    .select(['user_id as userId', 'day', 'service', 'quantity'])
    .where('day', '>=', since)
    .$if(before !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('day', 'user_id', 'service'), '<', tuple(before!.day, before!.userId, before!.service)),
      ),
    )
    .orderBy('day', 'desc')
    .orderBy('user_id', 'desc')
    .orderBy('service', 'desc')
    .limit(limit)
    .execute();
}

/** At most so many rows of days before. */
export async function deleteUsageDaysBefore(db: Db, before: number, limit: number): Promise<number> {
  const old = await db
    .selectFrom('actor_usage')
    .select(['user_id', 'day', 'service'])
    .where('day', '<', before)
    .orderBy('day')
    .limit(limit)
    .execute();
  for (const row of old)
    await db
      .deleteFrom('actor_usage')
      .where('user_id', '=', row.user_id)
      .where('day', '=', row.day)
      .where('service', '=', row.service)
      .execute();
  return old.length;
}
