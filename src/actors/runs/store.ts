// Runs in the database, and the keys by which repeated charges of a run count once.
import { createHash } from 'node:crypto';
import type { Insertable, Selectable, SelectQueryBuilder } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { isHeld } from '../../kernel/jobs/lease-store.ts';
import { buildForShapes, buildOnce, insertOf } from '../../kernel/storage/build-once.ts';
import { awaitAll, executeAll } from '../../kernel/storage/execute-all.ts';
import { lockNameStatement } from '../../kernel/storage/locks.ts';
import { notifyOnCommit } from '../../kernel/storage/notify-on-commit.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import { STATUS_CHANNELS, type Job, type JobStatus } from '../jobs/job.ts';
import { jobLeases } from '../jobs/store.ts';
import type { PermissionLevel } from '../actors/model.ts';
import type { ActorPricing } from '../actors/pricing.ts';
import type { JobMeta, RunOrigin } from '../jobs/job-meta.ts';
import type { Metamorph, Run, RunOptions, RunStats, StorageIds } from './model.ts';
import { deleteRunCalls } from './store-calls.ts';
import { deleteRunFlags } from './store-flags.ts';
import { deleteRunSteps } from './store-steps.ts';
import type { RunRow } from './tables.ts';

const insertRunRow = insertOf('runs');

export async function insertRun(tx: Db, run: Run): Promise<void> {
  await awaitAll([tx.executeQuery(insertRunRow(tx, rowOf(run))), countRuns(tx, run, 1)]);
}

const selectRun = buildOnce((db, id: string) => db.selectFrom('runs').selectAll().where('id', '=', id));

const selectAndLock = buildOnce((db, id: string) =>
  db.selectFrom('runs').selectAll().where('id', '=', id).forUpdate(),
);

export async function findRun(db: Db, id: string): Promise<Run | undefined> {
  const { rows } = await db.executeQuery(selectRun(db, id));
  return rows[0] && runOf(rows[0]);
}

/** Keeps the run from being deleted until the transaction ends. False where it is deleted. */
export async function holdRun(tx: Db, id: string): Promise<boolean> {
  const row = await tx.selectFrom('runs').select('id').where('id', '=', id).forKeyShare().executeTakeFirst();
  return row !== undefined;
}

/** Locks the row until the transaction ends. */
export async function lockRun(tx: Db, id: string): Promise<Run | undefined> {
  const { rows } = await tx.executeQuery(selectAndLock(tx, id));
  return rows[0] && runOf(rows[0]);
}

/** Locks the job and then its run, in one round trip. Undefined if the claim is no longer valid, or the run is gone. */
export async function lockHeldRun(tx: Db, job: Pick<Job, 'id' | 'owner'>): Promise<Run | undefined> {
  const [lock, run] = await executeAll(tx, [jobLeases.lock(tx, job.id), selectAndLock(tx, job.id)]);
  const [row] = run!.rows as Selectable<RunRow>[];
  return row !== undefined && isHeld(lock!.rows as { owner: string | null }[], job) ? runOf(row) : undefined;
}

export type RunChanges = Partial<Omit<Run, 'id' | 'userId' | 'taskId'>> & {
  tokenHash?: string | null;
};

export async function updateRun(tx: Db, id: string, changes: RunChanges): Promise<void> {
  await tx.updateTable('runs').set(columnsOf(changes)).where('id', '=', id).execute();
  if (changes.status !== undefined) await notifyOnCommit(tx, STATUS_CHANNELS.run, id);
}

/** The process of the run has answered a request. */
export async function markServerReady(db: Db, id: string): Promise<void> {
  await db
    .updateTable('runs')
    .set({ is_server_ready: 1 })
    .where('id', '=', id)
    .where('status', '=', 'RUNNING')
    .execute();
}

/** Another Actor goes on with the run. */
export async function moveRun(tx: Db, run: Run, changes: RunChanges & { actorId: string }): Promise<void> {
  await countRuns(tx, run, -1);
  await updateRun(tx, run.id, changes);
  await countRuns(tx, { ...run, actorId: changes.actorId }, 1);
}

export async function deleteRun(tx: Db, run: Run): Promise<void> {
  await tx.deleteFrom('runs').where('id', '=', run.id).execute();
  await deleteRunSteps(tx, run.id);
  await deleteRunCalls(tx, run.id);
  await deleteRunFlags(tx, run.id);
  await countRuns(tx, run, -1);
}

