// Folders that a program with a user id of its own can reach, own or read.
import { chmodSync, lchownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

const ENTER = 0o001;
const READ = 0o004;
const BATCH_SIZE = 500;

/** The outermost existing folder on the way that other users may not enter. */
export function findBarrier(path: string): string | undefined {
  const parent = dirname(path);
  const above = parent === path ? undefined : findBarrier(parent);
  if (above !== undefined) return above;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || !stats.isDirectory() || (stats.mode & ENTER) !== 0 ? undefined : path;
}

/** Lets other users through the folders between the work folder and the path, which are the server's own. */
export function openWay(work: string, path: string): void {
  const parent = dirname(path);
  if (parent.startsWith(work)) openWay(work, parent);
  const { mode } = statSync(path);
  if ((mode & ENTER) === 0) chmodSync(path, (mode & 0o777) | ENTER);
}

export function canOthersRead(path: string): boolean {
  const stats = statSync(path);
  const needed = stats.isDirectory() ? READ | ENTER : READ;
  return findBarrier(dirname(path)) === undefined && (stats.mode & needed) === needed;
}

/**
 * Gives a folder with all its content to the user. Links are not followed, and a file with a second name is left alone: that
 * name may be elsewhere.
 */
export async function giveFolder(folder: string, uid: number): Promise<void> {
  chmodSync(folder, 0o700);
  lchownSync(folder, uid, uid);
  const pending = [folder];
  let count = 0;
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    for (const name of readdirSync(path)) {
      if ((count += 1) % BATCH_SIZE === 0) await nextTurn();
      const child = join(path, name);
      const stats = lstatSync(child);
      if (stats.isFile() && stats.nlink > 1) continue;
      if (stats.uid !== uid) lchownSync(child, uid, uid);
      if (stats.isDirectory()) pending.push(child);
    }
  }
}
