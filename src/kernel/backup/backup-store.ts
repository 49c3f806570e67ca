// Rows about backups: those that are being made, during which nothing is deleted that they read, and whether the server is paused after a restore.
import type { Migration } from '../storage/migrate.ts';
import type { Db } from '../storage/tables.ts';

declare module '../storage/tables.ts' {
  interface Tables {
    backup_leases: { id: string; until: number };
    /** One row while the server is paused. */
    server_pause: { id: number; backup: string; made_at: string; since: number };
  }
}

export const backupMigrations: Migration[] = [
  {
    name: 'kernel-backup',
    up: ({ text }) => [
      `create table backup_leases (id ${text} primary key, until bigint not null)`,
      `create table server_pause (
         id integer primary key check (id = 1), backup ${text} not null, made_at ${text} not null, since bigint not null)`,
    ],
  },
];

/** After so long without a sign of the process that makes it, a backup is over. */
export const BACKUP_LEASE_MS = 60_000;

/** Begins or continues it. */
export async function extendBackupLease(db: Db, id: string, now: number): Promise<void> {
  const until = now + BACKUP_LEASE_MS;
  await db
    .insertInto('backup_leases')
    .values({ id, until })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ until }))
    .execute();
}

/** Those of processes that have ended go with it. */
export async function endBackupLease(db: Db, id: string, now: number): Promise<void> {
  await db
    .deleteFrom('backup_leases')
    .where((eb) => eb.or([eb('id', '=', id), eb('until', '<', now)]))
    .execute();
}

/** There are hardly ever more than one or two rows. */
export async function isBackupOpen(db: Db, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('backup_leases')
    .select('id')
    .where('until', '>=', now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The channel that says that the server goes on. */
export const PAUSE_CHANNEL = 'server-pause';

export interface ServerPause {
  /** The id of the backup that was restored, and when it was made. */
  backup: string;
  madeAt: string;
  since: number;
}

export async function findPause(db: Db): Promise<ServerPause | undefined> {
  const row = await db.selectFrom('server_pause').selectAll().where('id', '=', 1).executeTakeFirst();
  return row && { backup: row.backup, madeAt: row.made_at, since: row.since };
}

export async function insertPause(db: Db, { backup, madeAt, since }: ServerPause): Promise<void> {
  await db.insertInto('server_pause').values({ id: 1, backup, made_at: madeAt, since }).execute();
}

/** False where it was not paused. */
export async function deletePause(db: Db): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('server_pause')
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
