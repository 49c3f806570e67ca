// Writes git's pack format: whole objects, compressed with zlib, with a checksum at the end.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';
import type { NewObject, ObjectType } from './new-object.ts';

const TYPE_NUMBER: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };
/** Compressing more than this at once would delay other calls, so it happens on another thread. */
const MAX_SYNC_BYTES = 16 * 1024;
const deflateOnThread = promisify(deflate);

/** The level is that of zlib: 0 stores, where the reader compresses anew anyway. */
export async function* packObjects(
  objects: readonly NewObject[],
  { level }: { level: number },
): AsyncGenerator<Buffer, void, void> {
  const checksum = createHash('sha1');
  const header = Buffer.alloc(12);
  header.write('PACK');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(objects.length, 8);
  checksum.update(header);
  yield header;
  for (const { type, bytes } of objects) {
    const packed =
      bytes.length > MAX_SYNC_BYTES ? await deflateOnThread(bytes, { level }) : deflateSync(bytes, { level });
    for (const part of [entryHeader(type, bytes.length), packed]) {
      checksum.update(part);
      yield part;
    }
  }
  yield checksum.digest();
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
