// Backups that the server is asked for or makes by its schedule, and checks of them: each with how far it is and how it ended.
import { randomUUID } from 'node:crypto';
import { schedule } from '../jobs/due-store.ts';
import { lockName } from '../storage/locks.ts';
import type { Migration } from '../storage/migrate.ts';
import type { Db } from '../storage/tables.ts';

export type BackupRunKind = 'backup' | 'verify';
export type BackupRunState = 'waiting' | 'running' | 'done' | 'failed';

export interface BackupRunRow {
  id: string;
  kind: BackupRunKind;
  state: BackupRunState;
  /** Of the backup that is made or checked. */
  backup_id: string;
  /** The member who asked; null for the schedule. */
  member_id: string | null;
  progress: string;
  bytes: number;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  error: string | null;
}

declare module '../storage/tables.ts' {
  interface Tables {
    backup_runs: BackupRunRow;
  }
}

export const backupRunMigrations: Migration[] = [
  {
    name: 'kernel-backup-runs',
    up: ({ text }) => [
      `create table backup_runs (
         id ${text} primary key, kind ${text} not null, state ${text} not null, backup_id ${text} not null, member_id ${text},
         progress ${text} not null, bytes bigint not null, created_at bigint not null, started_at bigint,
         finished_at bigint, error ${text})`,
      'create index backup_runs_created on backup_runs (created_at)',
    ],
  },
];

export const RUN_BACKUP = 'backups.run';
/** Older ones are forgotten; the backups themselves stay. */
const KEPT = 50;

/** Until the transaction ends, nobody else looks for one that is unfinished and begins the next. */
export async function lockBackupRuns(tx: Db): Promise<void> {
  await lockName(tx, 'backup-runs');
}

/** In the transaction of the call, whose commit wakes a worker. */
export async function insertBackupRun(
  tx: Db,
  {
    kind,
    backupId,
    memberId,
    now,
  }: { kind: BackupRunKind; backupId: string; memberId: string | null; now: number },
): Promise<BackupRunRow> {
  const row: BackupRunRow = {
    id: randomUUID(),
    kind,
    state: 'waiting',
    backup_id: backupId,
    member_id: memberId,
    progress: '',
    bytes: 0,
    created_at: now,
    started_at: null,
    finished_at: null,
    error: null,
  };
  await tx.insertInto('backup_runs').values(row).execute();
  const old = await tx
    .selectFrom('backup_runs')
    .select('created_at')
    .orderBy('created_at', 'desc')
    .offset(KEPT)
    .limit(1)
    .executeTakeFirst();
  if (old !== undefined)
    await tx.deleteFrom('backup_runs').where('created_at', '<=', old.created_at).execute();
  await schedule(tx, { id: `${RUN_BACKUP}:${row.id}`, kind: RUN_BACKUP, payload: row.id, dueAt: now }, now);
  return row;
}

export async function findBackupRun(db: Db, id: string): Promise<BackupRunRow | undefined> {
  return await db.selectFrom('backup_runs').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The newest first; there are never many. */
export async function listBackupRuns(db: Db): Promise<BackupRunRow[]> {
  return await db
    .selectFrom('backup_runs')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(KEPT)
    .execute();
}

export async function updateBackupRun(
  db: Db,
  id: string,
  change: Partial<Omit<BackupRunRow, 'id' | 'kind'>>,
): Promise<void> {
  await db.updateTable('backup_runs').set(change).where('id', '=', id).execute();
}
