// Doctor's checks of the database: connection, integrity, migrations, clock and stuck leases.
import { migrations } from '../app/apis.ts';
import type { Config } from '../app/config.ts';
import { countStuck, releaseStuck } from '../kernel/jobs/due-store.ts';
import { checkEngine } from '../kernel/storage/check-engine.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import { migrationStatus } from '../kernel/storage/migrate.ts';
import type { DoctorFinding } from './doctor.ts';
import { messageOf } from './command-errors.ts';
import { hasDatabase, describeDatabase, withDatabase } from './open-database.ts';

/** Workers poll every few seconds: work that is still leased by a dead worker after this long is stuck. */
const STUCK_MS = 60_000;

export async function checkDatabase(config: Config, now: number): Promise<DoctorFinding[]> {
  const name = 'database';
  const place = describeDatabase(config);
  if (!hasDatabase(config)) {
    return [{ name, state: 'warn', detail: `${place} is not there: the server makes it` }];
  }
  try {
    return await withDatabase(config, async (engine) => {
      await engine.ping();
      return [
        { name, state: 'ok', detail: place },
        ...(await checkEngine(engine)),
        await checkMigrations(engine),
        ...(await checkLeases(engine, config, now)),
      ];
    });
  } catch (error) {
    return [{ name, state: 'fail', detail: `${place}: ${messageOf(error)}` }];
  }
}

async function checkMigrations(engine: Engine): Promise<DoctorFinding> {
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

async function checkLeases(engine: Engine, config: Config, now: number): Promise<DoctorFinding[]> {
  const { applied } = await migrationStatus(engine, migrations);
  if (!applied.some(({ name }) => name === 'kernel-due')) return [];
  const name = 'leases';
  const stuck = await countStuck(engine.db, now - STUCK_MS);
  if (stuck === 0) return [{ name, state: 'ok', detail: 'none stuck' }];
  return [
    {
      name,
      state: 'warn',
      detail: `${stuck} held by workers that are gone: start a server to take up their work, or release them`,
      // The engine is closed by then.
      repair: () =>
        withDatabase(config, async (again) => `${await releaseStuck(again, now - STUCK_MS)} released`),
    },
  ];
}
