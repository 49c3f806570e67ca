// Where backups go and come from, as settings and commands name it: one file, a folder, or a prefix of object storage.
import { statSync } from 'node:fs';
import type { BackupReader, BackupWriter } from '../../kernel/backup/archive.ts';
import { newCipher } from '../../kernel/backup/backup-cipher.ts';
import {
  openFileSink,
  readFileArchive,
  writeFileArchive,
  type ByteSink,
} from '../../kernel/backup/file-archive.ts';
import { readFolderArchive, writeFolderArchive } from '../../kernel/backup/folder-archive.ts';
import { BACKUP_FORMAT, type BackupManifest } from '../../kernel/backup/manifest.ts';
import { bucketPlace, folderPlace, type ObjectPlace } from '../../kernel/backup/object-place.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Config } from '../config.ts';
import { openBlobs } from '../data-places.ts';
import { isBucket } from '../setting.ts';

/** A folder where it is one, or where its name ends with a slash. */
function isShared(to: string): boolean {
  return (
    isBucket(to) || to.endsWith('/') || (statSync(to, { throwIfNoEntry: false })?.isDirectory() ?? false)
  );
}

export async function openObjectPlace(config: Config, to: string): Promise<ObjectPlace> {
  if (!isBucket(to)) return folderPlace(to);
  if (config.s3AccessKey === undefined || config.s3SecretKey === undefined)
    throw new Failure(
      'invalid',
      'Backups in object storage need AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.',
    );
  // Their names in errors and lists are without the query, which is long.
  return bucketPlace(await openBlobs({ ...config, blobs: to }), to.replace(/\?.*$/, ''));
}

export async function openBackupWriter(
  config: Config,
  to: string | ByteSink,
  passphrase: string | undefined,
): Promise<BackupWriter> {
  if (typeof to === 'string' && isShared(to))
    return await writeFolderArchive(await openObjectPlace(config, to), passphrase);
  const cipher = passphrase === undefined ? undefined : await newCipher(passphrase);
  return await writeFileArchive(typeof to === 'string' ? await openFileSink(to) : to, cipher);
}

export interface OpenBackup {
  reader: BackupReader;
  manifest: BackupManifest;
}

export async function openBackup(
  config: Config,
  from: string,
  options: { passphrase: string | undefined; backup?: string | undefined },
): Promise<OpenBackup> {
  const reader = isShared(from)
    ? await readFolderArchive(await openObjectPlace(config, from), options)
    : await readFileArchive(from, options.passphrase);
  try {
    const manifest = (await reader.manifest()) as BackupManifest;
    if (manifest.format !== BACKUP_FORMAT)
      throw new Failure(
        'conflict',
        `The backup has format ${manifest.format}, this program knows ${BACKUP_FORMAT}.`,
      );
    return { reader, manifest };
  } catch (error) {
    await reader.close();
    throw error;
  }
}
