// Which accounts have run an Actor, and when last: one row for each, so that counting them does not depend on the number of runs.
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { RecentUsers } from './model.ts';

const DAY = 24 * 60 * 60 * 1000;

/** Only for the first run of the account: `countRunStart` updates the row of others. It has locked the Actor. */
export async function insertActorUser(tx: Db, actorId: string, userId: string, now: number): Promise<void> {
  await tx
    .insertInto('actor_users')
    .values({ actor_id: actorId, user_id: userId, last_run_at: now })
    .execute();
  await addUsers(tx, actorId, 1);
}

async function addUsers(tx: Db, actorId: string, change: 1 | -1): Promise<void> {
  await tx
    .updateTable('actors')
    .set((eb) => ({ total_users: eb('total_users', '+', change) }))
    .where('id', '=', actorId)
    .execute();
}

const NONE: RecentUsers = { days7: 0, days30: 0, days90: 0 };

/** Of each of the Actors: the accounts whose last run began within so many days. */
export async function countRecentUsers(
  db: Db,
  actorIds: readonly string[],
  now: number,
): Promise<(actorId: string) => RecentUsers> {
  const counts = new Map<string, RecentUsers>();
  for (const some of chunk(actorIds)) {
    const rows = await db
      .selectFrom('actor_users')
      .select(({ fn, eb }) => [
        'actor_id',
        fn.countAll<number>().as('days90'),
        fn
          .count<number>(
            eb
              .case()
              .when('last_run_at', '>=', now - 30 * DAY)
              .then(1)
              .end(),
          )
          .as('days30'),
        fn
          .count<number>(
            eb
              .case()
              .when('last_run_at', '>=', now - 7 * DAY)
              .then(1)
              .end(),
          )
          .as('days7'),
      ])
      .where('actor_id', 'in', some)
      .where('last_run_at', '>=', now - 90 * DAY)
      .groupBy('actor_id')
      .execute();
    for (const { actor_id: id, ...count } of rows) counts.set(id, count);
  }
  return (actorId) => counts.get(actorId) ?? NONE;
}

/** When an account ends. Two users of one Actor become one. */
export async function updateActorUserOwner(tx: Db, from: string, to: string): Promise<void> {
  const rows = await tx
    .selectFrom('actor_users')
    .selectAll()
    .where('user_id', '=', from)
    .orderBy('actor_id')
    .execute();
  for (const { actor_id: actorId, last_run_at: lastRunAt } of rows) {
    // As runs that start do, so that none inserts the same user meanwhile.
    await tx.selectFrom('actors').select('id').where('id', '=', actorId).forUpdate().execute();
    const own = tx.updateTable('actor_users').where('actor_id', '=', actorId);
    const known = await tx
      .selectFrom('actor_users')
      .select('last_run_at')
      .where('actor_id', '=', actorId)
      .where('user_id', '=', to)
      .executeTakeFirst();
    if (known === undefined) {
      await own.set({ user_id: to }).where('user_id', '=', from).execute();
      continue;
    }
    const latest = Math.max(known.last_run_at, lastRunAt);
    await own.set({ last_run_at: latest }).where('user_id', '=', to).execute();
    await tx.deleteFrom('actor_users').where('actor_id', '=', actorId).where('user_id', '=', from).execute();
    await addUsers(tx, actorId, -1);
  }
}
