// Checks of a database that answers: a damaged file on SQLite, an old server or a wrong clock on PostgreSQL.
import { sql } from 'kysely';
import type { Engine } from './engine.ts';
import type { Db } from './tables.ts';

export interface EngineFinding {
  name: string;
  state: 'ok' | 'fail';
  /** The finding and, for a problem, the remedy. */
  detail: string;
}

const POSTGRES_MAJOR = 14;
const SKEW_MS = 2000;

export async function checkEngine({ kind, db }: Engine): Promise<EngineFinding[]> {
  return kind === 'sqlite' ? await checkSqlite(db) : await checkPostgres(db);
}

/** On the reader, so that a running server can continue to write. */
async function checkSqlite(db: Db): Promise<EngineFinding[]> {
  const name = 'integrity';
  const [first] = await db
    .selectFrom(sql<{ quick_check: string }>`pragma_quick_check`.as('found'))
    .selectAll()
    .execute();
  const verdict = first?.quick_check ?? 'no answer';
  return verdict === 'ok'
    ? [{ name, state: 'ok', detail: 'quick check passed' }]
    : [{ name, state: 'fail', detail: `${verdict}: stop the server and restore a backup` }];
}

async function checkPostgres(db: Db): Promise<EngineFinding[]> {
  const before = Date.now();
  const { rows } = await sql<{ version: string; now: string }>`
    select current_setting('server_version') as version,
      cast(extract(epoch from clock_timestamp()) * 1000 as text) as now`.execute(db);
  const { version, now } = rows[0]!;
  return [checkPostgresVersion(version), checkClockSkew(skewOf(Number(now), [before, Date.now()]))];
}

/** The least that explains the database's time: the query may have been answered at any moment of the span, which is long on a busy machine. */
export function skewOf(databaseTime: number, [before, after]: readonly [number, number]): number {
  return Math.max(before - databaseTime, databaseTime - after, 0);
}

export function checkPostgresVersion(version: string): EngineFinding {
  const name = 'postgresql';
  return Number.parseInt(version) >= POSTGRES_MAJOR
    ? { name, state: 'ok', detail: version }
    : { name, state: 'fail', detail: `${version}: upgrade it to ${POSTGRES_MAJOR} or newer` };
}

export function checkClockSkew(ms: number): EngineFinding {
  const name = 'clock of database';
  const apart = `${(ms / 1000).toFixed(1)} s apart from this machine's`;
  return ms < SKEW_MS
    ? { name, state: 'ok', detail: apart }
    : { name, state: 'fail', detail: `${apart}: let both machines set their clocks by NTP` };
}
