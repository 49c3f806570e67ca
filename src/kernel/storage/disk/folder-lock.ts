// One server per data folder: a lock that the operating system releases when the process ends for any reason. ADR 0026.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { createPrivateFile, createPrivateFolder, PRIVATE_FILE } from './private-files.ts';

export interface FolderLock {
  release(): void;
}

/** The server that holds the folder. The process id alone does not identify it: in containers every server is process 1. */
export interface FolderLockHolder {
  pid: number;
  host: string;
  since: string;
}

interface LockOptions {
  /** How long to wait for a server that is stopping. */
  waitMs?: number;
  /** Called once when it has to wait. */
  onWait?: (holder: FolderLockHolder | undefined) => void;
}

const WAIT_MS = 5000;
const LOOK_MS = 100;
const BUSY = 5;

/**
 * Node has no file locks, but SQLite has: this is an exclusive transaction on an empty database that never ends. The holder
 * is recorded in a file beside it, because opening and closing the locked file would release the process's own lock.
 */
export async function lockFolder(
  folder: string,
  { waitMs = WAIT_MS, onWait }: LockOptions = {},
): Promise<FolderLock> {
  createPrivateFolder(folder);
  const file = join(folder, 'lock');
  const note = `${file}.json`;
  createPrivateFile(file);
  const until = performance.now() + waitMs;
  let lock = tryLock(file);
  if (lock === undefined) onWait?.(readHolder(note));
  while (lock === undefined) {
    if (performance.now() > until) throw held(folder, readHolder(note));
    await sleep(LOOK_MS);
    lock = tryLock(file);
  }
  const holder: FolderLockHolder = { pid: process.pid, host: hostname(), since: new Date().toISOString() };
  writeFileSync(note, `${JSON.stringify(holder)}\n`, { mode: PRIVATE_FILE });
  const taken = lock;
  return {
    release() {
      if (!taken.isOpen) return;
      rmSync(note, { force: true });
      taken.close();
    },
  };
}

/** Undefined when another process holds the lock. */
function tryLock(file: string): DatabaseSync | undefined {
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    db.exec('pragma journal_mode = memory; begin exclusive');
    return db;
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode === BUSY) return undefined;
    const words = (error as Error).message;
    throw new Failure('unavailable', `The data folder cannot be locked by ${file}: ${words}.`, {
      cause: error,
    });
  }
}

function readHolder(note: string): FolderLockHolder | undefined {
  try {
    return JSON.parse(readFileSync(note, 'utf8')) as FolderLockHolder;
  } catch {
    return undefined;
  }
}

function held(folder: string, holder: FolderLockHolder | undefined): Failure {
  const who = holder && ` (process ${holder.pid} on ${holder.host}, since ${holder.since})`;
  return new Failure(
    'unavailable',
    `Another server${who ?? ''} uses the data folder ${folder}. Stop that one, or choose another folder with --data.`,
  );
}
