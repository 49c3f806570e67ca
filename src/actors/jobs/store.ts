// Jobs in the database: a fair queue across accounts, leases of the nodes that execute them, and what callers want of those.
import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { isHeld, leasesOf } from '../../kernel/jobs/lease-store.ts';
import { insertOf } from '../../kernel/storage/build-once.ts';
import { notifyOnCommit } from '../../kernel/storage/notify-on-commit.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { addDeath, countDeaths, removeDeath, type Job, type JobControl, type JobKind } from './job.ts';
import type { JobRow } from './tables.ts';

/** The channel that wakes the job workers of all nodes. */
export const JOBS = 'jobs';

export const jobLeases = leasesOf('jobs', { until: 'lease_until', claims: 'claims' });

interface NewJob extends Pick<Job, 'id' | 'kind' | 'userId' | 'memoryMbytes'> {
  /** The one node that may execute it, as long as that is there. */
  node?: string | undefined;
}

const insertJobRow = insertOf('jobs');

/** Belongs into the transaction that creates the build or run, whose commit wakes the job workers. */
export async function insertJob(
  tx: Db,
  { id, kind, userId, memoryMbytes, node }: NewJob,
  now: number,
): Promise<void> {
  const row = {
    id,
    kind,
    user_id: userId,
    memory_mbytes: memoryMbytes,
    queued_at: now,
    owner: null,
    lease_until: null,
    control: null,
    claims: 0,
    node: node ?? null,
  };
  await tx.executeQuery(insertJobRow(tx, row));
  await notifyOnCommit(tx, JOBS);
}

/** Ends the job, in the transaction that saves its result. False if the lease was lost: the transaction must then roll back. */
export async function deleteJob(tx: Db, job: Pick<Job, 'id' | 'owner'>): Promise<boolean> {
  const isDeleted = await jobLeases.finish(tx, job);
  if (tx.isTransaction) await notifyOnCommit(tx, JOBS);
  return isDeleted;
}

/** Locks the job until the transaction ends; false if the claim is no longer valid. */
export async function holdsJob(tx: Db, job: Pick<Job, 'id' | 'owner'>): Promise<boolean> {
  const { rows } = await tx.executeQuery(jobLeases.lock(tx, job.id));
  return isHeld(rows, job);
}

/** Deletes a job that no node has claimed yet. False if one has, or if there is none. */
export async function deleteWaitingJob(tx: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('jobs')
    .where('id', '=', id)
    .where('owner', 'is', null)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

const ABORTS = ['abort', 'abort-gracefully'];

/** Tells the node that executes the job; false if there is none. An abort is not taken back by a later command, and a graceful one only by an immediate one. */
export async function requestControl(tx: Db, id: string, control: JobControl): Promise<boolean> {
  const row = await tx
    .selectFrom('jobs')
    .select('control')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return false;
  const earlier = row.control === null ? undefined : parseControl(row.control);
  if (earlier === 'abort' || (ABORTS.includes(earlier ?? '') && control !== 'abort')) return true;
  // Each has an id, so that a second command of the same kind is not taken for the first, whichever server it came to.
  await tx
    .updateTable('jobs')
    .set({ control: `${control}#${randomUUID()}` })
    .where('id', '=', id)
    .execute();
  await notifyOnCommit(tx, JOBS);
  return true;
}

export function parseControl(control: string): JobControl {
  return control.slice(0, control.indexOf('#')) as JobControl;
}

/** Deletes the command once it is fulfilled, unless another has replaced it. */
export async function clearControl(
  db: Db,
  job: Pick<Job, 'id' | 'owner'>,
  control: JobControl,
): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ control: null })
    .where(jobLeases.heldBy(job))
    .where('control', 'like', `${control}#%`)
    .execute();
}

/** The next account, in the order of ids, that has a waiting job. */
export async function findNextWaitingUser(db: Db, after: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('jobs')
    .select('user_id')
    .where('owner', 'is', null)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(1)
    .executeTakeFirst();
  return row?.user_id;
}

export interface WaitingJob {
  id: string;
  memoryMbytes: number;
  queuedAt: number;
}

