// Opens what the settings say data is stored in: the database, large objects, repositories, and the key of secrets.
import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Logger } from '../kernel/observability/log.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import { lockFolder } from '../kernel/storage/disk/folder-lock.ts';
import { openPostgres } from '../kernel/storage/postgres/postgres.ts';
import { openSqlite } from '../kernel/storage/sqlite/sqlite.ts';
import { openS3Blobs } from '../kernel/storage/blobs/blob-s3.ts';
import { openFileBlobs, type BlobStore } from '../kernel/storage/blobs/blob.ts';
import { keepPrivate } from '../kernel/storage/disk/private-files.ts';
import { readS3Location } from '../kernel/storage/blobs/s3-location.ts';
import { isBucket } from './setting.ts';
import { Failure } from '../kernel/failure.ts';
import { openSecretBox, type SecretBox } from '../kernel/secrets/secret-box.ts';
import { ensureSecretKeyFile, SECRET_KEY_FILE } from '../kernel/secrets/secret-key-file.ts';

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

export function openBlobs(config: Config): Promise<BlobStore> {
  const { blobs, s3AccessKey = '', s3SecretKey = '', s3SessionToken } = config;
  // A folder chosen by the operator keeps its mode: several nodes may share it.
  if (blobs === undefined) keepPrivate(blobFolderOf(config));
  if (blobs === undefined || !isBucket(blobs)) return openFileBlobs(blobFolderOf(config));
  return openS3Blobs({
    ...readS3Location(blobs),
    accessKey: s3AccessKey,
    secretKey: s3SecretKey,
    ...(s3SessionToken !== undefined && { sessionToken: s3SessionToken }),
  });
}

export function blobFolderOf({ blobs, data }: Config): string {
  return blobs ?? join(data, 'blobs');
}

export async function openSecrets(
  { secretKey, data, role }: Config,
  engine: Engine,
  log: Logger,
): Promise<SecretBox> {
  if (secretKey !== undefined)
    return await openSecretBox({ engine, log, key: secretKey, source: 'the one in SIGNALBOX_SECRET_KEY' });
  if (engine.isShared && role !== 'all') {
    throw new Failure(
      'invalid',
      'A node with a role of its own shares secrets with others: set SIGNALBOX_SECRET_KEY, at least 32 characters, to the same on all of them.',
    );
  }
  const key = ensureSecretKeyFile(data);
  const file = join(data, SECRET_KEY_FILE);
  if (engine.isShared) {
    log.info({ file }, 'SIGNALBOX_SECRET_KEY is not set: further nodes need the key in this file');
  }
  return await openSecretBox({ engine, log, key, source: `the one in ${file}` });
}

export function repositoriesFolderOf({ repositories, data }: Pick<Config, 'repositories' | 'data'>): string {
  return repositories ?? join(data, 'repositories');
}
