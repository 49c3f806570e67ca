// The command `backup`.
import { randomUUID } from 'node:crypto';
import { openBackupWriter } from '../../app/backup/places.ts';
import { describeSource, whileLeased } from '../../app/backup/backup-source.ts';
import { writeBackup } from '../../app/backup/write-backup.ts';
import type { LoadedSettings } from '../../app/read-settings.ts';
import { RELEASE } from '../../app/release.ts';
import { migrations } from '../../app/apis.ts';
import { backupMigrations } from '../../kernel/backup/backup-store.ts';
import { Failure } from '../../kernel/failure.ts';
import { migrationStatus } from '../../kernel/storage/migrate.ts';
import { isDiskFull } from '../../kernel/storage/storage-failure.ts';
import type { ByteSink } from '../../kernel/backup/file-archive.ts';
import { EXIT } from '../command-errors.ts';
import { printJson, wantsJson, type Io } from '../io.ts';
import { withDatabase } from '../open-database.ts';
import { Progress } from '../progress.ts';
import { newPassphraseOf, type PassphraseOptions } from './open-archive.ts';

export interface BackupOptions extends PassphraseOptions {
  json?: boolean;
  withSecretKey?: boolean;
}

export async function runBackup(
  { config }: LoadedSettings,
  to: string | undefined,
  options: BackupOptions,
  io: Io,
): Promise<number> {
  const createdAt = new Date().toISOString();
  const place = to ?? `signalbox-${createdAt.slice(0, 19).replaceAll(':', '')}.backup`;
  const progress = new Progress(io);
  const begun = performance.now();
  const passphrase = newPassphraseOf(options, config);
  return await withDatabase(config, async (engine) => {
    // One of an older release is backed up as it is, before an upgrade.
    const { applied, refusal } = await migrationStatus(engine, migrations);
    if (refusal !== undefined) throw new Failure('conflict', refusal);
    const hasLeases = applied.some(({ name }) => name === backupMigrations[0]!.name);
    const writer = await openBackupWriter(config, place === '-' ? standardOutput() : place, passphrase);
    const id = randomUUID();
    const withSecretKey = passphrase !== undefined || options.withSecretKey === true;
    try {
      const source = await describeSource(engine);
      const work = () =>
        writeBackup(config, source, { id, createdAt, withSecretKey }, writer, ({ text }) =>
          progress.update(text),
        );
      const manifest = hasLeases ? await whileLeased(engine, id, Date.now, work) : await work();
      progress.end();
      const { tables, blobs, repositories } = manifest;
      const report = {
        to: place,
        id,
        release: RELEASE,
        tables: tables.length,
        rows: tables.reduce((sum, { rows }) => sum + rows, 0),
        blobs: { count: blobs.count, bytes: blobs.bytes },
        repositories: { count: repositories.repositories, bytes: repositories.bytes },
        bytesWritten: writer.written,
        bytesReused: writer.reused,
        hasSecretKey: manifest.secretKey.content !== undefined,
        seconds: Math.round((performance.now() - begun) / 100) / 10,
      };
      // Standard output is the backup itself.
      if (place === '-') io.err(describe(report));
      else if (wantsJson(options, io)) printJson(io, report);
      else io.out(describe(report));
      return EXIT.good;
    } catch (error) {
      progress.end();
      await writer.abandon();
      if (!isDiskFull(error)) throw error;
      throw new Failure(
        'unavailable',
        `The disk is full: there is no room for the backup in ${place}. What was there is as it was. Make room or name another place, and type the command again.`,
        { cause: error },
      );
    }
  });
}

interface BackupReport {
  to: string;
  rows: number;
  blobs: { count: number; bytes: number };
  repositories: { count: number };
  hasSecretKey: boolean;
  seconds: number;
}

function describe({ to, rows, blobs, repositories, hasSecretKey, seconds }: BackupReport): string {
  const key = hasSecretKey ? '' : ' The secret key is not in it: keep a copy of it.';
  return (
    `Backed up ${rows} rows, ${blobs.count} large objects (${(blobs.bytes / 1e6).toFixed(1)} MB) and ` +
    `${repositories.count} repositories to ${to} in ${seconds} s.${key}`
  );
}

function standardOutput(): ByteSink {
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    finish: async () => {},
    abandon: async () => {},
  };
}
