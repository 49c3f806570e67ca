// How many wait for locks of PostgreSQL, for tests that let somebody wait for one.
import { sql } from 'kysely';
import type { Db } from '../src/kernel/storage/tables.ts';

/** In the database, of which a test that has only a schema shares one with others. */
export async function countLockWaiters(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`.execute(db);
  return rows[0]!.count;
}
