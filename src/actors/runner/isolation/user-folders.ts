// Folders of a program with a user of its own: those that it can reach, own or read, and temporary ones, private by a mount namespace, or else the machine's, counted and swept.
import { execFile } from 'node:child_process';
import { statSync, chmodSync, lchownSync, lstatSync, readdirSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, relative, dirname, isAbsolute } from 'node:path';
import { promisify } from 'node:util';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MachineTools } from './machine-tools.ts';
import { removeTree } from '../remove-tree.ts';
import type { Program } from '../runner.ts';

/** In memory, as programs expect. */
const SHARED_MEMORY = '/dev/shm';
/** Where every user of a machine can write. */
const SHARED_FOLDERS = ['/tmp', '/var/tmp', '/run/lock', SHARED_MEMORY];
const ANYONE_WRITES = 0o002;
const MIN_MEMORY_MBYTES = 64;
const MAX_MEMORY_FILES = 100_000;

/** Below the program's folder: where the one in memory is filled before it takes its place. */
const STAGE = '.shm';

/**
 * Runs as root in namespaces of its own, with: the folder that becomes all others, the working folder, the options of the one in
 * memory; pairs of what must stay visible and where, `--`; the folders to replace, `--`; the program.
 */
const REPLACE = `set -e; umask 066; own=$1 work=$2 stage=$1/${STAGE}; mkdir "$stage"
mount -t tmpfs -o "$3" memory "$stage"; shift 3
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir -p "$2"; else mkdir -p "\${2%/*}"; : > "$2"; fi
  mount -o bind "$1" "$2"; shift 2
done; shift
while [ "$1" != -- ]; do
  mount -o rbind "$own" "$1"; umount -l "$1/${STAGE}"; shift
done; shift
if [ -d ${SHARED_MEMORY} ]; then mount -o rbind "$stage" ${SHARED_MEMORY}; fi
cd "$work"; exec "$@"`;

export interface MountTools {
  unshare: string;
}

/** Undefined where this server may not mount, as in most containers. */
export async function probeMounts({ unshare }: MachineTools): Promise<MountTools | undefined> {
  if (unshare === undefined) return undefined;
  const probe = 'mount -o bind /tmp /tmp && mount -t tmpfs -o size=4096 memory /tmp';
  return await promisify(execFile)(unshare, ['-m', '-i', '/bin/sh', '-c', probe], { env: {} }).then(
    () => ({ unshare }),
    () => undefined,
  );
}

/** Those that are there, and that everybody can write to. */
export function sharedFolders(): string[] {
  return SHARED_FOLDERS.filter((folder) => {
    const stats = statSync(folder, { throwIfNoEntry: false });
    return stats?.isDirectory() === true && (stats.mode & ANYONE_WRITES) !== 0;
  });
}

/**
 * The words before a command, as root, by which it sees its own folder in place of those that all users share, and its own memory
 * and queues of messages between processes: they take space of the machine too, and outlive their processes.
 */
export function privateFolderWords(
  { unshare }: MountTools,
  own: string,
  { folder, readable, memoryMbytes }: Pick<Program, 'folder' | 'readable' | 'memoryMbytes'>,
): string[] {
  const shared = sharedFolders();
  const replaced = shared.filter((path) => path !== SHARED_MEMORY);
  const needed = [folder, ...readable, process.execPath];
  const visible = needed.filter(
    (path, index) =>
      !needed.some((other, at) => at !== index && isWithin(other, path) && (other !== path || at < index)),
  );
  const bindings = visible.flatMap((path) => {
    const above = shared.find((one) => isWithin(one, path));
    if (above === undefined) return [];
    return [path, join(own, above === SHARED_MEMORY ? STAGE : '', relative(above, path))];
  });
  const bytes = Math.max(MIN_MEMORY_MBYTES, memoryMbytes / 2) * 1024 ** 2;
  const memory = `size=${bytes},nr_inodes=${MAX_MEMORY_FILES},mode=1777,nosuid,nodev`;
  const namespaces = [unshare, '-m', '-i'];
  const replacing = ['/bin/sh', '-c', REPLACE, 'sh', own, folder, memory];
  return [...namespaces, ...replacing, ...bindings, '--', ...replaced, '--'];
}

/** Deletes what the user has left in the folders that all share. Its processes must be dead. */
export async function removeFilesOf(uid: number, folders = sharedFolders()): Promise<void> {
  for (const folder of folders) {
    for (const name of await readdir(folder, { encoding: 'buffer' })) {
      const path = Buffer.concat([Buffer.from(`${folder}/`), name]);
      const stats = await lstat(path).catch(() => undefined);
      if (stats?.uid === uid) await removeTree(path);
    }
  }
}

const ENTER = 0o001;
/** Enter, and neither list nor write. */
const THROUGH = 0o011;
const READ = 0o004;
const WRITE = 0o002;
const GIVEN_AT_ONCE = 500;

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
      if ((count += 1) % GIVEN_AT_ONCE === 0) await nextTurn();
      const child = join(path, name);
      const stats = lstatSync(child);
      if (stats.isFile() && stats.nlink > 1) continue;
      if (stats.uid !== uid) lchownSync(child, uid, uid);
      if (stats.isDirectory()) pending.push(child);
    }
  }
}

/** Also for the folder itself. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}
