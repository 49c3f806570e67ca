// Moves an ended log from chunks into one blob, and back when it goes on.
import { randomUUID } from 'node:crypto';
import type { Kernel } from '../../kernel/kernel.ts';
import { readLog } from './read-log.ts';
import {
  findLog,
  LOG_BLOB_PREFIX,
  LOG_CHANNEL,
  markLogEnded,
  reopenLog,
  replaceChunks,
  type StoredLog,
} from './store.ts';

/** Ends a log whose writer is closed, for its followers, too. */
export async function finishLog(kernel: Kernel, id: string): Promise<void> {
  await markLogEnded(kernel.db, id);
  await publishLogEnd(kernel, id);
}

/** After a log was marked as ended: wakes its followers, and packs it. */
export async function publishLogEnd(kernel: Kernel, id: string): Promise<void> {
  await kernel.engine.notify(LOG_CHANNEL, id);
  await packLog(kernel, id);
}

/**
 * Readers find the chunks or the blob at any time: the blob is written first, then one commit refers to it and deletes the
 * chunks. If the blob cannot be written, the log stays in chunks until the next sweep.
 */
export async function packLog(kernel: Kernel, id: string): Promise<void> {
  const { db, engine, blobs, log: serverLog } = kernel;
  try {
    const log = await findLog(db, id);
    if (log === undefined || !log.isEnded || log.isPacked) return;
    if (log.totalBytes === 0) {
      await replaceChunks(engine, log, undefined);
      return;
    }
    const key = `${LOG_BLOB_PREFIX}${id}/${randomUUID()}`;
    const content = new KeptContent();
    const { size } = await blobs.put(key, content.of(readLog(kernel, id)));
    const isReplaced = await replaceChunks(engine, log, { key, bytes: size, headBytes: content.headBytes });
    if (!isReplaced) await blobs.delete(key);
  } catch (error) {
    serverLog.warn({ err: error, id }, 'cannot write the blob of a log; will try again');
  }
}

/** Finds the end of the part before the gap, while the pieces of a log pass. */
class KeptContent {
  headBytes = 0;

  async *of(pieces: ReturnType<typeof readLog>): AsyncGenerator<Uint8Array> {
    for await (const { at, content } of pieces) {
      if (at === this.headBytes) this.headBytes += content.length;
      yield content;
    }
  }
}

/** The log with its content in chunks and not ended; undefined if there is none. */
export async function unpackLog(kernel: Kernel, id: string): Promise<StoredLog | undefined> {
  for (;;) {
    const log = await findLog(kernel.db, id);
    if (log === undefined || !log.isEnded) return log;
    const kept = await readKept(kernel, log);
    if (kept === undefined) continue;
    await reopenLog(kernel.engine, log, kept, kernel.clock.now());
  }
}

/** At most as much as a log may have. Undefined if the blob is gone, because the log has changed. */
async function readKept({ blobs }: Kernel, { blob }: StoredLog) {
  if (blob === undefined) return { head: new Uint8Array(), tail: new Uint8Array() };
  const stored = await blobs.get(blob.key);
  if (stored === undefined) return undefined;
  const content = Buffer.concat(await stored.stream().toArray());
  return { head: content.subarray(0, blob.headBytes), tail: content.subarray(blob.headBytes) };
}
