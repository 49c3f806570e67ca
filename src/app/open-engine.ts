// Opens the database: a SQLite file in the data folder, or PostgreSQL.
import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Logger } from '../kernel/observability/log.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import { lockFolder } from '../kernel/storage/disk/folder-lock.ts';
import { openPostgres } from '../kernel/storage/postgres/postgres.ts';
import { openSqlite } from '../kernel/storage/sqlite/sqlite.ts';

export function openEngine({ database, data }: Config, log?: Logger): Promise<Engine> {
  const withLog = log === undefined ? {} : { log };
  return database === undefined
    ? openSqlite({ file: join(data, 'signalbox.db'), ...withLog })
    : openPostgres({ url: database, ...withLog });
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
