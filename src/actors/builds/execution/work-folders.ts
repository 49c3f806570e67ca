// Folders in the work folder of a node: they appear complete or not at all, and only the server changes them.
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { chmod, copyFile, lchown, lstat, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../../kernel/failure.ts';
import { removeTree } from '../../runner/remove-tree.ts';

const PARALLEL = 16;
/** Whoever runs programs must be able to pass through, without listing what is there. */
const PASSABLE = 0o711;
export const SOURCES = 'sources';
export const DEPENDENCIES = 'dependencies';
export const BUILD_FOLDERS = 'builds';
export const NPM_CACHES = 'npm-caches';

export async function makeWorkFolder(...parts: string[]): Promise<string> {
  const folder = join(...parts);
  await mkdir(folder, { recursive: true, mode: PASSABLE });
  return folder;
}

/** An empty folder of a random name. */
export async function makeTemporaryFolder(parent: string, name: string): Promise<string> {
  return await makeWorkFolder(parent, `${name}-${randomUUID()}`);
}

export async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
}

/** Notes that the folder is used, for the sweep. False when it does not exist. */
export async function touchFolder(folder: string, now: number): Promise<boolean> {
  try {
    await utimes(folder, now / 1000, now / 1000);
    return await isFolder(folder);
  } catch {
    return false;
  }
}

/** When it was used last. */
export async function lastUseOf(folder: string): Promise<number | undefined> {
  return (await stat(folder).catch(() => undefined))?.mtimeMs;
}

/** Moves a complete folder to its place. If another was faster, that one stays. */
export async function moveIntoPlace(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(await isFolder(to))) throw error;
    await removeTree(from);
  }
}

/** Moves it away first, so that nobody finds half of it. */
export async function removeFolder(folder: string): Promise<void> {
  const away = `${folder}.removed-${randomUUID()}`;
  try {
    await rename(folder, away);
  } catch {
    return;
  }
  await removeTree(away);
}

/**
 * Makes what a program has written the server's own: readable by all, and writable by nobody else. The program must be dead.
 * A hard link to a file of others would give that file away, so it is refused. Between files of the folder they are usual:
 * installations use them instead of copies.
 */
export async function sealFolder(folder: string): Promise<void> {
  const { uid: writer } = await lstat(folder);
  const linked = new Map<string, { path: string; stats: Stats; names: number }>();
  await forEachEntry(folder, async (path, entry) => {
    if (entry.isSymbolicLink()) return;
    if (!entry.isDirectory() && !entry.isFile()) {
      await rm(path, { force: true });
      return;
    }
    const stats = await lstat(path);
    if (stats.isDirectory() || stats.nlink === 1) {
      await seal(path, stats);
      return;
    }
    const file = `${stats.dev}:${stats.ino}`;
    linked.set(file, { path, stats, names: (linked.get(file)?.names ?? 0) + 1 });
  });
  for (const { path, stats, names } of linked.values()) {
    if (names < stats.nlink && stats.uid !== writer)
      throw new Failure('invalid', 'The installation has made a link to a file that is not its own.');
    await seal(path, stats);
  }
  await seal(folder, await lstat(folder));
}

/** Only root can change the owner; for others the program's files are their own already. */
async function seal(path: string, stats: Stats): Promise<void> {
  if (stats.uid !== 0 && process.getuid?.() === 0) await lchown(path, 0, 0);
  const wanted = stats.isDirectory() || (stats.mode & 0o111) !== 0 ? 0o755 : 0o644;
  if ((stats.mode & 0o7777) !== wanted) await chmod(path, wanted);
}

/** Shares the blocks of the files where the file system can do that. Links are left out. */
export async function copyFolder(from: string, to: string, without: readonly string[] = []): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o755 });
  await forEachEntry(
    from,
    async (path, entry) => {
      const target = to + path.slice(from.length);
      if (entry.isDirectory()) await mkdir(target, { mode: 0o755 });
      else if (entry.isFile())
        await copyFile(path, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    },
    without,
  );
}

interface FolderEntry {
  isDirectory(): boolean;
  isFile(): boolean;
  isSymbolicLink(): boolean;
}

/** A folder before what is in it; some at a time. */
async function forEachEntry(
  folder: string,
  act: (path: string, entry: FolderEntry) => Promise<void>,
  without: readonly string[] = [],
): Promise<void> {
  const inside: string[] = [];
  const entries = (await readdir(folder, { withFileTypes: true })).filter(
    ({ name }) => !without.includes(name),
  );
  for (let start = 0; start < entries.length; start += PARALLEL) {
    const some = entries.slice(start, start + PARALLEL);
    await Promise.all(some.map((entry) => act(join(folder, entry.name), entry)));
    for (const entry of some) if (entry.isDirectory()) inside.push(join(folder, entry.name));
  }
  for (const path of inside) await forEachEntry(path, act);
}
