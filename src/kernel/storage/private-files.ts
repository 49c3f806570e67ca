// Files and folders for their owner alone: what is kept here includes other people's secrets.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/**
 * Makes the folder and those above it where they are missing; one that is there keeps its mode. Not by Node's own recursive
 * way, which never returns for a path that the system refuses as "no such file", such as one in /proc.
 */
export function createPrivateFolder(folder: string): void {
  const missing: string[] = [];
  for (let path = resolve(folder); !existsSync(path); path = dirname(path)) missing.unshift(path);
  for (const path of missing) ifAbsent(() => mkdirSync(path, { mode: PRIVATE_FOLDER }));
  if (!statSync(folder).isDirectory()) throw new Error(`${folder} is a file`);
}

/** Leaves a file that is there unopened: to close it again would drop the locks that this process has on it. */
export function createPrivateFile(file: string): void {
  ifAbsent(() => closeSync(openSync(file, 'wx', PRIVATE_FILE)));
}

/** Takes what others may do with a file or folder of ours that an earlier release has made. */
export function keepPrivate(...paths: readonly string[]): void {
  for (const path of paths) {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o077) === 0) continue;
    try {
      chmodSync(path, mode & PRIVATE_FOLDER);
    } catch {
      // It belongs to another user, who decides.
    }
  }
}

/** Somebody else may make it at the same moment. */
function ifAbsent(make: () => void): void {
  try {
    make();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
