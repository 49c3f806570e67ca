// What is stored of a log: reads it in pieces, from its chunks or its blob, and moves an ended one from chunks into a blob, and back when it goes on.
import { randomUUID } from 'node:crypto';
import type { Kernel } from '../../kernel/kernel.ts';
import {
  findLog,
  LOG_BLOB_PREFIX,
  LOG_CHANNEL,
  markLogEnded,
  reopenLog,
  replaceChunks,
  type StoredLog,
  listChunks,
  type LogChunk,
} from './store.ts';
import { LineIndexer } from './line-index.ts';
import { STAMP_BYTES } from './model.ts';

export type LogReads = Pick<Kernel, 'db' | 'blobs'>;

/** How often a blob may be missing because the log changes; more often, it is lost. */
const ATTEMPTS = 5;

/** The pieces of a log; nothing if there is none. */
export async function* readLog(kernel: LogReads, id: string, from = 0): AsyncGenerator<LogChunk> {
  const log = await findLog(kernel.db, id);
  if (log !== undefined) yield* readStored(kernel, log, from);
}

/**
 * The pieces from this position on, up to the end that the log had when `log` was read. A piece that begins after the end
 * of the one before it follows a gap. The log may move from its chunks into its blob meanwhile, or back.
 */
export async function* readStored(kernel: LogReads, log: StoredLog, from: number): AsyncGenerator<LogChunk> {
  const end = log.totalBytes;
  let position = from;
  let current: StoredLog | undefined = log;
  for (let attempts = 0; position < end && current !== undefined; attempts += 1) {
    const before = position;
    for await (const piece of piecesOf(kernel, current, position, end)) {
      if (piece.at >= end) return;
      yield piece;
      position = piece.at + piece.content.length;
    }
    if (position >= end) return;
    if (position > before) attempts = 0;
    const now = await findLog(kernel.db, log.id);
    // The end of a log in chunks may have been cut out, while what follows it is not stored yet.
    if (current.blob === undefined && now?.blob === undefined && position === before) return;
    if (attempts === ATTEMPTS) throw new Error(`The blob of the log ${log.id} is missing.`);
    current = now;
  }
}

function piecesOf(kernel: LogReads, log: StoredLog, from: number, end: number): AsyncGenerator<LogChunk> {
  return log.blob === undefined ? chunksOf(kernel, log, from, end) : blobOf(kernel, log, from);
}

/** Page by page, so that no transaction stays open while a slow client reads. */
async function* chunksOf(
  { db }: LogReads,
  { id }: StoredLog,
  from: number,
  end: number,
): AsyncGenerator<LogChunk> {
  for (let position = from; position < end;) {
    const page = await listChunks(db, id, position);
    if (page.length === 0) return;
    for (const chunk of page) {
      yield chunk;
      position = chunk.at + chunk.content.length;
    }
  }
}

async function* blobOf(
  { blobs }: LogReads,
  { blob, totalBytes }: StoredLog,
  from: number,
): AsyncGenerator<LogChunk> {
  const { key, bytes, headBytes } = blob!;
  const cut = totalBytes - bytes;
  const start = from <= headBytes ? from : Math.max(from - cut, headBytes);
  if (start >= bytes) return;
  const stored = await blobs.get(key, start === 0 ? undefined : { start, end: bytes - 1 });
  if (stored === undefined) return;
  let offset = start;
  let rest: Uint8Array = new Uint8Array();
  for await (const data of stored.stream() as AsyncIterable<Uint8Array>) {
    // A piece must not contain the gap.
    const head = offset < headBytes ? data.subarray(0, headBytes - offset) : data.subarray(0, 0);
    if (head.length > 0) yield { at: offset, content: head };
    offset += head.length;
    const after = data.subarray(head.length);
    const tail = rest.length === 0 ? after : Buffer.concat([rest, after]);
    // The first piece after the gap has at least the time of its line.
    const isShort = tail.length === 0 || (offset === headBytes && tail.length < STAMP_BYTES);
    rest = isShort ? tail : tail.subarray(0, 0);
    if (isShort) continue;
    yield { at: offset + cut, content: tail };
    offset += tail.length;
  }
  if (rest.length > 0) yield { at: offset + cut, content: rest };
}

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
    const blob = { key, bytes: size, headBytes: content.headBytes, lines: content.lines.end(log) };
    const isReplaced = await replaceChunks(engine, log, blob);
    if (!isReplaced) await blobs.delete(key);
  } catch (error) {
    serverLog.warn({ err: error, id }, 'cannot write the blob of a log; will try again');
  }
}

/** Finds the end of the part before the gap, and where the lines are, while the pieces of a log pass. */
class KeptContent {
  readonly lines = new LineIndexer();
  headBytes = 0;

  async *of(pieces: ReturnType<typeof readLog>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      const { at, content } = piece;
      this.lines.add(piece);
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
