// Where the settings say that large objects, repositories and backups are. Threads load it: it needs no database.
import { join } from 'node:path';
import { openS3Blobs } from '../kernel/storage/blobs/blob-s3.ts';
import { openFileBlobs, type BlobStore } from '../kernel/storage/blobs/blob.ts';
import { readS3Location } from '../kernel/storage/blobs/s3-location.ts';
import { keepPrivate } from '../kernel/storage/disk/private-files.ts';
import type { Config } from './config.ts';
import { isBucket } from './setting.ts';

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

export function repositoriesFolderOf({ repositories, data }: Pick<Config, 'repositories' | 'data'>): string {
  return repositories ?? join(data, 'repositories');
}

/** The place for backups that the server makes itself. */
export function backupsOf({ backups, data }: Pick<Config, 'backups' | 'data'>): string {
  return backups ?? join(data, 'backups');
}
