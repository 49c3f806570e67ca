// Opens the database and the key of secrets that the settings name, and the file systems below the data, which are watched.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { backupsOf, blobFolderOf, repositoriesFolderOf } from './data-places.ts';
import type { Config } from './config.ts';
import type { Logger } from '../kernel/observability/log.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import { lockFolder } from '../kernel/storage/disk/folder-lock.ts';
import { openSqlite } from '../kernel/storage/sqlite/sqlite.ts';
import { isBucket } from './setting.ts';
import { Failure } from '../kernel/failure.ts';
import { openSecretBox, type SecretKeeper } from '../kernel/secrets/secret-box.ts';
import { secretKeySource } from './secret-keys.ts';
import { planSweep } from '../kernel/secrets/store-keyring.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ExecutionSettings } from '../actors/jobs/settings.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { DiskSpace, type DiskFolder } from '../kernel/storage/disk/disk-space.ts';

/** A server has one of the two engines, and loads the driver of that one. */
export async function openEngine({ database, data }: Config, log?: Logger): Promise<Engine> {
  const withLog = log === undefined ? {} : { log };
  if (database === undefined) return await openSqlite({ file: join(data, 'signalbox.db'), ...withLog });
  const { openPostgres } = await import('../kernel/storage/postgres/postgres.ts');
  return await openPostgres({ url: database, ...withLog });
}

/** Locks the folder: a second server on one SQLite folder would not see the caches and counters of the first. Commands need no lock. */
export async function openOwnEngine(config: Config, log: Logger): Promise<Engine> {
  if (config.database !== undefined) return openEngine(config, log);
  const lock = await lockFolder(config.data, {
    onWait: (holder) => log.info({ holder }, 'waiting for another server on this data folder to stop'),
  });
  try {
    const engine = await openEngine(config, log);
    return { ...engine, close: () => engine.close().finally(() => lock.release()) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

export async function openSecrets(
  config: Config,
  engine: Engine,
  { log, clock }: { log: Logger; clock: Clock },
): Promise<SecretKeeper> {
  const { kind, description, file, read } = secretKeySource(config);
  if (kind === 'data folder' && engine.isShared) {
    if (config.role !== 'all')
      throw new Failure(
        'invalid',
        'A node with a role of its own shares secrets with others: set SIGNALBOX_SECRET_KEY, at least 32 characters, to the same on all of them.',
      );
    log.info({ file }, 'SIGNALBOX_SECRET_KEY is not set: further nodes need the key in this file');
  }
  return await openSecretBox({
    engine,
    log,
    now: () => clock.now(),
    readKeys: read,
    source: description,
    node: `${hostname()}:${process.pid}:${randomUUID()}`,
    onChanged: (tx) => planSweep(tx, clock.now()),
  });
}

const MB = 1024 ** 2;

export function diskFoldersOf(
  config: Config,
  { work, isExecuting }: Pick<ExecutionSettings, 'work' | 'isExecuting'>,
): Partial<Record<DiskFolder, string>> {
  return {
    data: config.data,
    ...(!isBucket(config.blobs) && { blobs: blobFolderOf(config) }),
    repositories: repositoriesFolderOf(config),
    ...(isExecuting && { work }),
  };
}

/** By what is in them, for people; none is inside of another. */
export function dataFoldersOf(
  config: Config,
  { work, isExecuting }: Pick<ExecutionSettings, 'work' | 'isExecuting'>,
): Record<string, string> {
  const backups = backupsOf(config);
  return {
    ...(!isBucket(config.blobs) && { 'large objects': blobFolderOf(config) }),
    repositories: repositoriesFolderOf(config),
    ...(isExecuting && { 'builds and runs': work }),
    ...(!isBucket(backups) && { backups }),
  };
}

export function reserveFileOf({ data }: Pick<Config, 'data'>): string {
  return join(data, 'reserve');
}

export async function openDiskSpace(
  config: Config,
  execution: ExecutionSettings,
  log: Logger,
): Promise<DiskSpace> {
  return await DiskSpace.open({
    folders: diskFoldersOf(config, execution),
    reserveBytes: config.diskReserve * MB,
    // PostgreSQL has its files elsewhere.
    ...(config.database === undefined && { reserveFile: reserveFileOf(config) }),
    log,
  });
}

export function watchDisk({ disk, metrics, services: { runner } }: Kernel): void {
  for (const folder of ['data', 'blobs', 'repositories', 'work'] as const) {
    if (disk.freeBytes(folder) === undefined) continue;
    metrics.watch({
      name: `disk_${folder}_free_bytes`,
      help: `Free space on the file system of ${folder}`,
      read: () => disk.freeBytes(folder) ?? 0,
    });
  }
  metrics.watch({
    name: 'disk_reserve_bytes',
    help: 'Space that is kept for deletions',
    read: () => disk.reservedBytes,
  });
  metrics.watch({
    name: 'disk_full',
    help: 'Whether a file system of the server is full',
    read: () => Number(disk.isFull('data', 'blobs', 'repositories', 'work')),
  });
  disk.start((device, hasRoom) => runner.relieveDisk(device, hasRoom));
}
