// Where the bytes of a backup go and come from: a single file or a folder, by content.
import { createHash } from 'node:crypto';
import { Failure } from '../failure.ts';
import type { BackupManifest, ObjectRef } from './manifest.ts';

/** A piece may be valid only until the next is asked for: who keeps it, copies it. */
export type ByteStream = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface BackupWriter {
  /** `open` may be called twice: bytes that are there already are not written again. */
  put(open: () => ByteStream | Promise<ByteStream>): Promise<ObjectRef>;
  /** The newest backup in the same place; what has not changed since need not be read. */
  previous?(): Promise<BackupReader | undefined>;
  /** Takes what an earlier backup has put; false where it is not there any more. */
  reuse?(ref: ObjectRef): Promise<boolean>;
  /** Durable once resolved: only then there is a backup. */
  finish(manifest: BackupManifest): Promise<void>;
  /** Removes what is incomplete. */
  abandon(): Promise<void>;
  /** How many bytes it has written, and how many it did not have to write. */
  readonly written: number;
  readonly reused: number;
}

export interface BackupReader {
  /** Checked against its own checksum, not against its schema. */
  manifest(): Promise<unknown>;
  /** Fails where the bytes are not those that were put. */
  open(ref: ObjectRef): AsyncGenerator<Uint8Array, void, void>;
  close(): Promise<void>;
}

/** For bytes that are missing or not what they were. */
export class DamagedBackup extends Failure {
  constructor(message: string, cause?: unknown) {
    super('invalid', message, cause === undefined ? {} : { cause });
  }
}

/** Passes the bytes on, and throws at their end where they are not those of the reference. */
export async function* verified(
  bytes: ByteStream,
  { hash, size }: ObjectRef,
): AsyncGenerator<Uint8Array, void, void> {
  const sum = createHash('sha256');
  let length = 0;
  for await (const chunk of bytes) {
    sum.update(chunk);
    length += chunk.byteLength;
    if (length > size) break;
    yield chunk;
  }
  if (length !== size || sum.digest('hex') !== hash)
    throw new DamagedBackup('the bytes are not those that were written');
}

/** The bytes with their hash and their size, which are known when all have passed. */
export function measured(bytes: ByteStream): {
  bytes: AsyncGenerator<Uint8Array, void, void>;
  ref(): ObjectRef;
} {
  const sum = createHash('sha256');
  let size = 0;
  async function* pass(): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of bytes) {
      sum.update(chunk);
      size += chunk.byteLength;
      yield chunk;
    }
  }
  let ref: ObjectRef | undefined;
  return { bytes: pass(), ref: () => (ref ??= { hash: sum.digest('hex'), size }) };
}

export async function collect(bytes: ByteStream): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
