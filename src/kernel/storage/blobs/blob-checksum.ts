// Checksums of blobs: computed while a blob is written, and verified while the whole of it is read.
import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { readableFrom } from '../../network/streams.ts';
import type { StoredBlob } from './blob.ts';

/** Larger blobs are hashed in parts of this size, as S3 does with uploads in parts. */
export const BLOB_PART_BYTES: number = 8 * 1024 * 1024;
/** Blobs up to this size are verified before any byte is returned. */
const COMPARED_FIRST_BYTES = 1024 * 1024;
/** Bytes hashed at once, so that the event loop is not blocked. */
const HASH_BYTES = 1024 * 1024;

/** The bytes read differ from the bytes written. */
export class DamagedBlob extends Error {
  constructor(key: string) {
    super(`The blob ${key} is damaged: what is there now has another checksum than what was written.`);
  }
}

/**
 * The SHA-256 in base64. For several parts it is the hash of the parts' hashes, followed by their number: the format
 * of S3.
 */
export class Checksum {
  readonly #parts: Buffer[] = [];
  #hash = createHash('sha256');
  #size = 0;

  update(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#size === BLOB_PART_BYTES) {
        this.#parts.push(this.#hash.digest());
        [this.#hash, this.#size] = [createHash('sha256'), 0];
      }
      const piece = bytes.subarray(at, at + Math.min(HASH_BYTES, BLOB_PART_BYTES - this.#size));
      this.#hash.update(piece);
      this.#size += piece.length;
      at += piece.length;
    }
  }

  digest(): string {
    return checksumOf([...this.#parts, this.#hash.digest()]);
  }
}

/** The checksum of a blob from the hashes of its parts. */
export function checksumOf(parts: readonly Buffer[]): string {
  if (parts.length === 1) return parts[0]!.toString('base64');
  return `${createHash('sha256').update(Buffer.concat(parts)).digest('base64')}-${parts.length}`;
}

/** That of bytes whose SHA-256 is known in hexadecimal; undefined for those that are hashed in parts. */
export function checksumOfHash(hash: string, size: number): string | undefined {
  return size > BLOB_PART_BYTES ? undefined : Buffer.from(hash, 'hex').toString('base64');
}

/** Verifies a small blob at once; the stream of a larger, damaged one fails before its last piece. */
export async function verifyBlob(blob: StoredBlob, key: string, expected: string): Promise<StoredBlob> {
  if (blob.size > COMPARED_FIRST_BYTES) {
    const { stream } = blob;
    return { ...blob, stream: () => stream().compose(new Comparison(key, expected)) };
  }
  const bytes = await buffer(blob.stream());
  const actual = new Checksum();
  actual.update(bytes);
  if (actual.digest() !== expected) throw new DamagedBlob(key);
  return {
    size: bytes.length,
    stream: () => readableFrom([bytes]),
    close: async () => {},
  };
}

class Comparison extends Transform {
  readonly #key: string;
  readonly #expected: string;
  readonly #actual = new Checksum();
  #last: Uint8Array | undefined;

  constructor(key: string, expected: string) {
    super();
    this.#key = key;
    this.#expected = expected;
  }

  override _transform(piece: Uint8Array, _encoding: string, done: TransformCallback): void {
    this.#actual.update(piece);
    const before = this.#last;
    this.#last = piece;
    done(null, before);
  }

  override _flush(done: TransformCallback): void {
    if (this.#actual.digest() === this.#expected) done(null, this.#last);
    else done(new DamagedBlob(this.#key));
  }
}
