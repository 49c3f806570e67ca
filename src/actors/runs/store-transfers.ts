// Transfers the runs of an account that ends to another account, with their totals and their jobs.
import type { Db } from '../../kernel/storage/tables.ts';
import { scopeKey, type RunScope } from './store.ts';

export async function updateRunOwner(tx: Db, from: string, to: string): Promise<void> {
  const counted = await tx
    .selectFrom('runs')
    .select(({ fn }) => ['actor_id', fn.countAll<number>().as('total')])
    .where('user_id', '=', from)
    .groupBy('actor_id')
    .execute();
  const scopesOf = (userId: string): { scope: string; total: number }[] => {
    const ofActors = counted.map(({ actor_id: actorId, total }) => keyOf({ actorId, userId }, total));
    return [
      ...ofActors,
      keyOf(
        { userId },
        counted.reduce((sum, { total }) => sum + total, 0),
      ),
    ];
  };
  // In the same order as in `countRuns`, so that two transactions never wait for each other.
  for (const { scope, total } of scopesOf(to).toSorted((a, b) => (a.scope < b.scope ? -1 : 1))) {
    await tx
      .insertInto('run_counts')
      .values({ scope, total })
      .onConflict((conflict) =>
        conflict.column('scope').doUpdateSet((eb) => ({ total: eb('run_counts.total', '+', total) })),
      )
      .execute();
  }
  for (const { scope } of scopesOf(from)) {
    await tx.deleteFrom('run_counts').where('scope', '=', scope).execute();
  }
  await tx.updateTable('runs').set({ user_id: to }).where('user_id', '=', from).execute();
}

function keyOf(scope: RunScope, total: number) {
  return { scope: scopeKey(scope), total };
}
