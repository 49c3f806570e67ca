// New objects in a folder of their own, until a change is complete: then they come to the repository, or nothing of them remains.
import { mkdir, mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PRIVATE_FOLDER } from '../../../kernel/storage/disk/private-files.ts';
import { syncFolder } from '../../../kernel/storage/disk/sync-folder.ts';
import { runChange, type GitTarget } from '../git-target.ts';
import { compressObject } from '../objects/compress-object.ts';
import { looseContent, looseFileOf, OBJECT_MODE } from '../objects/loose-objects.ts';
import type { NewObject } from '../objects/new-object.ts';
import { publishPacks } from '../objects/write-objects.ts';

/** A repository that git reads as ever, and whose new objects go to the quarantine. */
export type QuarantinedTarget = GitTarget & { quarantine: string };

/** Above that a pack is cheaper than files that are each made durable. Git has the same limit for pushes. */
const MAX_LOOSE = 100;
const SYNCS_AT_ONCE = 8;
const PACK_TIMEOUT_MS = 120_000;
const MAX_OUTPUT = 1024;
/** Of zlib: git's own for single objects. */
const LEVEL = 1;
const OBJECT_FOLDER = /^[0-9a-f]{2}$/;
const OBJECT_FILE = /^[0-9a-f]{38}$/;

/**
 * However `work` ends, the quarantine is gone afterwards. What a crash of the server leaves is no part of the repository,
 * and its maintenance deletes it by its name.
 */
export async function inQuarantine<Result>(
  target: GitTarget,
  work: (target: QuarantinedTarget) => Promise<Result>,
): Promise<Result> {
  const quarantine = await mkdtemp(join(target.folder, 'objects', 'tmp_objdir-merge-'));
  try {
    const { program, folder, alternates, signal } = target;
    return await work({
      program,
      folder,
      quarantine,
      ...(alternates && { alternates }),
      ...(signal && { signal }),
    });
  } finally {
    await rm(quarantine, { recursive: true, force: true });
  }
}

/** Without a process of git: the object refers to others that are already there. */
export async function addObject({ quarantine }: QuarantinedTarget, object: NewObject): Promise<void> {
  const file = join(quarantine, looseFileOf(object.oid));
  await mkdir(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  await writeFile(file, await compressObject(looseContent(object), LEVEL), { mode: OBJECT_MODE });
}

export async function removeObjects(
  { quarantine }: QuarantinedTarget,
  oids: Iterable<string>,
): Promise<void> {
  for (const oid of oids) await rm(join(quarantine, looseFileOf(oid)), { force: true });
}

/** Moves all objects of the quarantine to the repository, where no reference leads to them yet. Durable once resolved. */
export async function publishObjects(target: QuarantinedTarget): Promise<void> {
  const { folder, quarantine } = target;
  const packs = join(quarantine, 'pack');
  await mkdir(packs, { recursive: true, mode: PRIVATE_FOLDER });
  const loose = await listLoose(quarantine);
  if (loose.length > MAX_LOOSE) await packLoose(target, loose);
  else await publishLoose(quarantine, join(folder, 'objects'), loose);
  await publishPacks(packs, join(folder, 'objects', 'pack'));
}

export async function listLoose(quarantine: string): Promise<string[]> {
  const found: string[] = [];
  for (const folder of await readdir(quarantine)) {
    if (!OBJECT_FOLDER.test(folder)) continue;
    const names = await readdir(join(quarantine, folder));
    found.push(...names.filter((name) => OBJECT_FILE.test(name)).map((name) => `${folder}${name}`));
  }
  return found;
}

/** Without a search for deltas, which the next maintenance of the repository makes up for. */
async function packLoose(target: QuarantinedTarget, oids: readonly string[]): Promise<void> {
  const args = ['pack-objects', '--quiet', '--window=0', join(target.quarantine, 'pack', 'pack')];
  await runChange(target, args, {
    input: oids.map((oid) => `${oid}\n`).join(''),
    work: 'transfer',
    timeoutMs: PACK_TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
  });
}

async function publishLoose(from: string, to: string, oids: readonly string[]): Promise<void> {
  for (let start = 0; start < oids.length; start += SYNCS_AT_ONCE)
    await Promise.all(
      oids.slice(start, start + SYNCS_AT_ONCE).map((oid) => syncFile(join(from, looseFileOf(oid)))),
    );
  const folders = new Set(oids.map((oid) => oid.slice(0, 2)));
  for (const folder of folders) await mkdir(join(to, folder), { recursive: true, mode: PRIVATE_FOLDER });
  for (const oid of oids) await rename(join(from, looseFileOf(oid)), join(to, looseFileOf(oid)));
  for (const folder of folders) await syncFolder(join(to, folder));
  // Some of the folders may be new.
  await syncFolder(to);
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