/** The job of the account that has waited longest, of those that the node could ever execute. */
export async function findFirstWaiting(
  db: Db,
  userId: string,
  { kinds, memoryMbytes, node }: { kinds: readonly JobKind[]; memoryMbytes: number; node: string },
  now: number,
): Promise<WaitingJob | undefined> {
  const row = await db
    .selectFrom('jobs')
    .select(['id', 'memory_mbytes', 'queued_at'])
    .where('owner', 'is', null)
    .where('user_id', '=', userId)
    .where('queued_at', '<=', now)
    .where('kind', 'in', kinds)
    .where('memory_mbytes', '<=', memoryMbytes)
    .where((eb) => eb.or([eb('node', 'is', null), eb('node', '=', node)]))
    .orderBy('queued_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row && { id: row.id, memoryMbytes: row.memory_mbytes, queuedAt: row.queued_at };
}

/** Undefined when another node was faster. */
export async function claimJob(
  db: Db,
  id: string,
  owner: string,
  leaseUntil: number,
): Promise<{ job: Job; control: string | null } | undefined> {
  const row = await jobLeases
    .claim(db, owner, leaseUntil)
    .set({ is_stopping: 0 })
    .where('id', '=', id)
    .where('owner', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return row && { job: jobOf(row), control: row.control };
}

/** When the next job that is not due yet becomes due. */
export async function findNextQueuedAt(db: Db, now: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('jobs')
    .select(({ fn }) => fn.min('queued_at').as('next'))
    .where('owner', 'is', null)
    .where('queued_at', '>', now)
    .executeTakeFirst();
  return row?.next ?? undefined;
}

/** Extends the leases that are still held, and returns them with what callers want. */
export async function renewLeases(
  db: Db,
  owners: readonly string[],
  leaseUntil: number,
): Promise<Map<string, string | null>> {
  if (owners.length === 0) return new Map();
  const rows = await jobLeases.renew(db, owners, leaseUntil).returning(['owner', 'control']).execute();
  return new Map(rows.map(({ owner, control }) => [owner!, control]));
}

export async function listControls(db: Db, owners: readonly string[]): Promise<Map<string, string | null>> {
  if (owners.length === 0) return new Map();
  const rows = await db
    .selectFrom('jobs')
    .select(['owner', 'control'])
    .where('owner', 'in', owners)
    .execute();
  return new Map(rows.map(({ owner, control }) => [owner!, control]));
}

/** Gives the job back, so that a node claims it at that time. */
export async function releaseJob(db: Db, job: Job, queuedAt: number): Promise<void> {
  await jobLeases.release(db, job, { lease_until: null, queued_at: queuedAt });
}

const LOST = ['id', 'owner', 'deaths', 'is_stopping'] as const;
type LostJob = Pick<Selectable<JobRow>, (typeof LOST)[number]>;

/** Gives back the jobs of nodes that have not extended their leases in time. */
export async function releaseExpired(db: Db, now: number): Promise<number> {
  const lost = await db.selectFrom('jobs').select(LOST).where(jobLeases.expired(now)).execute();
  return await releaseLost(db, lost, now);
}

/** Gives back what an earlier process of this node left when it ended. */
export async function releaseJobsOf(db: Db, node: string, now: number): Promise<void> {
  const lost = await db
    .selectFrom('jobs')
    .select(LOST)
    .where('owner', '>=', `${node}/`)
    // The character after the slash.
    .where('owner', '<', `${node}0`)
    .execute();
  await releaseLost(db, lost, now);
}

/** Gives the job back as one whose process dies. */
export async function releaseDying(db: Db, job: Job, now: number): Promise<void> {
  const lost = await db.selectFrom('jobs').select(LOST).where(jobLeases.heldBy(job)).execute();
  await releaseLost(db, lost, now);
}

/** An orderly stop that took too long is no death. */
async function releaseLost(db: Db, lost: readonly LostJob[], now: number): Promise<number> {
  let released = 0;
  for (const { id, owner, deaths, is_stopping: isStopping } of lost) {
    const death = isStopping === 1 ? { deaths, startAt: now } : addDeath(deaths, owner!, now);
    const to = { lease_until: null, queued_at: death.startAt, deaths: death.deaths };
    if (await jobLeases.release(db, { id, owner }, to)) released += 1;
  }
  return released;
}

/** Takes back the death of a process that was only cut off from the database. */
export async function forgiveDeath(db: Db, { id, owner }: Job): Promise<void> {
  const row = await db.selectFrom('jobs').select('deaths').where('id', '=', id).executeTakeFirst();
  if (row === undefined || row.deaths === null) return;
  await db
    .updateTable('jobs')
    .set({ deaths: removeDeath(row.deaths, owner) })
    .where('id', '=', id)
    .where('deaths', '=', row.deaths)
    .execute();
}

/** From now on the end of the node that executes these is no death of theirs. */
export async function markStopping(db: Db, owners: readonly string[]): Promise<void> {
  if (owners.length === 0) return;
  await db.updateTable('jobs').set({ is_stopping: 1 }).where('owner', 'in', owners).execute();
}

function jobOf(row: Selectable<JobRow>): Job {
  return {
    id: row.id,
    kind: row.kind as JobKind,
    userId: row.user_id,
    memoryMbytes: row.memory_mbytes,
    owner: row.owner!,
    claims: row.claims,
    deaths: countDeaths(row.deaths),
  };
}
