// The commands `restore`, into an empty place that appears as a whole at the end and is paused, and `resume`. ADR 0166.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { migrations } from '../../app/apis.ts';
import type { Config } from '../../app/config.ts';
import {
  commandToGoOn,
  describeFlags,
  readRestoreMark,
  removeRestoreMark,
  writeRestoreMark,
} from '../../app/backup/half-restored.ts';
import { openBackup, type OpenBackup } from '../../app/backup/places.ts';
import { blobFolderOf, openBlobs, repositoriesFolderOf } from '../../app/data-places.ts';
import { openEngine } from '../../app/open-stores.ts';
import type { LoadedSettings } from '../../app/read-settings.ts';
import { RELEASE } from '../../app/release.ts';
import { secretKeySource } from '../../app/secret-keys.ts';
import { isBucket } from '../../app/setting.ts';
import { restoreRepositoryFile } from '../../host/git/backup-files.ts';
import { collect, DamagedBackup } from '../../kernel/backup/archive.ts';
import { deletePause, findPause, PAUSE_CHANNEL } from '../../kernel/backup/backup-store.ts';
import { readLines } from '../../kernel/backup/lines.ts';
import type { BackedUpBlob, BackedUpFile, BackupManifest } from '../../kernel/backup/manifest.ts';
import { Failure } from '../../kernel/failure.ts';
import { passCheckpoint } from '../../kernel/jobs/checkpoint.ts';
import { SECRET_KEY_FILE } from '../../kernel/secrets/secret-key-file.ts';
import { checksumOfHash } from '../../kernel/storage/blobs/blob-checksum.ts';
import { lockFolder } from '../../kernel/storage/disk/folder-lock.ts';
import { PRIVATE_FILE } from '../../kernel/storage/disk/private-files.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { EXIT, messageOf } from '../command-errors.ts';
import { printJson, wantsJson, type Io } from '../io.ts';
import { withMigratedDatabase } from '../open-database.ts';
import { Progress } from '../progress.ts';
import { compareObjects } from './compare-copy.ts';
import { passphraseOf, type ArchiveOptions } from './open-archive.ts';
import { requireEmptyPostgres, RESTORE, restorePostgres, restoreSqlite, stagedFile } from './restore-rows.ts';

export interface RestoreOptions extends ArchiveOptions {
  json?: boolean;
  dryRun?: boolean;
  /** Whether all is read back at the end and compared with what was written. */
  compare?: boolean;
  /** Whether the server goes on at once, since the one that the data is from is gone. */
  resume?: boolean;
}

export async function runRestore(
  { config }: LoadedSettings,
  from: string,
  options: RestoreOptions,
  io: Io,
): Promise<number> {
  const { reader, manifest } = await openBackup(config, from, {
    passphrase: passphraseOf(options, config),
    backup: options.backup,
  });
  try {
    requireKnown(manifest);
    const { id, release, createdAt, tables, blobs, repositories } = manifest;
    const report = {
      backup: id,
      release,
      createdAt,
      data: config.data,
      rows: tables.reduce((sum, { rows }) => sum + rows, 0),
      blobs: blobs.count,
      repositories: repositories.repositories,
      isDone: options.dryRun !== true,
      needsSecretKey:
        manifest.secretKey.fingerprint !== undefined &&
        manifest.secretKey.content === undefined &&
        manifest.isRowsOnly !== true,
    };
    const place = isBucket(from) ? from : resolve(from);
    if (options.dryRun !== true) await restore(config, place, { reader, manifest, options }, io);
    else await requireEmpty(config, manifest);
    // After the mark is gone: until then the pause says that everything is there.
    if (options.dryRun !== true && options.resume === true) await withMigratedDatabase(config, resume);
    const compared = options.compare === true && report.isDone ? { isCompared: true } : {};
    if (wantsJson(options, io)) printJson(io, { ...report, ...compared });
    else
      io.out(
        describe(
          {
            ...report,
            ...compared,
            isPaused: options.resume !== true,
            isShared: config.database !== undefined,
          },
          io,
        ),
      );
    return EXIT.good;
  } finally {
    await reader.close();
  }
}

