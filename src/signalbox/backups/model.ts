// Backups as administrators see them.
import type { BackupRunRow } from '../../kernel/backup/backup-run-store.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import type { BackupFacts } from './server-backups.ts';

const Time = (description?: string) =>
  Type.Integer({
    description: `${description === undefined ? '' : `${description}, `}in epoch milliseconds`,
  });

export const Backup = Type.Object(
  {
    id: Type.String(),
    createdAt: Time(),
    isRowsOnly: Type.Boolean({
      description: 'Without large objects and repositories: made before an upgrade, to go back',
    }),
    broken: Type.Optional(Type.String({ description: 'Why it cannot be read; the figures are absent then' })),
    release: Type.Optional(Type.String({ description: 'Of the server that made it' })),
    rows: Type.Optional(Type.Integer()),
    blobs: Type.Optional(Type.Integer({ description: 'How many large objects' })),
    repositories: Type.Optional(Type.Integer({ description: 'Repositories and gists' })),
    bytes: Type.Optional(
      Type.Integer({
        description: 'Of everything that it consists of, however much of it other backups share',
      }),
    ),
    hasSecretKey: Type.Optional(Type.Boolean({ description: 'Only encrypted ones have it' })),
  },
  { $id: 'Backup' },
);

export const BackupRun = Type.Object(
  {
    id: Type.String(),
    kind: OneOf(['backup', 'verify']),
    state: OneOf(['waiting', 'running', 'done', 'failed']),
    backupId: Type.String({ description: 'Of the backup that is made or checked' }),
    isScheduled: Type.Boolean({ description: 'False where somebody has asked for it' }),
    progress: Type.String({ description: 'What is being done, or was' }),
    bytes: Type.Integer({ description: 'That were read so far' }),
    createdAt: Time(),
    startedAt: Type.Optional(Time()),
    finishedAt: Type.Optional(Time()),
    error: Type.Optional(Type.String({ description: 'Why it has failed' })),
  },
  { $id: 'BackupRun' },
);

export const Backups = Type.Object(
  {
    place: Type.String({ description: 'The folder or the bucket where they are' }),
    isEncrypted: Type.Boolean(),
    isOnDataDisk: Type.Boolean({
      description: 'Whether the disk of the data holds them too, so that they are lost with it',
    }),
    everyHours: Type.Integer({ description: 'How often one is made; 0 for never by itself' }),
    keptDays: Type.Integer({ description: 'How long they are kept, the newest for ever; 0 for all of them' }),
    nextAt: Type.Optional(Time('When the next one is made by itself')),
    problem: Type.Optional(Type.String({ description: 'Why the list cannot be read; it is empty then' })),
    runs: Type.Array(BackupRun, { description: 'What was made and checked lately, the newest first' }),
    items: Type.Array(Backup, { description: 'The newest first, at most 200' }),
  },
  { $id: 'Backups' },
);

export function toBackup(facts: BackupFacts): Static<typeof Backup> {
  return facts;
}

export function toBackupRun(row: BackupRunRow): Static<typeof BackupRun> {
  const { id, kind, state, progress, bytes } = row;
  return {
    id,
    kind,
    state,
    backupId: row.backup_id,
    isScheduled: row.member_id === null,
    progress,
    bytes,
    createdAt: row.created_at,
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.finished_at !== null && { finishedAt: row.finished_at }),
    ...(row.error !== null && { error: row.error }),
  };
}
