// Writes the members of a big segment to a file, and deletes the file when it expires.
import { finish, type Due, type DueHandler } from '../../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { HEADING, formatRecord, type FileRecord } from '../imports/csv-file.ts';
import { findSegmentById } from '../store.ts';
import {
  completeExport,
  deleteExport,
  EXPORT_END_WORK,
  EXPORT_WORK,
  exportFile,
  findExport,
  streamMembers,
  scheduleEnd,
} from './store.ts';

export function exportHandlers(kernel: Kernel): Record<string, DueHandler> {
  return {
    [EXPORT_WORK]: (due, signal) => writeFile(kernel, due, signal),
    [EXPORT_END_WORK]: async ({ payload: id }) => {
      await deleteExport(kernel.db, id);
      await kernel.blobs.delete(exportFile(id));
    },
  };
}

/** A file is stored completely or not at all; after a crash it is written again. */
async function writeFile({ db, blobs, clock }: Kernel, due: Due, signal: AbortSignal): Promise<void> {
  const id = due.payload;
  const found = await findExport(db, id);
  const segment = found && (await findSegmentById(db, found.segmentId));
  if (segment === undefined) return await scheduleEnd(db, id, clock.now(), 0);
  const isTyped = segment.excludedCount > 0;
  const { size } = await blobs.put(exportFile(id), toBytes(streamMembers(db, segment.id, signal), isTyped));
  await db.transaction().execute(async (tx) => {
    const isThere = await completeExport(tx, id, size);
    if (!(await finish(tx, due))) throw new Error('The work is no longer ours.');
    await scheduleEnd(tx, id, clock.now(), isThere ? undefined : 0);
  });
}

/** Without the heading a file cannot express excluded contexts. It is left out if there were none at the start. */
async function* toBytes(
  pages: AsyncIterable<FileRecord[]>,
  isTyped: boolean,
): AsyncGenerator<Uint8Array, void> {
  if (isTyped) yield Buffer.from(`${HEADING}\n`);
  for await (const records of pages) {
    const shown = isTyped ? records : records.filter(({ type }) => type === 'included');
    yield Buffer.from(shown.map((record) => formatRecord(record, isTyped)).join(''));
  }
}
