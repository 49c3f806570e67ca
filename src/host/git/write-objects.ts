// Stores the new objects of one change, all with one process, durably.
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../kernel/failure.ts';
import { syncFolder } from '../../kernel/storage/disk/sync-folder.ts';
import { GitError } from './git-process.ts';
import { runChange, type GitTarget } from './git-target.ts';
import type { NewObject } from './new-object.ts';
import { packObjects } from './pack.ts';

const MAX_BYTES = 256 * 1024 * 1024;
/** Above either, a pack is cheaper: git makes every loose object durable by itself. But many small packs slow down reads. */
const MAX_LOOSE = { objects: 12, bytes: 8 * 1024 * 1024 };
const TIMEOUT_MS = 120_000;
const MAX_OUTPUT = 1024;

/**
 * Objects may refer to each other, in any order, and to those that the repository has. Git checks that all of these
 * exist. Of a small change that it refuses, unreferenced blobs remain until the repository is cleaned up.
 */
export async function writeObjects(target: GitTarget, objects: readonly NewObject[]): Promise<void> {
  const distinct = [...new Map(objects.map((object) => [object.oid, object])).values()];
  if (distinct.length === 0) return;
  const bytes = distinct.reduce((sum, object) => sum + object.bytes.length, 0);
  if (bytes > MAX_BYTES)
    throw new Failure('too-large', `One change can store at most ${MAX_BYTES} bytes. Split it into several.`);
  try {
    const isSmall = distinct.length <= MAX_LOOSE.objects && bytes <= MAX_LOOSE.bytes;
    await (isSmall ? writeLoose(target, distinct) : writePack(target, distinct));
  } catch (error) {
    throw error instanceof GitError ? (refusalOf(error) ?? error) : error;
  }
}

async function writeLoose(target: GitTarget, objects: readonly NewObject[]): Promise<void> {
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

/** A reader takes a pack into account when it sees its index, so that comes last. */
async function publishPacks(from: string, to: string): Promise<void> {
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
  const reason = rule ?? 'it refers to an object that does not exist or is of another type';
  return new Failure('invalid', `Git refuses a new object: ${reason}.`, { cause: error });
}
