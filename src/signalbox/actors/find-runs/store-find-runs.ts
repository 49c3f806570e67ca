// Runs by what they are, in the database. However many an account has, only the newest of a time are looked through.
import type { JobStatus } from '../../../actors/jobs/job.ts';
import type { RunOrigin } from '../../../actors/jobs/job-meta.ts';
import type { Run } from '../../../actors/runs/model.ts';
import { runOf } from '../../../actors/runs/store.ts';
import type { Slice } from '../../../kernel/http/reply/page.ts';
import type { Db } from '../../../kernel/storage/tables.ts';

export const MAX_SEARCHED_RUNS = 20_000;

export interface RunSearchScope {
  userId: string;
  /** These alone, as far as they are there. */
  ids?: readonly string[];
  actorId?: string;
  taskId?: string;
  since?: number;
}

export interface RunSearch extends RunSearchScope {
  statuses: readonly JobStatus[] | undefined;
  origins: readonly RunOrigin[] | undefined;
  build: string | undefined;
}

/** What runs can be filtered by. */
export interface KindOfRun {
  status: JobStatus;
  origin: RunOrigin;
  build: string;
}

/** Runs that are alike in it. */
export interface RunKind extends KindOfRun {
  count: number;
}

export async function countRunKinds(db: Db, scope: RunSearchScope): Promise<RunKind[]> {
  const rows = await db
    .selectFrom(newestOf(db, scope).as('some'))
    .select(({ fn }) => [
      'some.status',
      'some.origin',
      'some.build_number as build',
      fn.countAll<number | string>().as('total'),
    ])
    .groupBy(['some.status', 'some.origin', 'some.build_number'])
    .execute();
  return rows.map(({ status, origin, build, total }) => ({
    status: status as JobStatus,
    origin: origin as RunOrigin,
    build,
    count: Number(total),
  }));
}

export async function listRunsFound(
  db: Db,
  { statuses, origins, build, ...scope }: RunSearch,
  { offset, limit }: Slice,
): Promise<Run[]> {
  let found = db.selectFrom(newestOf(db, scope).as('some')).select('some.id');
  if (statuses !== undefined) found = found.where('some.status', 'in', statuses);
  if (origins !== undefined) found = found.where('some.origin', 'in', origins);
  if (build !== undefined) found = found.where('some.build_number', '=', build);
  const ids = await found
    .orderBy('some.started_at', 'desc')
    .orderBy('some.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return await listRunsById(
    db,
    ids.map(({ id }) => id),
  );
}

/** Newest first. */
export async function listRunsById(db: Db, ids: readonly string[]): Promise<Run[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('runs')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.map(runOf);
}

/** The newest runs of the scope, as far as they are looked through. */
export function newestOf(db: Db, { userId, ids, actorId, taskId, since }: RunSearchScope) {
  let runs = db
    .selectFrom('runs')
    .select(['id', 'status', 'origin', 'build_number', 'started_at', 'runs.store_id', 'input_key'])
    .where('user_id', '=', userId)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_SEARCHED_RUNS);
  if (ids !== undefined) runs = runs.where('id', 'in', ids);
  if (taskId !== undefined) runs = runs.where('task_id', '=', taskId);
  if (actorId !== undefined) runs = runs.where('actor_id', '=', actorId);
  if (since !== undefined) runs = runs.where('started_at', '>=', since);
  return runs;
}