interface RestoreReport {
  createdAt: string;
  release: string;
  data: string;
  rows: number;
  blobs: number;
  repositories: number;
  isDone: boolean;
  needsSecretKey: boolean;
  isCompared?: boolean;
  isPaused: boolean;
  isShared: boolean;
}

function describe(report: RestoreReport, { program }: Io): string {
  const { createdAt, release, data, rows, blobs, repositories, isDone, needsSecretKey } = report;
  const place = describeFlags(data, report.isShared);
  return [
    `${isDone ? 'Restored' : 'Would restore'} the backup of ${createdAt} (release ${release}) into ${data}: ${rows} rows, ${blobs} large objects, ${repositories} repositories.`,
    ...(needsSecretKey
      ? [`The secret key is not in it: put ${SECRET_KEY_FILE} into ${data}, or set SIGNALBOX_SECRET_KEY.`]
      : []),
    ...(report.isCompared === true ? ['All of it was read back: counts and checksums are the same.'] : []),
    ...(isDone ? [`Start it: ${program} serve ${place}`] : []),
    ...(isDone && report.isPaused
      ? [`The server starts paused. When no other server works on the same data: ${program} resume ${place}`]
      : []),
  ].join('\n');
}

function requireKnown({ release, migrations: names }: BackupManifest): void {
  const known = new Set(migrations.map(({ name }) => name));
  if (names.some((name) => !known.has(name)))
    throw new Failure(
      'conflict',
      `The backup was made by Signalbox ${release}, which is newer than this program, ${RELEASE}: update the program.`,
    );
}

/** Whatever a restore that was interrupted has left is removed: the place was empty before it. */
async function requireEmpty(config: Config, { isRowsOnly }: BackupManifest): Promise<void> {
  const mark = readRestoreMark(config.data);
  if (mark !== undefined && mark.isRowsOnly === isRowsOnly) return;
  if (mark !== undefined && isRowsOnly === true)
    throw new Failure(
      'conflict',
      `A restore of ${mark.from} into ${config.data} was interrupted: go on with it, or restore into another folder.`,
    );
  const folders = [repositoriesFolderOf(config), ...(isBucket(config.blobs) ? [] : [blobFolderOf(config)])];
  const full =
    [
      ...(config.database === undefined ? [join(config.data, 'signalbox.db')] : []),
      ...(isRowsOnly === true ? [] : folders),
    ].find((path) => existsSync(path) && (path.endsWith('.db') || hasContent(path))) ??
    (isBucket(config.blobs) && isRowsOnly !== true && (await hasBlobs(config)) ? config.blobs : undefined);
  if (full !== undefined)
    throw new Failure(
      'conflict',
      `There is something already: ${full}. Restore into an empty folder, named with --data.`,
    );
}

async function hasBlobs(config: Config): Promise<boolean> {
  for await (const _ of (await openBlobs(config)).list()) return true;
  return false;
}

function hasContent(folder: string): boolean {
  return readdirSync(folder).some((name) => name !== 'tmp');
}

/** The database comes last: until it is there, so is nothing. */
async function restore(
  config: Config,
  from: string,
  backup: OpenBackup & { options: RestoreOptions },
  io: Io,
): Promise<void> {
  const { data } = config;
  const progress = new Progress(io);
  const lock = await lockFolder(data);
  try {
    const mark = readRestoreMark(data);
    if (mark !== undefined && (await isComplete(config, mark.backup))) {
      removeRestoreMark(data);
      if (mark.backup === backup.manifest.id) return;
    }
    await requireEmpty(config, backup.manifest);
    // Before the mark: a database that is in use must not look like half of a restore.
    if (config.database !== undefined) await requireEmptyPostgres(config);
    if (readRestoreMark(data) !== undefined) removeHalf(config, backup.manifest);
    const { id, isRowsOnly } = backup.manifest;
    const begun = {
      backup: id,
      from,
      ...(isRowsOnly && { isRowsOnly }),
      ...(backup.options.compare === true && { command: 'import data' }),
      ...(config.database !== undefined && { isShared: true }),
    };
    writeRestoreMark(data, begun);
    passCheckpoint(RESTORE);
    try {
      await restoreBlobs(config, backup, progress);
      await restoreRepositories(config, backup, progress);
      await restoreSecretKey(config, backup);
      if (backup.options.compare === true) await compareObjects(config, backup, progress);
      if (config.database === undefined) await restoreSqlite(data, backup, progress);
      else await restorePostgres(config, backup, progress);
    } catch (error) {
      progress.end();
      throw interrupted(error, `${io.program} ${commandToGoOn(begun, data)}`);
    }
    passCheckpoint(RESTORE);
    removeRestoreMark(data);
    passCheckpoint(RESTORE);
  } finally {
    progress.end();
    lock.release();
  }
}

