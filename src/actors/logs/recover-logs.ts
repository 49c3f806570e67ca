// Completes the logs that a dead server of this node has left: the rest of their files, and their end.
import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { DueHandler } from '../../kernel/jobs/due-store.ts';
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { LogFile } from './log-file.ts';
import { finishLog, packLog, unpackLog } from './stored-log.ts';
import { isLogFinished, listFinishedLogs, listLogsInChunks } from './store-recovery.ts';
import { DELETE_LOG_BLOB, deleteLogFile, findLog, findLogFile, listLogFiles } from './store.ts';

const SWEEP_MS = 10 * 60 * 1000;
const BATCH_SIZE = 100;
/** Files that are completed at the same time share commits. */
const TOGETHER = 16;

/**
 * At the start of a server, once all programs that an earlier one has left are dead. It may be called again at any time:
 * files that this server writes are left alone. Files of other nodes are not found here, and stay for them.
 */
export async function recoverLogs(kernel: Kernel): Promise<void> {
  const { db, services, log } = kernel;
  const files = await listLogFiles(db);
  const left = files.filter(({ file }) => !services.logFiles.isFollowed(file));
  for (const some of chunk(left, TOGETHER)) {
    await Promise.all(
      some.map(({ log_id: id, file }) =>
        recoverLogFile(kernel, id, file).catch((error: unknown) => {
          log.error({ err: error, id, file }, 'cannot store the rest of a log');
        }),
      ),
    );
  }
}

/**
 * Stores what the file has from its stored position on, and deletes it. The build or run may have gone on elsewhere, or have
 * finished; in the latter case the log is ended. The lines get the time of the last write to the file.
 */
async function recoverLogFile(kernel: Kernel, id: string, file: string): Promise<void> {
  const { db, engine, services, settings } = kernel;
  const path = join(settings.execution.work, file);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) {
    // With one server there is no other node that could have it.
    if (!engine.isShared) await deleteLogFile(db, id, file);
    return;
  }
  const [before, stored] = [await findLog(db, id), await findLogFile(db, id, file)];
  const isEnded = before?.isEnded === true;
  if (isEnded && stored?.position === stats.size) {
    await deleteLogFile(db, id, file);
    await rm(path, { force: true });
    return;
  }
  const log = await unpackLog(kernel, id);
  if (log === undefined || stored === undefined) return;
  const { position } = stored;
  const now = () => Math.floor(stats.mtimeMs);
  const left = new LogFile({ id, name: file, path, position, totalBytes: log.totalBytes, now }, 'reopen');
  const how = isEnded || (await isLogFinished(db, id)) ? 'end' : 'close';
  await services.logFiles.finish(left, how);
  if (how === 'end') await packLog(kernel, id);
}

/** Ends the logs of builds and runs that have finished without an end of their log, and packs what could not be packed. */
export function logSweep(kernel: Kernel): RecurringWork {
  return { kind: 'logs.sweep', everyMs: SWEEP_MS, run: (signal) => endLeftLogs(kernel, signal) };
}

/** A server that still writes to one of them has had ten minutes. */
async function endLeftLogs(kernel: Kernel, signal: AbortSignal): Promise<void> {
  const { db, clock } = kernel;
  const finishedBefore = clock.now() - SWEEP_MS;
  for (let after = ''; ;) {
    const logs = await listLogsInChunks(db, after, BATCH_SIZE);
    if (logs.length === 0) return;
    const open = logs.filter(({ isEnded }) => !isEnded).map(({ id }) => id);
    const finished = await listFinishedLogs(db, open, finishedBefore);
    for (const { id, isEnded } of logs) {
      signal.throwIfAborted();
      if (!isEnded && !finished.has(id)) continue;
      await finishLog(kernel, id);
    }
    after = logs.at(-1)!.id;
  }
}

export function logHandlers({ blobs }: Kernel): Record<string, DueHandler> {
  return { [DELETE_LOG_BLOB]: ({ payload }) => blobs.delete(payload) };
}
