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

export async function listNewestRuns(
  db: Db,
  userId: string,
  { since, before, limit }: NewestRuns,
): Promise<UsedRun[]> {
  return await db
    .selectFrom('runs')
    .select([
      'id',
      'actor_id as actorId',
      'status',
      'started_at as startedAt',
      'finished_at as finishedAt',
      'memory_mbytes as memoryMbytes',
    ])
    .where('user_id', '=', userId)
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