/** Keeps the totals of lists: counting a hundred thousand rows would take longer than the page itself. */
async function countRuns(tx: Db, { userId, actorId, taskId }: Run, change: 1 | -1): Promise<void> {
  const scopes = [{ userId }, { actorId, userId }, ...(taskId === null ? [] : [{ taskId }])];
  // In one order, so that two transactions never wait for each other.
  const keys = scopes.map(scopeKey).sort();
  await tx.executeQuery(addToCounts(tx, { change, count: keys.length }, keys));
}

const addToCounts = buildForShapes(
  ({ change, count }: { change: 1 | -1; count: number }) => `${change} ${count}`,
  (db, { change }, keys) =>
    db
      .insertInto('run_counts')
      .values(keys.map((scope) => ({ scope: scope as string, total: change })))
      .onConflict((conflict) =>
        conflict.column('scope').doUpdateSet((eb) => ({ total: eb('run_counts.total', '+', change) })),
      ),
);

export function scopeKey(scope: RunScope): string {
  if ('taskId' in scope) return `task:${scope.taskId}`;
  return 'actorId' in scope ? `actor:${scope.actorId}:${scope.userId}` : `user:${scope.userId}`;
}

async function countAll(db: Db, scope: RunScope): Promise<number> {
  const row = await db
    .selectFrom('run_counts')
    .select('total')
    .where('scope', '=', scopeKey(scope))
    .executeTakeFirst();
  return row?.total ?? 0;
}

/** The run whose process has this token. */
export async function findRunByToken(db: Db, tokenHash: string): Promise<Run | undefined> {
  const row = await db.selectFrom('runs').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
  return row && runOf(row);
}

/** Whose runs. */
export type RunScope = { userId: string } | { actorId: string; userId: string } | { taskId: string };

export interface RunFilter {
  statuses?: readonly JobStatus[] | undefined;
  origin?: RunOrigin | undefined;
  startedAfter?: number | undefined;
  startedBefore?: number | undefined;
}

export async function listRuns(
  db: Db,
  scope: RunScope,
  filter: RunFilter,
  { offset, limit }: Slice,
  desc: boolean,
): Promise<{ items: Run[]; total: number }> {
  const order = desc ? 'desc' : 'asc';
  const runs = filtered(db, scope, filter);
  const rows = await runs
    .selectAll()
    .orderBy('started_at', order)
    .orderBy('id', order)
    .limit(limit)
    .offset(offset)
    .execute();
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return { items: rows.map(runOf), total: isFiltered ? await countOf(runs) : await countAll(db, scope) };
}

