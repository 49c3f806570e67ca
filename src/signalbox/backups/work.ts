// Makes and checks backups that wait, and asks for one when the last is old enough. ADR 0176.
import { randomUUID } from 'node:crypto';
import {
  findBackupRun,
  insertBackupRun,
  listBackupRuns,
  lockBackupRuns,
  RUN_BACKUP,
  updateBackupRun,
  type BackupRunRow,
} from '../../kernel/backup/backup-run-store.ts';
import { Failure } from '../../kernel/failure.ts';
import type { BackgroundWork } from '../../kernel/http/protocol.ts';
import { finish, type Due } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';

const LOOK_MS = 60_000;
/** After a backup by the schedule that failed. */
const RETRY_MS = 60 * 60 * 1000;

export function backupWork(kernel: Kernel): BackgroundWork {
  return {
    handlers: { [RUN_BACKUP]: (due, signal) => runBackup(kernel, due, signal) },
    recurring: [{ kind: 'backups.schedule', everyMs: LOOK_MS, run: () => scheduleBackup(kernel) }],
  };
}

export function isUnfinished({ state }: BackupRunRow): boolean {
  return state === 'waiting' || state === 'running';
}

async function scheduleBackup({ db, clock, services: { backups } }: Kernel): Promise<void> {
  if (backups.everyMs === 0) return;
  const now = clock.now();
  await db.transaction().execute(async (tx) => {
    await lockBackupRuns(tx);
    const runs = (await listBackupRuns(tx)).filter(({ kind }) => kind === 'backup');
    if (runs.some(isUnfinished)) return;
    const [last] = runs;
    const waitMs = last?.state === 'failed' ? Math.min(RETRY_MS, backups.everyMs) : backups.everyMs;
    if (last !== undefined && last.created_at + waitMs > now) return;
    await insertBackupRun(tx, { kind: 'backup', backupId: randomUUID(), memberId: null, now });
  });
}

/** What fails is not tried again by itself: the reason is shown, and the schedule asks again. */
async function runBackup(kernel: Kernel, due: Due, signal: AbortSignal): Promise<void> {
  const { payload: id } = due;
  const { db, clock, log, services } = kernel;
  const run = await findBackupRun(db, id);
  if (run === undefined || !isUnfinished(run)) return;
  await updateBackupRun(db, id, { state: 'running', started_at: clock.now(), progress: '', bytes: 0 });
  let saving = Promise.resolve();
  const onProgress = (progress: string, bytes: number) => {
    if (signal.aborted) return;
    saving = saving.then(() => updateBackupRun(db, id, { progress, bytes })).catch(() => {});
  };
  /** Where the lease is lost, another makes the backup by now, and ends the run. */
  const end = (how: Partial<Pick<BackupRunRow, 'state' | 'progress' | 'error'>>) =>
    db.transaction().execute(async (tx) => {
      if (await finish(tx, due)) await updateBackupRun(tx, id, { ...how, finished_at: clock.now() });
    });
  try {
    const progress = await perform(kernel, run, onProgress, signal);
    await saving;
    await end({ state: 'done', progress });
    log.info({ backup: run.backup_id, kind: run.kind }, progress);
  } catch (error) {
    // The server stops: another node, or its next start, begins anew.
    if (signal.aborted) throw error;
    await saving;
    const message = error instanceof Failure ? error.message : 'An unexpected error; the log has it.';
    log.error(
      { err: error, backup: run.backup_id, to: services.backups.place },
      `the ${run.kind} of a backup failed`,
    );
    await end({ state: 'failed', error: message });
  }
}

async function perform(
  { services: { backups } }: Kernel,
  { kind, backup_id: backup }: BackupRunRow,
  onProgress: (progress: string, bytes: number) => void,
  signal: AbortSignal,
): Promise<string> {
  if (kind === 'verify') {
    const broken = await backups.verify(backup, onProgress, signal);
    if (broken.length === 0) return 'The backup is whole.';
    throw new Failure('invalid', broken.slice(0, 10).join(' '));
  }
  const removed = await backups.create(backup, onProgress, signal);
  return removed.backups === 0
    ? 'The backup is made.'
    : `The backup is made, and ${removed.backups} old ones are removed.`;
}
