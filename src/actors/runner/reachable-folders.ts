// Folders that a program with a user id of its own can reach, own or read.
import { chmodSync, lchownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isWithin } from './path-within.ts';

const ENTER = 0o001;
/** Enter, and neither list nor write. */
const THROUGH = 0o011;
const READ = 0o004;
const WRITE = 0o002;
const BATCH_SIZE = 500;

/** The outermost existing folder on the way that other users may not enter. */
export function findBarrier(path: string): string | undefined {
  const parent = dirname(path);
  const above = parent === path ? undefined : findBarrier(parent);
  if (above !== undefined) return above;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || !stats.isDirectory() || (stats.mode & ENTER) !== 0 ? undefined : path;
}

/** Lets other users through the work folder to the path below it, without seeing what else is there. */
export function openWay(work: string, path: string): void {
  for (let folder = dirname(path); isWithin(work, folder); folder = dirname(folder)) {
    const mode = statSync(folder).mode & 0o777;
    if ((mode & 0o077) !== THROUGH) chmodSync(folder, (mode & 0o700) | THROUGH);
  }
}

export function canOthersRead(path: string): boolean {
  const stats = statSync(path);
  const needed = stats.isDirectory() ? READ | ENTER : READ;
  return findBarrier(dirname(path)) === undefined && (stats.mode & needed) === needed;
}

/** To a Unix socket. */
export function canOthersConnect(path: string): boolean {
  return findBarrier(dirname(path)) === undefined && (statSync(path).mode & WRITE) !== 0;
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
