// Gives each running program a user id that no other program of this machine has.
import { closeSync, lstatSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { identify, type ProcessIdentity } from './process-table.ts';

interface UidRange {
  first: number;
  count: number;
}

/** Ids that no distribution gives to users, services or containers; the second is for containers with few ids of their own. */
const RANGES: readonly UidRange[] = [
  { first: 1_900_000_000, count: 10_000 },
  { first: 60_578, count: 600 },
];

/** Emptied when the machine starts, and the same for all servers of the machine. */
const LOCK_FOLDERS = ['/run/signalbox-uids', '/tmp/signalbox-uids'];

/** The first range that this process can use, by the text of /proc/self/uid_map. */
export function chooseRange(uidMap: string): UidRange | undefined {
  const mapped = uidMap
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter((fields) => fields.length === 3);
  return RANGES.find(({ first, count }) =>
    mapped.some(([inside = 0, , size = 0]) => inside <= first && first + count <= inside + size),
  );
}

export class UidPool {
  readonly #range: UidRange;
  readonly #folder: string;
  #next = 0;

  constructor(range = chooseRange(readFileSync('/proc/self/uid_map', 'utf8')), folder?: string) {
    if (range === undefined) throw new Error('This process has no free user ids for programs.');
    this.#range = range;
    this.#folder = folder ?? createLockFolder();
  }

  /** A file that is created exclusively is the lock; it names its holder. */
  take(): number {
    const { first, count } = this.#range;
    for (let tries = 0; tries < count; tries++) {
      const uid = first + (this.#next++ % count);
      if (this.#lock(uid)) return uid;
    }
    throw new Error(`All ${count} user ids for programs are in use.`);
  }

  /** Only if it is the holder's: after a crash, only once nothing of that user runs any more. */
  release(uid: number, holder: ProcessIdentity = identify(process.pid)): void {
    const file = join(this.#folder, String(uid));
    try {
      if (readFileSync(file, 'utf8') === JSON.stringify(holder)) rmSync(file);
    } catch {
      // It is free already.
    }
  }

  #lock(uid: number): boolean {
    try {
      const file = openSync(join(this.#folder, String(uid)), 'wx', 0o600);
      writeSync(file, JSON.stringify(identify(process.pid)));
      closeSync(file);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }
}

/** In a folder that others can write to, somebody else may have put a link or a folder of that name. */
function createLockFolder(): string {
  for (const folder of LOCK_FOLDERS) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const stats = lstatSync(folder);
      if (stats.isDirectory() && stats.uid === 0 && (stats.mode & 0o022) === 0) return folder;
    } catch {
      // The next one may be there.
    }
  }
  throw new Error(`None of the folders ${LOCK_FOLDERS.join(', ')} can be used for locks.`);
}
