// What a backup is of, as the process with the database sees it, and the lease that keeps its large objects and repositories until it is made.
import { BACKUP_LEASE_MS, endBackupLease, extendBackupLease } from '../../kernel/backup/backup-store.ts';
import { findKeyFingerprint, secretKeyMigrations } from '../../kernel/secrets/store-keyring.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { migrationStatus } from '../../kernel/storage/migrate.ts';

/** What the database says of itself, before anything is read from it. */
export interface BackupSource {
  engine: Engine['kind'];
  migrations: string[];
  fingerprint?: string;
}

export async function describeSource(engine: Engine): Promise<BackupSource> {
  const { applied } = await migrationStatus(engine, []);
  const names = applied.map(({ name }) => name);
  const hasKey = names.includes(secretKeyMigrations[0]!.name);
  const fingerprint = hasKey ? await findKeyFingerprint(engine.db) : undefined;
  return { engine: engine.kind, migrations: names, ...(fingerprint !== undefined && { fingerprint }) };
}

/** A process that ends for any reason is noticed after a minute. */
export async function whileLeased<T>(
  { db }: Pick<Engine, 'db'>,
  id: string,
  now: () => number,
  work: () => Promise<T>,
): Promise<T> {
  await extendBackupLease(db, id, now());
  const timer = setInterval(() => void extendBackupLease(db, id, now()).catch(() => {}), BACKUP_LEASE_MS / 4);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await endBackupLease(db, id, now());
  }
}
