// Transactions of PostgreSQL that hold a lock until others wait for it, for tests of what happens at once.
import { sql } from 'kysely';
import type { Db } from '../src/kernel/storage/tables.ts';
import { eventually } from './eventually.ts';

/** For a transaction that waits for others longer than the engine lets one stand idle. Returns its process of PostgreSQL. */
export async function letStandIdle(tx: Db): Promise<number> {
  const { rows } = await sql<{ pid: number }>`
    select set_config('idle_in_transaction_session_timeout', '0', true), pg_backend_pid() as pid`.execute(tx);
  return rows[0]!.pid;
}

/**
 * Lets the transaction stand idle until so many others wait for its locks, or for those who wait for them. Others are not
 * counted, as test files share the server, and many of them the database.
 */
export async function waitForLockWaiters(tx: Db, db: Db, least = 1): Promise<void> {
  const holder = await letStandIdle(tx);
  await eventually(
    async () => (await countLockWaiters(db, holder)) >= least,
    `the wait of ${least} for locks of the transaction`,
  );
}

async function countLockWaiters(db: Db, holder: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with recursive
      blocked as materialized (
        select pid, pg_blocking_pids(pid) as blockers from pg_stat_activity where wait_event_type = 'Lock'
      ),
      waiters as (
        select pid from blocked where ${holder} = any(blockers)
        union
        select blocked.pid from blocked join waiters on waiters.pid = any(blocked.blockers)
      )
    select count(*)::int as count from waiters`.execute(db);
  return rows[0]!.count;
}
