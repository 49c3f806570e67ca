// Watches the file systems that the server writes to: who may still write, and what happens when one is full.
import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fillReserve, readReserve, releaseReserve } from './disk-reserve.ts';
import type { Log } from '../engine.ts';
import { diskFull } from '../storage-failure.ts';

export type DiskFolder = 'data' | 'blobs' | 'repositories' | 'work';

export interface DiskSpaceOptions {
  /** Where they are; several may be on one file system. */
  folders: Readonly<Partial<Record<DiskFolder, string>>>;
  /** How much is kept free, on a small file system less. With 0 nothing is watched. */
  reserveBytes: number;
  /** The file that holds it, on the file system of the database; absent where that is elsewhere. */
  reserveFile?: string;
  log: Log;
  /** In place of the system's. */
  readSpace?: (path: string) => Promise<FreeSpace>;
  deviceOf?: (path: string) => number;
  everyMs?: number;
  /** How long after the start the reserve is written: a server that lives for seconds needs none. */
  fillAfterMs?: number;
}

export interface FreeSpace {
  totalBytes: number;
  freeBytes: number;
  /** Files that can still be created; undefined where there is no limit. */
  freeFiles: number | undefined;
}

interface WatchedDisk {
  device: number;
  /** Of those of the server that are on it. */
  names: DiskFolder[];
  path: string;
  reserveFile: string | undefined;
  space: FreeSpace | undefined;
  /** How many bytes the file holds. */
  reserved: number;
  isFull: boolean;
  /** Whether the log says that nothing starts. */
  isLow: boolean;
}

/** Frees space on the file system of this device by ending what grows there. Never rejects. */
export type DiskRelief = (device: number, hasRoom: () => Promise<boolean>) => Promise<void>;

const EVERY_MS = 500;
const FILL_AFTER_MS = 5_000;
/** Of a small file system the reserve is at most this part. */
const PART = 16;
/** In reserves: below it nothing starts that could grow. */
const FLOOR = 4;
/** In reserves: with so much the reserve is written again, and the file system no longer counts as full. */
const ROOM = 2;
/** Below it, the file system has no room for further files whatever its free bytes are. */
const MIN_FREE_FILES = 1000;

export class DiskSpace {
  readonly #options: DiskSpaceOptions;
  readonly #disks: WatchedDisk[] = [];
  readonly #stopped = new AbortController();
  #relieve: DiskRelief = async () => {};
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #startedAt = 0;

  private constructor(options: DiskSpaceOptions) {
    this.#options = options;
  }

  /** Reads the space once. A reserve is released at once where the file system is full: else the database could not be opened. */
  static async open(options: DiskSpaceOptions): Promise<DiskSpace> {
    const space = new DiskSpace(options);
    if (options.reserveBytes === 0) return space;
    const { folders, deviceOf = deviceOfPath, reserveFile } = options;
    for (const [name, path] of Object.entries(folders) as [DiskFolder, string][]) {
      const device = deviceOf(path);
      const known = space.#disks.find((disk) => disk.device === device);
      if (known !== undefined) known.names.push(name);
      else {
        const file = name === 'data' ? reserveFile : undefined;
        const disk = { device, names: [name], path, reserveFile: file };
        space.#disks.push({ ...disk, space: undefined, reserved: 0, isFull: false, isLow: false });
      }
    }
    for (const disk of space.#disks) await space.#inspect(disk);
    return space;
  }

  /** Begins to watch. */
  start(relieve: DiskRelief): void {
    this.#relieve = relieve;
    this.#startedAt = performance.now();
    if (this.#disks.length > 0) this.#lookLater();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  /** Looks at once, and does what is needed. */
  look(): Promise<void> {
    this.#looking ??= this.#lookAtAll().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  /** Throws where the last room on the file system of the database is kept for deletions. */
  checkRoom(): void {
    for (const disk of this.#disks) {
      if (disk.reserveFile === undefined || disk.space === undefined) continue;
      if (disk.space.freeBytes < this.#reserveOf(disk) / 2) throw diskFull();
    }
  }

  /** Throws where the file system of the folder is full: for what is large, and can be sent again. */
  checkNotFull(folder: DiskFolder): void {
    if (this.isFull(folder)) throw diskFull();
  }

  /** Whether something may start that writes to the folder without asking. */
  hasRoomToStart(folder: DiskFolder): boolean {
    const disk = this.#diskOf(folder);
    if (disk?.space === undefined) return true;
    return !disk.isFull && disk.space.freeBytes >= FLOOR * this.#reserveOf(disk) && !lacksFiles(disk.space);
  }

  /** Whether one of the folders is on a full file system. */
  isFull(...folders: readonly DiskFolder[]): boolean {
    return this.#disks.some(({ isFull, names }) => isFull && names.some((name) => folders.includes(name)));
  }

  /** One sentence for each file system that is full, or too full for runs to start. */
  describe(): string[] {
    return this.#disks.flatMap((disk) => {
      const names = disk.names.join(', ');
      if (disk.isFull) return [`The file system of ${names} is full: make room.`];
      return this.hasRoomToStart(disk.names[0]!)
        ? []
        : [`The file system of ${names} is nearly full, so no run or build starts: make room.`];
    });
  }

  /** Undefined where the folder is not watched. */
  freeBytes(folder: DiskFolder): number | undefined {
    return this.spaceOf(folder)?.freeBytes;
  }

  /** Undefined where the folder is not watched. */
  spaceOf(folder: DiskFolder): FreeSpace | undefined {
    return this.#diskOf(folder)?.space;
  }

  /** The space of each file system that is watched, with the names of what is on it. */
  listSpace(): { names: readonly DiskFolder[]; totalBytes: number; freeBytes: number }[] {
    return this.#disks.flatMap(({ names, space }) =>
      space === undefined ? [] : { names, totalBytes: space.totalBytes, freeBytes: space.freeBytes },
    );
  }

  /** How many bytes the reserve holds now. */
  get reservedBytes(): number {
    return this.#disks.reduce((sum, { reserved }) => sum + reserved, 0);
  }

  #diskOf(folder: DiskFolder): WatchedDisk | undefined {
    return this.#disks.find(({ names }) => names.includes(folder));
  }

  #reserveOf({ space }: WatchedDisk): number {
    return Math.min(this.#options.reserveBytes, Math.floor((space?.totalBytes ?? 0) / PART));
  }

  #lookLater(): void {
    this.#timer = setTimeout(() => {
      void this.look().finally(() => this.#stopped.signal.aborted || this.#lookLater());
    }, this.#options.everyMs ?? EVERY_MS).unref();
  }

