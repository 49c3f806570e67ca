// Finds finished builds and runs, and those to be removed: older than the retention of their account, or of a deleted Actor.
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import type { JobKind } from './job.ts';

/** Those of the ids that are finished or do not exist any more. */
export async function listFinished(db: Db, kind: JobKind, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom(kind === 'run' ? 'runs' : 'builds')
    .select('id')
    .where('id', 'in', ids)
    .where('finished_at', 'is', null)
    .execute();
  const unfinished = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !unfinished.has(id));
}

export type JobTable = 'builds' | 'runs';

export interface ActorOfAccount {
  userId: string;
  actorId: string;
}

/** The place of a row in the order of its list. */
export interface StartedJob {
  id: string;
  startedAt: number;
}

/** The next Actor of which the account, or else the next account, has any. */
export async function findNextActor(
  db: Db,
  table: JobTable,
  after: ActorOfAccount | undefined,
): Promise<ActorOfAccount | undefined> {
  const pairs = db
    .selectFrom(table)
    .select(['user_id', 'actor_id'])
    .orderBy('user_id')
    .orderBy('actor_id')
    .limit(1);
  const row =
    (after &&
      (await pairs
        .where('user_id', '=', after.userId)
        .where('actor_id', '>', after.actorId)
        .executeTakeFirst())) ??
    (await pairs.where('user_id', '>', after?.userId ?? '').executeTakeFirst());
  return row && { userId: row.user_id, actorId: row.actor_id };
}

/** The oldest of the newest ones of the Actor, which are always kept. Undefined if there are fewer. */
export async function findLastKept(
  db: Db,
  table: JobTable,
  { userId, actorId }: ActorOfAccount,
  keep: number,
): Promise<StartedJob | undefined> {
  const row = await db
    .selectFrom(table)
    .select(['id', 'started_at'])
    .where('user_id', '=', userId)
    .where('actor_id', '=', actorId)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .offset(keep - 1)
    .executeTakeFirst();
  return row && { id: row.id, startedAt: row.started_at };
}

interface JobSpan {
  after: StartedJob | undefined;
  before: StartedJob;
  finishedBefore: number;
}

/** Oldest first. */
export async function listFinishedJobs(
  db: Db,
  table: JobTable,
  { userId, actorId }: ActorOfAccount,
  { after, before, finishedBefore }: JobSpan,
  limit: number,
): Promise<StartedJob[]> {
  const rows = await db
    .selectFrom(table)
    .select(['id', 'started_at'])
    .where('user_id', '=', userId)
    .where('actor_id', '=', actorId)
    .where('started_at', '<=', Math.min(before.startedAt, finishedBefore))
    .where((eb) => eb.or([eb('started_at', '<', before.startedAt), eb('id', '<', before.id)]))
    .where('finished_at', '<', finishedBefore)
    .$if(after !== undefined, (query) => query.where(isAfter(after!)))
    .orderBy('started_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id, started_at: startedAt }) => ({ id, startedAt }));
}

/** All of an Actor, of any account, oldest first. */
export async function listJobsOfActor(
  db: Db,
  table: JobTable,
  actorId: string,
  after: StartedJob | undefined,
  limit: number,
): Promise<StartedJob[]> {
  const rows = await db
    .selectFrom(table)
    .select(['id', 'started_at'])
    .where('actor_id', '=', actorId)
    .$if(after !== undefined, (query) => query.where(isAfter(after!)))
    .orderBy('started_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id, started_at: startedAt }) => ({ id, startedAt }));
}

/** The first condition lets both engines begin at the right place of the index. */
function isAfter({ id, startedAt }: StartedJob) {
  return (eb: ExpressionBuilder<Tables, JobTable>): Expression<SqlBool> =>
    eb.and([eb('started_at', '>=', startedAt), eb.or([eb('started_at', '>', startedAt), eb('id', '>', id)])]);
}
