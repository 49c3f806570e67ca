// Which file systems a server watches, and what it tells of them.
import { join } from 'node:path';
import type { ExecutionSettings } from '../actors/jobs/settings.ts';
import type { Config } from './config.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Logger } from '../kernel/observability/log.ts';
import { DiskSpace, type DiskFolder } from '../kernel/storage/disk/disk-space.ts';
import { blobFolderOf, repositoriesFolderOf } from './open-stores.ts';
import { isBucket } from './setting.ts';

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
