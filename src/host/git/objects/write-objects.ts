// Stores the new objects of one change, durably: plain ones in this process, others by one process of git. ADR 0163.
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../../kernel/failure.ts';
import { syncFolder } from '../../../kernel/storage/disk/sync-folder.ts';
import { TimeSlice } from '../../../kernel/yield-to-event-loop.ts';
import { GitError } from '../process/git-process.ts';
import { runChange, type GitTarget } from '../git-target.ts';
import { GitRepository } from '../repository.ts';
import { compressObject } from './compress-object.ts';
import { writeLooseObjects } from './loose-objects.ts';
import type { NewObject, ObjectType } from './new-object.ts';

const MAX_BYTES = 256 * 1024 * 1024;
/** Above either, a pack is cheaper: git makes every loose object durable by itself. But many small packs slow down reads. */
const MAX_LOOSE = { objects: 12, bytes: 8 * 1024 * 1024 };
const TIMEOUT_MS = 120_000;
const MAX_OUTPUT = 1024;

/**
 * Objects may refer to each other, in any order, and to those that the repository has: all of these must exist. Of a
 * small change that git refuses, unreferenced blobs remain until the repository is cleaned up.
 */
export async function writeObjects(target: GitTarget, objects: readonly NewObject[]): Promise<void> {
  const distinct = [...new Map(objects.map((object) => [object.oid, object])).values()];
  if (distinct.length === 0) return;
  const bytes = distinct.reduce((sum, object) => sum + object.bytes.length, 0);
  if (bytes > MAX_BYTES)
    throw new Failure('too-large', `One change can store at most ${MAX_BYTES} bytes. Split it into several.`);
  try {
    const isSmall = distinct.length <= MAX_LOOSE.objects && bytes <= MAX_LOOSE.bytes;
    if (!isSmall) await writePack(target, distinct);
    else if (target instanceof GitRepository && distinct.every(({ links }) => links !== undefined))
      await writePlain(target, distinct);
    else await unpackLoose(target, distinct);
  } catch (error) {
    throw error instanceof GitError ? (refusalOf(error) ?? error) : error;
  }
}

/** Whether they exist is asked anew: maintenance may have deleted what was read before. */
async function writePlain(repository: GitRepository, objects: readonly NewObject[]): Promise<void> {
  const fresh = new Map(objects.map(({ oid, type }) => [oid, type]));
  const links = objects.flatMap((object) => object.links ?? []);
  if (links.some(({ oid, type }) => fresh.has(oid) && fresh.get(oid) !== type)) throw missingLink();
  const others = links.filter(({ oid }) => !fresh.has(oid));
  const { pool } = repository.services;
  const answers = await pool.requestAll(
    repository.folder,
    'info',
    others.map(({ oid }) => oid),
  );
  const isThere = (index: number) => {
    const answer = answers[index];
    return typeof answer === 'object' && answer.type === others[index]!.type;
  };
  if (!others.every((_link, index) => isThere(index))) throw missingLink();
  await writeLooseObjects(join(repository.folder, 'objects'), objects);
  repository.remember(objects);
}

async function unpackLoose(target: GitTarget, objects: readonly NewObject[]): Promise<void> {
  // Git compresses the objects anew.
  const input = packObjects(objects, { level: 0 });
  await runChange(target, ['unpack-objects', '-q', '--strict'], {
    input,
    timeoutMs: TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
  });
}

/** Git leaves its temporary file where it refuses a pack or is killed, so it works in a folder that is removed. */
async function writePack(target: GitTarget, objects: readonly NewObject[]): Promise<void> {
  const quarantine = await mkdtemp(join(target.folder, 'objects', 'tmp_objdir-new-'));
  try {
    await runChange({ ...target, quarantine }, ['index-pack', '--stdin', '--fix-thin', '--strict'], {
      input: packObjects(objects, { level: 6 }),
      work: 'transfer',
      timeoutMs: TIMEOUT_MS,
      maxOutput: MAX_OUTPUT,
    });
    await publishPacks(join(quarantine, 'pack'), join(target.folder, 'objects', 'pack'));
  } finally {
    await rm(quarantine, { recursive: true, force: true });
  }
}

/** Durable once resolved. A reader takes a pack into account when it sees its index, so that comes last. */
export async function publishPacks(from: string, to: string): Promise<void> {
  const names = (await readdir(from)).filter((name) => name.startsWith('pack-'));
  names.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')));
  for (const name of names) await rename(join(from, name), join(to, name));
  await syncFolder(to);
}

const REFUSED =
  /unexpected type|expected object|is a \w+, not a|expected type|invalid (?:commit|tree|tag)|reachable|fsck error/;

/** Undefined where git failed for another reason than the content of the objects, such as a full disk. */
function refusalOf(error: GitError): Failure | undefined {
  if (!REFUSED.test(error.stderr)) return undefined;
  const rule = /object [0-9a-f]{40}: (\w+: .*)/.exec(error.stderr)?.[1];
  return rule === undefined
    ? missingLink(error)
    : new Failure('invalid', `Git refuses a new object: ${rule}.`, { cause: error });
}

function missingLink(cause?: unknown): Failure {
  return new Failure(
    'invalid',
    'Git refuses a new object: it refers to an object that does not exist or is of another type.',
    { cause },
  );
}

const TYPE_NUMBER: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const CHUNK_BYTES = 64 * 1024;

/**
 * Git's pack format: whole objects, compressed with zlib, with a checksum at the end. The level is that of zlib: 0
 * stores, where the reader compresses anew anyway.
 */
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
  const takeChunk = () => {
    const chunk = Buffer.concat(parts, size);
    checksum.update(chunk);
    [parts, size] = [[], 0];
    return chunk;
  };
  for (const { type, bytes } of objects) {
    const packed = await compressObject(bytes, level);
    const entry = entryHeader(type, bytes.length);
    parts.push(entry, packed);
    size += entry.length + packed.length;
    if (size >= CHUNK_BYTES) yield takeChunk();
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  yield takeChunk();
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
