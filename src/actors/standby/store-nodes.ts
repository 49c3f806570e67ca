// The nodes that execute runs, and which of them has a run, in the database.
import type { Db } from '../../kernel/storage/tables.ts';
import type { PoolKey } from './pool.ts';

export interface ActorNode {
  name: string;
  /** Where other nodes reach it; null where its operator has not said. */
  url: string | null;
}

export async function upsertNode(
  db: Db,
  { name, url, sharesNetwork }: ActorNode & { sharesNetwork: boolean },
  now: number,
): Promise<void> {
  const values = { url, seen_at: now, shares_network: sharesNetwork ? 1 : 0 };
  await db
    .insertInto('actor_nodes')
    .values({ name, ...values })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
    .execute();
}

/**
 * Whether programs of users may listen on the network of a machine that executes them. Only nodes that have all said no are
 * believed; one that has just died counts until others delete it. Without any node nothing is known.
 */
export async function doRunsShareNetwork(db: Db): Promise<boolean> {
  const rows = await db.selectFrom('actor_nodes').select('shares_network').execute();
  return rows.length === 0 || rows.some((row) => row.shares_network !== 0);
}

export async function deleteNode(db: Db, name: string): Promise<void> {
  await db.deleteFrom('actor_nodes').where('name', '=', name).execute();
}

/** Those that were seen since. */
export async function listNodes(db: Db, since: number): Promise<ActorNode[]> {
  return await db
    .selectFrom('actor_nodes')
    .select(['name', 'url'])
    .where('seen_at', '>=', since)
    .orderBy('name')
    .execute();
}

/** Those that were seen last, first. */
export async function listLastSeenNodes(db: Db, limit: number): Promise<{ name: string; seenAt: number }[]> {
  const rows = await db
    .selectFrom('actor_nodes')
    .select(['name', 'seen_at'])
    .orderBy('seen_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ name, seen_at }) => ({ name, seenAt: seen_at }));
}

/** Deletes nodes that were not seen since, and gives their waiting jobs to all. */
export async function releaseNodes(db: Db, since: number): Promise<void> {
  await db.deleteFrom('actor_nodes').where('seen_at', '<', since).execute();
  await db
    .updateTable('jobs')
    .set({ node: null })
    .where('node', 'is not', null)
    .where('node', 'not in', db.selectFrom('actor_nodes').select('name'))
    .execute();
}

/** The node that executes the run; undefined where it waits or has ended. */
export async function findNodeOfRun(db: Db, runId: string): Promise<ActorNode | undefined> {
  const job = await db.selectFrom('jobs').select('owner').where('id', '=', runId).executeTakeFirst();
  const name = job?.owner?.split('/', 1)[0];
  if (name === undefined) return undefined;
  const row = await db
    .selectFrom('actor_nodes')
    .select(['name', 'url'])
    .where('name', '=', name)
    .executeTakeFirst();
  return row ?? { name, url: null };
}

/** Unfinished runs of a program in standby mode that this node executes, or will. */
export async function listStandbyRuns(
  db: Db,
  { userId, actorId, taskId }: PoolKey,
  node: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('runs')
    .innerJoin('jobs', 'jobs.id', 'runs.id')
    .select('runs.id')
    .where('runs.user_id', '=', userId)
    .where('runs.finished_at', 'is', null)
    .where('runs.actor_id', '=', actorId)
    .where('runs.task_id', taskId === null ? 'is' : '=', taskId)
    .where('runs.origin', '=', 'STANDBY')
    .where('runs.status', '<>', 'ABORTING')
    .where('jobs.node', '=', node)
    .execute();
  return rows.map(({ id }) => id);
}
