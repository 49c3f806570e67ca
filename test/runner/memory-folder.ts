// A folder in memory for the files of tests, if the machine has one: it avoids thousands of disk syncs.
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const SHARED_MEMORY = '/dev/shm';
/** Many times the need of a run: in containers the folder may have only a few megabytes. */
const ENOUGH_BYTES = 4e9;

/** Undefined if there is none, if it is too small, or if programs cannot run from it. */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize > ENOUGH_BYTES && runsPrograms(SHARED_MEMORY) ? SHARED_MEMORY : undefined;
  } catch {
    return undefined;
  }
}

function runsPrograms(parent: string): boolean {
  const folder = mkdtempSync(join(parent, 'signalbox-try-'));
  try {
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\nexit 0\n');
    chmodSync(program, 0o755);
    return spawnSync(program).status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
