// Writes git's pack format: whole objects, compressed with zlib, with a checksum at the end.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import type { NewObject, ObjectType } from './new-object.ts';

const TYPE_NUMBER: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };
/** Compressing more than this at once would delay other calls, so it happens on another thread. */
const MAX_SYNC_BYTES = 16 * 1024;
/** Smaller content is stored as it is: the compressor gains little, and takes a hundred times as long to begin. */
const MAX_STORED_BYTES = 128;
const CHUNK_BYTES = 64 * 1024;
const deflateOnThread = promisify(deflate);

/** The level is that of zlib: 0 stores, where the reader compresses anew anyway. */
export async function* packObjects(
  objects: readonly NewObject[],
  { level }: { level: number },
): AsyncGenerator<Buffer, void, void> {
  const checksum = createHash('sha1');
  const slice = new TimeSlice();
  const header = Buffer.alloc(12);
  header.write('PACK');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(objects.length, 8);
  let parts: Buffer[] = [header];
  let size = header.length;
  const join = () => {
    const chunk = Buffer.concat(parts, size);
    checksum.update(chunk);
    [parts, size] = [[], 0];
    return chunk;
  };
  for (const { type, bytes } of objects) {
    const packed = await compress(bytes, level);
    const entry = entryHeader(type, bytes.length);
    parts.push(entry, packed);
    size += entry.length + packed.length;
    if (size >= CHUNK_BYTES) yield join();
    if (slice.isOver) await slice.next();
  }
  yield join();
  yield checksum.digest();
}

function compress(bytes: Buffer, level: number): Buffer | Promise<Buffer> {
  if (bytes.length <= MAX_STORED_BYTES) return storeInZlib(bytes);
  return bytes.length > MAX_SYNC_BYTES ? deflateOnThread(bytes, { level }) : deflateSync(bytes, { level });
}

/** One block of zlib's format without compression. */
function storeInZlib(bytes: Buffer): Buffer {
  const stored = Buffer.allocUnsafe(7 + bytes.length + 4);
  stored.writeUInt16BE(0x7801);
  stored.writeUInt8(1, 2);
  stored.writeUInt16LE(bytes.length, 3);
  stored.writeUInt16LE(~bytes.length & 0xffff, 5);
  bytes.copy(stored, 7);
  // The checksum Adler-32. The sums of so few bytes need no modulo on the way.
  let [sum, sumOfSums] = [1, 0];
  for (const byte of bytes) {
    sum += byte;
    sumOfSums += sum;
  }
  stored.writeUInt16BE(sumOfSums % 65_521, 7 + bytes.length);
  stored.writeUInt16BE(sum % 65_521, 9 + bytes.length);
  return stored;
}

/** The type and the size: four bits of it, then seven in each further byte, the lowest first. */
function entryHeader(type: ObjectType, size: number): Buffer {
  const header: number[] = [];
  let byte = (TYPE_NUMBER[type] << 4) | (size & 0x0f);
  // Not with `>>>`, which would cut off sizes at 32 bits.
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    header.push(byte | 0x80);
    byte = rest % 128;
  }
  header.push(byte);
  return Buffer.from(header);
}