/** A damaged backup is not tried again; after all other errors, such as a full disk, the same command goes on. */
function interrupted(error: unknown, command: string): unknown {
  if (error instanceof DamagedBackup) return error;
  const kind = error instanceof Failure ? error.kind : 'unavailable';
  const reason = messageOf(error).replace(/\.$/, '');
  return new Failure(kind, `${reason}. Nothing is there yet. Go on with "${command}".`, { cause: error });
}

/** The process may have ended between the last step and the removal of its mark. */
async function isComplete(config: Config, id: string): Promise<boolean> {
  if (config.database === undefined && !existsSync(join(config.data, 'signalbox.db'))) return false;
  const engine = await openEngine(config);
  try {
    return (await findPause(engine.db))?.backup === id;
  } catch {
    return false;
  } finally {
    await engine.close();
  }
}

function removeHalf(config: Config, { isRowsOnly }: BackupManifest): void {
  for (const name of ['', '-wal', '-shm']) rmSync(`${stagedFile(config.data)}${name}`, { force: true });
  if (isRowsOnly === true) return;
  rmSync(repositoriesFolderOf(config), { recursive: true, force: true });
  if (!isBucket(config.blobs)) rmSync(blobFolderOf(config), { recursive: true, force: true });
}

async function restoreBlobs(
  config: Config,
  { reader, manifest }: OpenBackup,
  progress: Progress,
): Promise<void> {
  const blobs = await openBlobs(config);
  let count = 0;
  for (const part of manifest.blobs.parts) {
    for (const { value } of await readLines(reader, part)) {
      const { key, ref } = value as BackedUpBlob;
      const checksum = checksumOfHash(ref.hash, ref.size);
      await blobs.put(key, reader.open(ref), checksum === undefined ? undefined : { checksum });
      passCheckpoint(RESTORE);
      progress.update('large objects', { done: (count += 1), total: manifest.blobs.count });
    }
  }
}

async function restoreRepositories(
  config: Config,
  { reader, manifest: { repositories } }: OpenBackup,
  progress: Progress,
): Promise<void> {
  let count = 0;
  for (const part of repositories.parts) {
    for (const { value } of await readLines(reader, part)) {
      const file = value as BackedUpFile;
      await restoreRepositoryFile(repositoriesFolderOf(config), file, reader.open(file.ref));
      passCheckpoint(RESTORE);
      progress.update('files of repositories', { done: (count += 1), total: repositories.count });
    }
  }
}

async function restoreSecretKey(config: Config, { reader, manifest }: OpenBackup): Promise<void> {
  const { content } = manifest.secretKey;
  // Where the keys come from elsewhere, that place is the operator's.
  if (content === undefined || secretKeySource(config).kind !== 'data folder') return;
  const key = await collect(reader.open(content));
  await writeFile(join(config.data, SECRET_KEY_FILE), `${key.toString()}\n`, {
    mode: PRIVATE_FILE,
    flush: true,
  });
}

export function runResume({ config }: LoadedSettings, io: Io): Promise<number> {
  return withMigratedDatabase(config, async (engine) => {
    if (await resume(engine)) {
      io.err('The server goes on: schedules, runs, webhooks and planned changes happen again.');
    } else io.err('The server was not paused.');
    return EXIT.good;
  });
}

async function resume(engine: Engine): Promise<boolean> {
  const wasPaused = await deletePause(engine.db);
  if (wasPaused) await engine.notify(PAUSE_CHANNEL);
  return wasPaused;
}
