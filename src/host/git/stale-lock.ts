// Removes the lock of a reference that a crash has left: otherwise nobody could ever change that reference again.
import { randomUUID } from 'node:crypto';
import { link, rename, rm, stat } from 'node:fs/promises';
import { join, normalize, relative } from 'node:path';

/** Git holds these locks only while it writes a few small files, and every process of git has a time limit. */
const STALE_MS = 10 * 60_000;
const LOCK = /Unable to create '(.+\.lock)': File exists/;
const LOCK_PATH = /^(?:refs\/.+|packed-refs|HEAD)\.lock$/;

/** Takes what git printed when it found the lock. True when the lock was old and is gone. */
export async function removeStaleLock(folder: string, stderr: string, now: number): Promise<boolean> {
  const path = relative(folder, normalize(LOCK.exec(stderr)?.[1] ?? ''));
  if (!LOCK_PATH.test(path)) return false;
  const lock = join(folder, path);
  if (!(await isStale(lock, now))) return false;
  // Another call may have removed the same lock by now, and the file be the lock of a live process.
  const aside = join(folder, `stale-lock-${randomUUID()}`);
  try {
    await rename(lock, aside);
    if (await isStale(aside, now)) return true;
    await link(aside, lock);
    return false;
  } catch {
    return false;
  } finally {
    await rm(aside, { force: true });
  }
}

async function isStale(file: string, now: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && found.mtimeMs < now - STALE_MS;
}
