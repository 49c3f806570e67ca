// What processes of git that were killed leave in a repository: temporary files, quarantines of pushes, and locks.
import { opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

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
