// Splits a stream of JSON lines into batches that one call can push. The texts of items stay as they are.
import { RemoteError } from './remote-error.ts';

const NEWLINE = 0x0a;
const BATCH_ITEMS = 1000;
const BATCH_BYTES = 2 * 1024 * 1024;

export interface ItemBatch {
  /** A JSON array. */
  text: string;
  count: number;
}

export async function* batchLines(content: AsyncIterable<Uint8Array>): AsyncGenerator<ItemBatch, void> {
  let [lines, bytes]: [string[], number] = [[], 0];
  const take = (): ItemBatch => {
    const batch = { text: `[${lines.join(',')}]`, count: lines.length };
    [lines, bytes] = [[], 0];
    return batch;
  };
  for await (const line of splitLines(content)) {
    if (lines.length > 0 && bytes + line.length > BATCH_BYTES) yield take();
    lines.push(line.toString('utf8'));
    bytes += line.length;
    if (lines.length >= BATCH_ITEMS) yield take();
  }
  if (lines.length > 0) yield take();
}

async function* splitLines(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  let parts: Uint8Array[] = [];
  try {
    for await (const chunk of content) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
        [parts, start] = [[], end + 1];
        if (line.length > 0) yield line;
      }
      if (start < chunk.length) parts.push(chunk.subarray(start));
    }
  } catch (error) {
    throw error instanceof RemoteError ? error : RemoteError.broken(error);
  }
  const last = Buffer.concat(parts);
  if (last.length > 0) yield last;
}
