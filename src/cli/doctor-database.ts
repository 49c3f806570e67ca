// What doctor checks of the database: that it answers, is whole and current, agrees on the time, and holds no dead leases.
import { sql } from 'kysely';
import { migrations } from '../app.ts';
import type { Config } from '../config.ts';
import { DUE } from '../kernel/due.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import { migrationStatus } from '../kernel/storage/migrate.ts';
import type { Finding } from './doctor.ts';
import { messageOf } from './failing.ts';
import { hasDatabase, placeOf, withDatabase } from './store.ts';

const POSTGRES_MAJOR = 14;
const SKEW_MS = 2000;
/** Workers look every few seconds: what nobody has taken up after this long is stuck. */
const STUCK_MS = 60_000;

export async function checkDatabase(config: Config, now: number): Promise<Finding[]> {
  const name = 'database';
  const place = placeOf(config);
  if (!hasDatabase(config)) {
    return [{ name, state: 'warn', detail: `${place} is not there: the server makes it` }];
  }
  try {
    return await withDatabase(config, async (engine) => {
      await engine.ping();
      return [
        { name, state: 'ok', detail: place },
        ...(await (engine.kind === 'sqlite' ? checkSqlite(engine) : checkPostgres(engine))),
        await checkMigrations(engine),
        ...(await checkLeases(engine, config, now)),
      ];
    });
  } catch (error) {
    return [{ name, state: 'fail', detail: `${place}: ${messageOf(error)}` }];
  }
}

/** By the reader, so that a running server can go on writing. */
async function checkSqlite({ db }: Engine): Promise<Finding[]> {
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

async function checkPostgres({ db }: Engine): Promise<Finding[]> {
  const before = Date.now();
  const { rows } = await sql<{ version: string; now: string }>`
    select current_setting('server_version') as version,
      cast(extract(epoch from clock_timestamp()) * 1000 as text) as now`.execute(db);
  const { version, now } = rows[0]!;
  return [judgePostgres(version), judgeSkew(Math.abs(Number(now) - (before + Date.now()) / 2))];
}

export function judgePostgres(version: string): Finding {
  const name = 'postgresql';
  return Number.parseInt(version) >= POSTGRES_MAJOR
    ? { name, state: 'ok', detail: version }
    : { name, state: 'fail', detail: `${version}: upgrade it to ${POSTGRES_MAJOR} or newer` };
}

export function judgeSkew(ms: number): Finding {
  const name = 'clock of database';
  const spelled = `${(ms / 1000).toFixed(1)} s apart from this machine's`;
  return ms < SKEW_MS
    ? { name, state: 'ok', detail: spelled }
    : { name, state: 'fail', detail: `${spelled}: let both machines set their clocks by NTP` };
}

async function checkMigrations(engine: Engine): Promise<Finding> {
  const name = 'migrations';
  const { applied, pending, unknown } = await migrationStatus(engine, migrations);
  if (unknown.length > 0) {
    return {
      name,
      state: 'fail',
      detail: `the database is newer than this program, which does not know ${unknown.join(', ')}: update it`,
    };
  }
  return pending.length > 0
    ? { name, state: 'warn', detail: `${pending.length} pending: the server applies them when it starts` }
    : { name, state: 'ok', detail: `${applied.length} applied, none pending` };
}

async function checkLeases(engine: Engine, config: Config, now: number): Promise<Finding[]> {
  const { applied } = await migrationStatus(engine, migrations);
  if (!applied.some(({ name }) => name === 'kernel-due')) return [];
  const name = 'leases';
  const { stuck } = await engine.db
    .selectFrom('due')
    .select(({ fn }) => fn.countAll<number>().as('stuck'))
    .where('owner', 'is not', null)
    .where('due_at', '<', now - STUCK_MS)
    .executeTakeFirstOrThrow();
  if (stuck === 0) return [{ name, state: 'ok', detail: 'none stuck' }];
  return [
    {
      name,
      state: 'warn',
      detail: `${stuck} held by workers that are gone: start a server to take up their work, or release them`,
      // The engine is closed by then.
      repair: () => withDatabase(config, (again) => releaseLeases(again, now)),
    },
  ];
}

async function releaseLeases(engine: Engine, now: number): Promise<string> {
  const { numUpdatedRows } = await engine.db
    .updateTable('due')
    .set({ owner: null })
    .where('owner', 'is not', null)
    .where('due_at', '<', now - STUCK_MS)
    .executeTakeFirstOrThrow();
  await engine.notify(DUE);
  return `${numUpdatedRows} released`;
}