  async #lookAtAll(): Promise<void> {
    for (const disk of this.#disks) {
      try {
        await this.#lookAt(disk);
      } catch (error) {
        if (!this.#stopped.signal.aborted)
          this.#options.log.warn({ err: error, folders: disk.names }, 'cannot watch the space on disk');
      }
    }
  }

  async #lookAt(disk: WatchedDisk): Promise<void> {
    const wasFull = disk.isFull;
    await this.#read(disk);
    const isLow = !this.hasRoomToStart(disk.names[0]!);
    if (isLow && !disk.isLow)
      this.#options.log.warn({ folders: disk.names }, 'the disk is nearly full, so no run or build starts');
    disk.isLow = isLow;
    if (this.#isShort(disk)) {
      if (!wasFull) this.#options.log.error({ folders: disk.names }, 'the disk is full');
      disk.isFull = true;
      await this.#relieve(disk.device, async () => {
        await this.#read(disk);
        return this.#hasRoom(disk);
      });
      await this.#read(disk);
      if (this.#isShort(disk)) await this.#release(disk);
      return;
    }
    if (!this.#hasRoom(disk)) return;
    if (wasFull || performance.now() - this.#startedAt >= (this.#options.fillAfterMs ?? FILL_AFTER_MS))
      await this.#fill(disk);
    disk.isFull = false;
    if (wasFull) this.#options.log.warn({ folders: disk.names }, 'the disk has room again');
  }

  /** Before anything is opened, or runs. */
  async #inspect(disk: WatchedDisk): Promise<void> {
    await this.#read(disk);
    disk.isFull = this.#isShort(disk);
    if (disk.isFull) await this.#release(disk);
  }

  #isShort(disk: WatchedDisk): boolean {
    const { space } = disk;
    return space !== undefined && (space.freeBytes < this.#reserveOf(disk) || lacksFiles(space));
  }

  /** With what the reserve still lacks. */
  #hasRoom(disk: WatchedDisk): boolean {
    const { space, reserveFile, reserved } = disk;
    if (space === undefined || lacksFiles(space)) return false;
    const reserve = this.#reserveOf(disk);
    const missing = reserveFile === undefined ? 0 : Math.max(0, reserve - reserved);
    return space.freeBytes >= ROOM * reserve + missing;
  }

  async #read(disk: WatchedDisk): Promise<void> {
    disk.space = await (this.#options.readSpace ?? readSpace)(existing(disk.path));
    if (disk.reserveFile !== undefined) disk.reserved = await readReserve(disk.reserveFile);
  }

  async #fill(disk: WatchedDisk): Promise<void> {
    const bytes = this.#reserveOf(disk);
    if (disk.reserveFile === undefined || disk.reserved === bytes) return;
    await fillReserve(disk.reserveFile, bytes, this.#stopped.signal);
    await this.#read(disk);
  }

  async #release(disk: WatchedDisk): Promise<void> {
    if (disk.reserveFile === undefined || disk.reserved === 0) return;
    this.#options.log.warn(
      { bytes: disk.reserved },
      'the reserve is released, so that things can be deleted',
    );
    await releaseReserve(disk.reserveFile);
    await this.#read(disk);
  }
}

function lacksFiles({ freeFiles }: FreeSpace): boolean {
  return freeFiles !== undefined && freeFiles < MIN_FREE_FILES;
}

/** The folder, or the first above it that exists. */
function existing(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existing(dirname(path));
}

function deviceOfPath(path: string): number {
  return statSync(existing(path)).dev;
}

async function readSpace(path: string): Promise<FreeSpace> {
  const { blocks, bsize, bfree, bavail, files, ffree } = await statfs(path);
  // Some blocks are kept for root, and a server that is root can use them.
  const free = process.getuid?.() === 0 ? bfree : bavail;
  return {
    totalBytes: blocks * bsize,
    freeBytes: free * bsize,
    // A file system that is small by itself, or has no fixed number of files.
    freeFiles: files > 10 * MIN_FREE_FILES ? ffree : undefined,
  };
}
