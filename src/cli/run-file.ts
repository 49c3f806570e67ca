// The note a running server leaves in its data folder, by which other commands find it.
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FILE } from '../kernel/storage/private-files.ts';

export interface Run {
  pid: number;
  /** Where it listens, and where people reach it. */
  url: string;
  publicUrl: string;
  version: string;
  startedAt: string;
  /** What it was started with, without secrets. */
  settings: Record<string, string>;
}

const NAME = 'run.json';

export function writeRun(data: string, run: Run): void {
  const file = join(data, NAME);
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${JSON.stringify(run)}\n`, { mode: PRIVATE_FILE });
  renameSync(draft, file);
}

/** Undefined when there is none, or it says nothing. */
export function readRun(data: string): Run | undefined {
  try {
    return JSON.parse(readFileSync(join(data, NAME), 'utf8')) as Run;
  } catch {
    return undefined;
  }
}

/** Leaves the note of another server that has started on the same folder since. */
export function removeRun(data: string, pid: number): void {
  if (readRun(data)?.pid === pid) rmSync(join(data, NAME), { force: true });
}

/** Whether another process has this number. In containers every program is process 1, this one too. */
export function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is alive too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
