// The disk space that a program takes: its folders, and files that it has deleted and still holds open.
import {
  lstatSync,
  opendirSync,
  readdirSync,
  readFileSync,
  statSync,
  type Dir,
  type Dirent,
  type Stats,
} from 'node:fs';
import { joinBytes } from './remove-tree.ts';

/** Also for an empty file or folder, which takes an inode: a million of them must not count as nothing. */
const MIN_FILE_BYTES = 4096;
const BLOCK_BYTES = 512;
const READ_BATCH = 256;

export interface DiskQuery {
  /** Files and folders. Absent ones count as nothing. */
  paths: readonly string[];
  /** Processes whose deleted files count, as far as these are on a file system of one of the paths. */
  pids?: readonly number[];
  /** Folders that all users share: what is in them and belongs to this user counts. */
  shared?: { uid: number; folders: readonly string[] } | undefined;
  /** Counting stops above these, so that it takes a bounded time. */
  maxBytes: number;
  maxEntries: number;
}

export interface DiskUsage {
  bytes: number;
  /** Files, folders, and descriptors of the processes. */
  entries: number;
}

/**
 * Blocks the thread. Links are not followed; what disappears meanwhile counts as nothing. What cannot be read, such as a path
 * that is too long, counts as more than any limit: files could be hidden there.
 */
export function readDiskUsage(query: DiskQuery): DiskUsage {
  const count = new Count(query);
  const devices = new Set<number>();
  for (const path of query.paths) {
    const stats = statOf(() => lstatSync(path));
    if (stats === undefined) continue;
    if (stats === 'unreadable') {
      count.addUnreadable();
      continue;
    }
    devices.add(stats.dev);
    if (stats.isDirectory()) addFolder(count, Buffer.from(path));
    else count.add(stats);
  }
  for (const folder of query.shared?.folders ?? [])
    addOwned(count, Buffer.from(folder), query.shared!.uid, devices);
  for (const pid of query.pids ?? []) addDeletedFiles(count, pid, devices);
  return { bytes: count.bytes, entries: count.entries };
}

class Count implements DiskUsage {
  bytes = 0;
  entries = 0;
  readonly #limits: Pick<DiskQuery, 'maxBytes' | 'maxEntries'>;
  /** Files with several names, or none. */
  readonly #seen = new Set<string>();

  constructor(limits: Pick<DiskQuery, 'maxBytes' | 'maxEntries'>) {
    this.#limits = limits;
  }

  get isOver(): boolean {
    return this.bytes > this.#limits.maxBytes || this.entries > this.#limits.maxEntries;
  }

  /** Allocated blocks, so that a sparse file counts for what it takes. */
  add(stats: Stats): void {
    this.entries += 1;
    if (stats.nlink !== 1 && !stats.isDirectory() && !this.#isFirst(`${stats.dev}:${stats.ino}`)) return;
    this.bytes += Math.max(stats.blocks * BLOCK_BYTES, MIN_FILE_BYTES);
  }

  addUnreadable(): void {
    this.bytes = Infinity;
  }

  #isFirst(key: string): boolean {
    return this.#seen.size !== this.#seen.add(key).size;
  }
}

function addFolder(count: Count, top: Buffer): void {
  const pending = [top];
  for (let path = pending.pop(); path !== undefined && !count.isOver; path = pending.pop()) {
    for (const entry of entriesOf(path)) {
      if (entry === 'unreadable') return count.addUnreadable();
      const child = joinBytes(path, entry.name);
      const stats = statOf(() => lstatSync(child));
      if (stats === undefined) continue;
      if (stats === 'unreadable') return count.addUnreadable();
      count.add(stats);
      if (stats.isDirectory()) pending.push(child);
      if (count.isOver) return;
    }
  }
}

/** Only a folder of the user itself can hold others of the user's, since all others belong to users with folders of their own. */
function addOwned(count: Count, folder: Buffer, uid: number, devices: Set<number>): void {
  const above = statOf(() => lstatSync(folder));
  if (typeof above === 'object') devices.add(above.dev);
  for (const entry of entriesOf(folder)) {
    if (entry === 'unreadable' || count.isOver) return;
    const child = joinBytes(folder, entry.name);
    const stats = statOf(() => lstatSync(child));
    if (typeof stats !== 'object' || stats.uid !== uid) continue;
    count.add(stats);
    if (stats.isDirectory()) addFolder(count, child);
  }
}

/** Read in batches: one folder may have millions of entries. */
function* entriesOf(folder: Buffer): Generator<Dirent<Buffer> | 'unreadable'> {
  let opened: Dir | undefined;
  try {
    // Node's own types know only names that are text.
    opened = opendirSync(folder, { encoding: 'buffer' as BufferEncoding, bufferSize: READ_BATCH });
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync())
      yield entry as unknown as Dirent<Buffer>;
  } catch (error) {
    if (isUnreadable(error)) yield 'unreadable';
  } finally {
    opened?.closeSync();
  }
}

/**
 * A file without a name takes space as long as a process has it open or mapped. Processes that do not let themselves be read,
 * which only those of the server's own user can bring about, are left out.
 */
function addDeletedFiles(count: Count, pid: number, devices: ReadonlySet<number>): void {
  const addIfDeleted = (path: string): void => {
    const stats = readOrUndefined(() => statSync(path));
    if (stats?.isFile() === true && stats.nlink === 0 && devices.has(stats.dev)) count.add(stats);
    else count.entries += 1;
  };
  for (const name of readOrUndefined(() => readdirSync(`/proc/${pid}/fd`)) ?? []) {
    if (count.isOver) return;
    addIfDeleted(`/proc/${pid}/fd/${name}`);
  }
  const maps = readOrUndefined(() => readFileSync(`/proc/${pid}/maps`, 'latin1')) ?? '';
  for (const [, range] of maps.matchAll(/^([\da-f]+-[\da-f]+) .* \(deleted\)$/gm)) {
    if (count.isOver) return;
    addIfDeleted(`/proc/${pid}/map_files/${range}`);
  }
}

function statOf(read: () => Stats): Stats | 'unreadable' | undefined {
  try {
    return read();
  } catch (error) {
    return isUnreadable(error) ? 'unreadable' : undefined;
  }
}

function readOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function isUnreadable(error: unknown): boolean {
  return ['ENAMETOOLONG', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '');
}
