// Reads rows of runs for the pages about them: each statement by an index, and no more rows than a bound.
import type { JobStatus } from '../../actors/jobs/job.ts';
import type { Db } from '../../kernel/storage/tables.ts';

export interface RunState {
  id: string;
  actorId: string;
  status: JobStatus;
}

/** Those of the runs that are still there, and belong to the account. */
export async function listRunStates(
  db: Db,
  userId: string,
  ids: readonly string[],
): Promise<Map<string, RunState>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('runs')
    .select(['id', 'actor_id', 'status'])
    .where('id', 'in', ids)
    .where('user_id', '=', userId)
    .execute();
  return new Map(
    rows.map(({ id, actor_id: actorId, status }) => [id, { id, actorId, status: status as JobStatus }]),
  );
}
