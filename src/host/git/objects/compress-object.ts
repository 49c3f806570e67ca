// Compresses the content of objects with zlib, as packs and loose objects have it.
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';

/** Compressing more than this at once would delay other calls, so it happens on another thread. */
const MAX_SYNC_BYTES = 16 * 1024;
/** Smaller content is stored as it is: the compressor gains little, and takes a hundred times as long to begin. */
const MAX_STORED_BYTES = 128;
const deflateOnThread = promisify(deflate);

/** The level is that of zlib: 0 stores. */
export function compressObject(bytes: Buffer, level: number): Buffer | Promise<Buffer> {
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
