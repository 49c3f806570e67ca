// The file `run.json` that a running server writes to its data folder, by which other commands find it.
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FILE } from '../kernel/storage/disk/private-files.ts';

export interface RunFile {
  pid: number;
  /** Where it listens, and where people reach it. */
  url: string;
  publicUrl: string;
  version: string;
  startedAt: string;
  /** Its settings, without secrets. */
  settings: Record<string, string>;
}

const NAME = 'run.json';

export function saveRunFile(data: string, run: RunFile): void {
  const file = join(data, NAME);
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${JSON.stringify(run)}\n`, { mode: PRIVATE_FILE });
  renameSync(draft, file);
}

/** Undefined when there is none, or it is unreadable. */
export function readRunFile(data: string): RunFile | undefined {
  try {
    return JSON.parse(readFileSync(join(data, NAME), 'utf8')) as RunFile;
  } catch {
    return undefined;
  }
}

/** Does not remove the file of another server that has started on the same folder since. */
export function removeRunFile(data: string, pid: number): void {
  if (readRunFile(data)?.pid === pid) rmSync(join(data, NAME), { force: true });
}

/** Whether another process has this id. In containers every program has id 1, this one too. */
export function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
