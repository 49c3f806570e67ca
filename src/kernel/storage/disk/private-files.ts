// Files and folders that only their owner may read: they contain secrets.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/**
 * Creates the folder and its missing parents; an existing one keeps its mode. Node's own recursive mode would never return
 * for a path that the system refuses as "no such file", such as one in /proc.
 */
export function createPrivateFolder(folder: string): void {
  const missing: string[] = [];
  for (let path = resolve(folder); !existsSync(path); path = dirname(path)) missing.unshift(path);
  for (const path of missing) ifAbsent(() => mkdirSync(path, { mode: PRIVATE_FOLDER }));
  if (!statSync(folder).isDirectory()) throw new Error(`${folder} is a file`);
}

/** Does not open an existing file: closing it again would release the locks that this process has on it. */
export function createPrivateFile(file: string): void {
  ifAbsent(() => closeSync(openSync(file, 'wx', PRIVATE_FILE)));
}

/** Removes the permissions of others from files and folders that an earlier release created. */
export function keepPrivate(...paths: readonly string[]): void {
  for (const path of paths) {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o077) === 0) continue;
    try {
      chmodSync(path, mode & PRIVATE_FOLDER);
    } catch {
      // It belongs to another user.
    }
  }
}

/** Another process may create it at the same moment. */
function ifAbsent(make: () => void): void {
  try {
    make();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
