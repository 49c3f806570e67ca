// Checksums of blobs: made while one is written, and compared while it is read as a whole.
import { createHash } from 'node:crypto';
import { Readable, Transform, type TransformCallback } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { StoredBlob } from './blob.ts';

/** What is larger is hashed in parts of this size, as object storage does with what comes in parts. */
export const BLOB_PART_BYTES: number = 8 * 1024 * 1024;
/** Up to this size a blob is compared before any of it is given out. */
const COMPARED_FIRST_BYTES = 1024 * 1024;
/** So much is hashed at once: the event loop must not stand still for it. */
const HASH_BYTES = 1024 * 1024;

/** What was read is not what was written. */
export class DamagedBlob extends Error {
  constructor(key: string) {
    super(`The blob ${key} is damaged: what is there now has another checksum than what was written.`);
  }
}

/**
 * The SHA-256 in base64. Of more than one part it is that of the hashes of all parts, with their number behind it: the
 * form in which S3 keeps it.
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

/** Of a whole, by the hashes of its parts. */
export function checksumOf(parts: readonly Buffer[]): string {
  if (parts.length === 1) return parts[0]!.toString('base64');
  return `${createHash('sha256').update(Buffer.concat(parts)).digest('base64')}-${parts.length}`;
}

/** A small blob is compared at once. A larger one breaks off before its last piece when it is not what was written. */
export async function compared(blob: StoredBlob, key: string, expected: string): Promise<StoredBlob> {
  if (blob.size > COMPARED_FIRST_BYTES) {
    const { size, stream, close } = blob;
    return { size, close, stream: () => stream().compose(new Comparison(key, expected)) };
  }
  const bytes = await buffer(blob.stream());
  const actual = new Checksum();
  actual.update(bytes);
  if (actual.digest() !== expected) throw new DamagedBlob(key);
  return {
    size: bytes.length,
    stream: () => Readable.from([bytes], { objectMode: false }),
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