async function countOf(runs: SelectQueryBuilder<Tables, 'runs', object>): Promise<number> {
  const { total } = await runs
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** The newest one, unfinished ones included. */
export async function findLastRun(db: Db, scope: RunScope, filter: RunFilter): Promise<Run | undefined> {
  const row = await filtered(db, scope, filter)
    .selectAll()
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && runOf(row);
}

function filtered(
  db: Db,
  scope: RunScope,
  { statuses, origin, startedAfter, startedBefore }: RunFilter,
): SelectQueryBuilder<Tables, 'runs', object> {
  let runs: SelectQueryBuilder<Tables, 'runs', object> = db.selectFrom('runs');
  if ('taskId' in scope) runs = runs.where('task_id', '=', scope.taskId);
  else if ('actorId' in scope)
    runs = runs.where('actor_id', '=', scope.actorId).where('user_id', '=', scope.userId);
  else runs = runs.where('user_id', '=', scope.userId);
  if (statuses !== undefined) runs = runs.where('status', 'in', statuses);
  if (origin !== undefined) runs = runs.where('origin', '=', origin);
  if (startedAfter !== undefined) runs = runs.where('started_at', '>=', startedAfter);
  if (startedBefore !== undefined) runs = runs.where('started_at', '<=', startedBefore);
  return runs;
}

/** Locks the runs of an account against others being started, and counts the unfinished ones. */
export async function lockUnfinished(
  tx: Db,
  userId: string,
): Promise<{ runs: number; memoryMbytes: number }> {
  const statements = [lockNameStatement(tx, `runs:${userId}`), selectUnfinished(tx, userId)];
  const [, counted] = await executeAll(tx, statements);
  return unfinishedOf(counted!.rows as UnfinishedRow[]);
}

export async function countUnfinished(
  db: Db,
  userId: string,
): Promise<{ runs: number; memoryMbytes: number }> {
  return unfinishedOf((await db.executeQuery(selectUnfinished(db, userId))).rows);
}

interface UnfinishedRow {
  runs: number;
  memory: number | null;
}

function unfinishedOf([row]: readonly UnfinishedRow[]): { runs: number; memoryMbytes: number } {
  return { runs: row!.runs, memoryMbytes: row!.memory ?? 0 };
}

const selectUnfinished = buildOnce((db, userId: string) =>
  db
    .selectFrom('runs')
    .select(({ fn }) => [
      fn.countAll<number>().as('runs'),
      fn.sum<number | null>('memory_mbytes').as('memory'),
    ])
    .where('user_id', '=', userId)
    .where('finished_at', 'is', null),
);

const KEPT_MS = 3 * 60 * 1000;

/** False if the same key was used in the last minutes. The caller holds the row of the run. */
export async function addCharge(tx: Db, runId: string, key: string, now: number): Promise<boolean> {
  await tx
    .deleteFrom('run_charges')
    .where('run_id', '=', runId)
    .where('charged_at', '<=', now - KEPT_MS)
    .execute();
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('run_charges')
    // A header may be longer than an index can hold.
    .values({ run_id: runId, key: createHash('sha256').update(key).digest('hex'), charged_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

function rowOf(run: Run): Insertable<RunRow> {
  return {
    id: run.id,
    user_id: run.userId,
    task_id: run.taskId,
    token_hash: null,
    ...(columnsOf(run) as Omit<RunRow, 'id' | 'user_id' | 'task_id' | 'token_hash'>),
  };
}

function columnsOf(changes: RunChanges): Partial<RunRow> {
  const columns: Partial<Record<keyof RunRow, unknown>> = {
    actor_id: changes.actorId,
    origin: changes.meta?.origin,
    meta: changes.meta && JSON.stringify(changes.meta),
    boundary_id: changes.meta && (changes.meta.initiator.boundary ?? null),
    build_id: changes.buildId,
    build_number: changes.buildNumber,
    status: changes.status,
    status_message: changes.statusMessage,
    is_message_terminal:
      changes.isMessageTerminal === undefined ? undefined : Number(changes.isMessageTerminal),
    options: changes.options && JSON.stringify(changes.options),
    memory_mbytes: changes.options?.memoryMbytes,
    stats: changes.stats && JSON.stringify(changes.stats),
    exit_code: changes.exitCode,
    started_at: changes.startedAt,
    finished_at: changes.finishedAt,
    timeout_at: changes.timeoutAt,
    dataset_id: changes.datasetId,
    store_id: changes.storeId,
    queue_id: changes.queueId,
    aliases: changes.aliases && JSON.stringify(changes.aliases),
    input_key: changes.inputKey,
    general_access: changes.generalAccess,
    permission_level: changes.permissionLevel,
    pricing: changes.pricing && JSON.stringify(changes.pricing),
    charged_events: changes.chargedEvents && JSON.stringify(changes.chargedEvents),
    metamorphs: changes.metamorphs && JSON.stringify(changes.metamorphs),
    token_hash: changes.tokenHash,
    is_server_ready: changes.isServerReady === undefined ? undefined : Number(changes.isServerReady),
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

export function runOf(row: Selectable<RunRow>): Run {
  return {
    id: row.id,
    actorId: row.actor_id,
    userId: row.user_id,
    taskId: row.task_id,
    buildId: row.build_id,
    buildNumber: row.build_number,
    status: row.status as JobStatus,
    statusMessage: row.status_message,
    isMessageTerminal: row.is_message_terminal === 1,
    meta: JSON.parse(row.meta) as JobMeta,
    options: JSON.parse(row.options) as RunOptions,
    stats: JSON.parse(row.stats) as RunStats,
    exitCode: row.exit_code,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    timeoutAt: row.timeout_at,
    datasetId: row.dataset_id,
    storeId: row.store_id,
    queueId: row.queue_id,
    ...(row.aliases !== null && { aliases: JSON.parse(row.aliases) as Partial<StorageIds> }),
    inputKey: row.input_key,
    generalAccess: row.general_access,
    permissionLevel: row.permission_level as PermissionLevel,
    ...(row.pricing !== null && { pricing: JSON.parse(row.pricing) as ActorPricing }),
    chargedEvents: JSON.parse(row.charged_events) as Record<string, number>,
    metamorphs: JSON.parse(row.metamorphs) as Metamorph[],
    isServerReady: row.is_server_ready === 1,
  };
}
