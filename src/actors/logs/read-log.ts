// Reads what is stored of a log, from its chunks or its blob, in pieces.
import type { Kernel } from '../../kernel/kernel.ts';
import { findLog, listChunks, type Log, type LogChunk } from './store.ts';

/** The number of times that a blob may be missing because the log changes; more often, it is lost. */
const ATTEMPTS = 5;

/**
 * The pieces from this position on, up to what is stored when reading begins. A piece that begins after the end of the
 * one before it follows a gap. The log may move from its chunks into its blob meanwhile.
 */
export async function* readLog(
  kernel: Pick<Kernel, 'db' | 'blobs'>,
  id: string,
  from = 0,
): AsyncGenerator<LogChunk> {
  const { db } = kernel;
  let position = from;
  let end: number | undefined;
  for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
    const log = await findLog(db, id);
    if (log === undefined) return;
    end ??= log.totalBytes;
    const source = log.blob === undefined ? chunksOf(db, id, position) : blobOf(kernel, log, position);
    for await (const piece of source) {
      if (piece.at >= end) return;
      yield piece;
      position = piece.at + piece.content.length;
      attempts = 0;
    }
    if (position >= end) return;
  }
  throw new Error(`The log ${id} has ended at ${position} bytes instead of ${end}.`);
}

/** Page by page, so that no transaction stays open while a slow client reads. */
async function* chunksOf(db: Kernel['db'], id: string, from: number): AsyncGenerator<LogChunk> {
  for (let position = from; ;) {
    const page = await listChunks(db, id, position);
    if (page.length === 0) return;
    for (const chunk of page) {
      yield chunk;
      position = chunk.at + chunk.content.length;
    }
  }
}

async function* blobOf(
  { blobs }: Pick<Kernel, 'blobs'>,
  { blob, totalBytes }: Log,
  from: number,
): AsyncGenerator<LogChunk> {
  const { key, bytes, headBytes } = blob!;
  const cut = totalBytes - bytes;
  const start = from <= headBytes ? from : Math.max(from - cut, headBytes);
  if (start >= bytes) return;
  const stored = await blobs.get(key, start === 0 ? undefined : { start, end: bytes - 1 });
  if (stored === undefined) return;
  let offset = start;
  for await (const data of stored.stream() as AsyncIterable<Uint8Array>) {
    // A piece must not contain the gap.
    const head = offset < headBytes ? data.subarray(0, headBytes - offset) : data.subarray(0, 0);
    if (head.length > 0) yield { at: offset, content: head };
    const tail = data.subarray(head.length);
    if (tail.length > 0) yield { at: offset + head.length + cut, content: tail };
    offset += data.length;
  }
}
