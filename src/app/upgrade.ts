// Brings the database to this release: says from where to where, and backs it up before rows are changed. ADR 0174.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { Failure } from '../kernel/failure.ts';
import type { Logger } from '../kernel/observability/log.ts';
import { isDiskFull } from '../kernel/storage/storage-failure.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import {
  describeMigration,
  migrate,
  migrationStatus,
  type PlannedMigration,
} from '../kernel/storage/migrate.ts';
import { migrations } from './apis.ts';
import type { Config } from './config.ts';
import { RELEASE } from './release.ts';
import { openBackupWriter } from './backup/places.ts';
import { backupsOf } from './data-places.ts';
import { describeSource } from './backup/backup-source.ts';
import { writeBackup } from './backup/write-backup.ts';

export interface UpgradePlan {
  /** Undefined for a database without tables. */
  from: string | undefined;
  to: string;
  /** Why this program cannot work on it. */
  refusal: string | undefined;
  pending: PlannedMigration[];
  /** Of a newer release, which this one can work beside. */
  newer: string | undefined;
}

export async function planUpgrade(engine: Engine): Promise<UpgradePlan> {
  const { applied, pending, unknown, release, refusal } = await migrationStatus(engine, migrations);
  const names = new Set(pending);
  return {
    from: applied.length === 0 ? undefined : (release ?? 'before 0.1.0'),
    to: RELEASE,
    refusal,
    pending: migrations
      .filter(({ name }) => names.has(name))
      .map((migration) => describeMigration(migration, engine.kind)),
    newer: unknown.length > 0 ? release : undefined,
  };
}

export interface UpgradeOptions {
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
  /** How the program is called on the command line. */
  program: string;
}

/** Nobody else writes to a SQLite database meanwhile: its folder is locked. Returns the plan that was carried out. */
export async function upgradeDatabase(
  engine: Engine,
  config: Config,
  { clock, log, program }: UpgradeOptions,
): Promise<UpgradePlan> {
  const plan = await planUpgrade(engine);
  const { from, to, refusal, pending, newer } = plan;
  if (refusal !== undefined) throw new Failure('conflict', refusal);
  if (newer !== undefined)
    log.info(
      { from: newer, to },
      `the database was upgraded to ${newer}, which this release can work beside`,
    );
  if (pending.length === 0) return plan;
  const isUpgrade = from !== undefined;
  // A large database takes a while, in which the server does not listen.
  if (isUpgrade)
    log.info({ migrations: pending.length, from, to }, `upgrading the database from ${from} to ${to}`);
  if (isUpgrade && pending.some(({ changesData }) => changesData))
    await backUp(engine, config, { clock, log, program });
  const begun = performance.now();
  // Several nodes may start at the same time: the first one applies them.
  const { length } = await migrate(engine, migrations, clock.now());
  const ms = Math.round(performance.now() - begun);
  if (isUpgrade) log.info({ migrations: length, from, to, ms }, `database upgraded from ${from} to ${to}`);
  return plan;
}

/** With `--no-migrate` a server refuses a database that lacks something. */
export async function requireUpgraded(engine: Engine, program: string): Promise<void> {
  const { from = 'no release', to, refusal, pending } = await planUpgrade(engine);
  if (refusal !== undefined) throw new Failure('conflict', refusal);
  if (pending.length > 0)
    throw new Failure(
      'conflict',
      `The database is of ${from}, and ${pending.length} migrations bring it to ${to}: run "${program} migrate up", or start without --no-migrate.`,
    );
}

async function backUp(
  engine: Engine,
  config: Config,
  { clock, log, program }: UpgradeOptions,
): Promise<void> {
  if (config.database !== undefined) {
    log.warn(
      `this upgrade changes rows, and the server does not back up PostgreSQL by itself; to do that before an upgrade: ${program} backup`,
    );
    return;
  }
  if (!config.upgradeBackup) {
    log.warn('this upgrade changes rows, and --upgrade-backup is off: nothing is backed up before');
    return;
  }
  const to = backupsOf(config);
  const id = randomUUID();
  const createdAt = new Date(clock.now()).toISOString();
  try {
    const writer = await openBackupWriter(config, `${to}/`, config.backupPassphrase);
    const order = { id, createdAt, withSecretKey: false, isRowsOnly: true };
    await writeBackup(config, await describeSource(engine), order, writer, () => {}).catch(
      async (error: unknown) => {
        await writer.abandon();
        throw error;
      },
    );
  } catch (error) {
    throw new Failure(
      'unavailable',
      `The rows could not be backed up before the upgrade (${isDiskFull(error) ? 'the disk is full' : (error as Error).message}). Nothing was changed. Make room, name another place with --backups, or switch it off with --no-upgrade-backup.`,
      { cause: error },
    );
  }
  log.info(
    { backup: id, to },
    `backed up the rows before the upgrade; to go back: ${program} restore ${to} --backup ${id}`,
  );
}
