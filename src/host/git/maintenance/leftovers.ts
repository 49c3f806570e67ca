// What processes of git that were killed leave in a repository, found and removed: temporary files, quarantines of pushes, and locks.
import { randomUUID } from 'node:crypto';
import { opendir, rm, stat, link, rename, readdir } from 'node:fs/promises';
import { join, normalize, relative } from 'node:path';
import { systemClock } from '../../../kernel/clock.ts';

/** No process of git lives this long without touching its files. */
const STALE_MS = 24 * 60 * 60 * 1000;
/** A lock is held only while a small file is written. */
const STALE_LOCK_MS = 60 * 60 * 1000;

/** The folders that are looked through, with everything below `refs`. */
const FOLDERS = ['', 'objects', 'objects/pack', 'objects/info', 'objects/info/commit-graphs'];
const LOOSE = Array.from({ length: 256 }, (_, byte) => `objects/${byte.toString(16).padStart(2, '0')}`);
const TEMPORARY = /^(?:tmp_|\.tmp-|incoming-|stale-lock-|gc\.pid$)/;
const LOCK = /\.lock$/;

/** The paths of stale ones, from the folder of the repository on. */
export async function findLeftovers(folder: string, now: number): Promise<string[]> {
  const found: string[] = [];
  for (const place of [...FOLDERS, ...LOOSE]) found.push(...(await staleIn(folder, place, now)));
  found.push(...(await staleBelow(folder, 'refs', now)));
  return found;
}

/** Returns how many there were. Other nodes may remove the same ones. */
export async function removeLeftovers(folder: string, now: number): Promise<number> {
  const found = await findLeftovers(folder, now);
  for (const path of found) await rm(join(folder, path), { recursive: true, force: true });
  return found.length;
}

async function staleBelow(folder: string, place: string, now: number): Promise<string[]> {
  const found = await staleIn(folder, place, now);
  for await (const entry of entriesOf(join(folder, place)))
    if (entry.isDirectory()) found.push(...(await staleBelow(folder, `${place}/${entry.name}`, now)));
  return found;
}

async function staleIn(folder: string, place: string, now: number): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of entriesOf(join(folder, place))) {
    // A branch may begin with these words, but no reference ends like a lock.
    const isTemporary = !place.startsWith('refs') && TEMPORARY.test(name);
    if (!isTemporary && !LOCK.test(name)) continue;
    const path = join(place, name);
    const entry = await stat(join(folder, path)).catch(() => undefined);
    if (entry !== undefined && entry.mtimeMs < now - (isTemporary ? STALE_MS : STALE_LOCK_MS))
      found.push(path);
  }
  return found;
}

/** None for a folder that does not exist. */
async function* entriesOf(folder: string) {
  try {
    yield* await opendir(folder);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
}

/** Git holds these locks only while it writes a few small files, and every process of git has a time limit. */
const STALE_REF_LOCK_MS = 10 * 60_000;

const LOCK_ERROR = /Unable to create '(.+\.lock)': File exists/;

const LOCK_PATH = /^(?:refs\/.+|packed-refs|HEAD)\.lock$/;

/**
 * With the lock of a crash, nobody could ever change that reference again. Takes what git printed when it found the
 * lock. True when the lock was old and is gone.
 */
export async function removeStaleLock(folder: string, stderr: string, now: number): Promise<boolean> {
  const path = relative(folder, normalize(LOCK_ERROR.exec(stderr)?.[1] ?? ''));
  if (!LOCK_PATH.test(path)) return false;
  const lock = join(folder, path);
  if (!(await isStale(lock, now))) return false;
  // Another call may have removed the same lock by now, and the file be the lock of a live process.
  const aside = join(folder, `stale-lock-${randomUUID()}`);
  try {
    await rename(lock, aside);
    if (await isStale(aside, now)) return true;
    await link(aside, lock);
    return false;
  } catch {
    return false;
  } finally {
    await rm(aside, { force: true });
  }
}

async function isStale(file: string, now: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && found.mtimeMs < now - STALE_REF_LOCK_MS;
}

const QUARANTINE = /^(?:tmp_objdir-)?incoming-/;

/** Git leaves the folders of received objects when a signal ends it. Those that are older than any push can be. */
export async function removeStaleQuarantines(
  folder: string,
  maxAgeMs: number,
  now = systemClock.now(),
): Promise<void> {
  const objects = join(folder, 'objects');
  for (const name of await readdir(objects).catch(() => [])) {
    if (!QUARANTINE.test(name)) continue;
    const path = join(objects, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < now - maxAgeMs)
      await rm(path, { recursive: true, force: true });
  }
}
