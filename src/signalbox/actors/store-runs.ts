// Reads rows of runs for the pages about them: each statement by an index, and no more rows than a bound.
import type { JobStatus } from '../../actors/jobs/job.ts';
import type { Db } from '../../kernel/storage/tables.ts';

export interface RunState {
  id: string;
  actorId: string;
  status: JobStatus;
}

export interface RunSpan extends RunState {
  startedAt: number;
  finishedAt: number | null;
}

/** Those of the runs that are still there, and belong to the account. */
export async function listRunStates(
  db: Db,
  userId: string,
  ids: readonly string[],
): Promise<Map<string, RunSpan>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('runs')
    .select(['id', 'actor_id', 'status', 'started_at', 'finished_at'])
    .where('id', 'in', ids)
    .where('user_id', '=', userId)
    .execute();
  return new Map(
    rows.map(({ id, actor_id: actorId, status, started_at: startedAt, finished_at: finishedAt }) => [
      id,
      { id, actorId, status: status as JobStatus, startedAt, finishedAt },
    ]),
  );
}

/** Of all accounts, by status: those that have not ended. No more than `max` are counted. */
export async function countUnfinishedRuns(db: Db, max: number): Promise<Map<JobStatus, number>> {
  const rows = await db
    .selectFrom('runs')
    .select('status')
    .where('finished_at', 'is', null)
    // As the index begins: all of them.
    .where('user_id', '>', '')
    .limit(max)
    .execute();
  const counts = new Map<JobStatus, number>();
  for (const { status } of rows) {
    const known = status as JobStatus;
    counts.set(known, (counts.get(known) ?? 0) + 1);
  }
  return counts;
}

export interface RunThatFailed extends RunState {
  message: string | null;
  startedAt: number;
}

/** Of each status, the newest. */
export const MAX_FAILED_RUNS = 1000;

export async function listRunsThatFailed(
  db: Db,
  userId: string,
  since: number,
): Promise<{ runs: RunThatFailed[]; isPartial: boolean }> {
  const runs: RunThatFailed[] = [];
  let isPartial = false;
  for (const status of ['FAILED', 'TIMED-OUT'] as const) {
    const rows = await db
      .selectFrom('runs')
      .select(['id', 'actor_id as actorId', 'status_message as message', 'started_at as startedAt'])
      .where('user_id', '=', userId)
      .where('status', '=', status)
      .where('started_at', '>=', since)
      .orderBy('started_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MAX_FAILED_RUNS + 1)
      .execute();
    isPartial ||= rows.length > MAX_FAILED_RUNS;
    runs.push(...rows.slice(0, MAX_FAILED_RUNS).map((row) => ({ ...row, status })));
  }
  return { runs, isPartial };
}

export interface UsedRun {
  id: string;
  actorId: string;
  userId: string;
  status: string;
  startedAt: number;
  finishedAt: number | null;
  memoryMbytes: number;
}

export interface NewestRuns {
  since: number;
  /** Where the last batch ended. */
  before: Pick<UsedRun, 'startedAt' | 'id'> | undefined;
  limit: number;
}

/** Of one account, or of all of them. */
export async function listNewestRuns(
  db: Db,
  userId: string | undefined,
  { since, before, limit }: NewestRuns,
): Promise<UsedRun[]> {
  return await db
    .selectFrom('runs')
    .select([
      'id',
      'actor_id as actorId',
      'user_id as userId',
      'status',
      'started_at as startedAt',
      'finished_at as finishedAt',
      'memory_mbytes as memoryMbytes',
    ])
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId!))
    .where('started_at', '>=', since)
    .$if(before !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('started_at', 'id'), '<', tuple(before!.startedAt, before!.id)),
      ),
    )
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export interface EndedRun {
  status: string;
  startedAt: number;
  finishedAt: number;
  datasetId: string;
}

/** The newest of an Actor: of one account, or of all of them. */
export async function listEndedRuns(
  db: Db,
  { actorId, userId, since }: { actorId: string; userId?: string; since: number },
  limit: number,
): Promise<EndedRun[]> {
  const rows = await db
    .selectFrom('runs')
    .select(['status', 'started_at', 'finished_at', 'dataset_id'])
    .where('actor_id', '=', actorId)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId!))
    .where('started_at', '>=', since)
    .where('finished_at', 'is not', null)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    status: row.status,
    startedAt: row.started_at,
    finishedAt: row.finished_at!,
    datasetId: row.dataset_id,
  }));
}
