// Deletes folders in which programs of users have written, whatever they did to make that hard.
import { randomUUID } from 'node:crypto';
import { chmod, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';

/** Below what the system accepts, with room for one more name. */
const MAX_PATH_BYTES = 2000;

/** The programs must be dead. Links are not followed. Nothing happens where there is no such folder. */
export async function removeTree(folder: string | Buffer): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    await removeStubborn(Buffer.from(folder));
  }
}

/**
 * For folders without permissions, which the owner must set first where the server is not root; for paths longer than the
 * system accepts, whose ends are moved up; and for names that are no text, which Node's own function cannot spell.
 */
async function removeStubborn(top: Buffer): Promise<void> {
  const folders: Buffer[] = [];
  const pending = [top];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    folders.push(path);
    await chmod(path, 0o700);
    for (const entry of await readdir(path, { withFileTypes: true, encoding: 'buffer' })) {
      const child = joinBytes(path, entry.name);
      if (!entry.isDirectory()) {
        await unlink(child);
      } else if (child.length <= MAX_PATH_BYTES) {
        pending.push(child);
      } else {
        await chmod(child, 0o700);
        const moved = joinBytes(top, Buffer.from(randomUUID()));
        await rename(child, moved);
        pending.push(moved);
      }
    }
  }
  for (const path of folders.toReversed()) await rmdir(path);
}

/** Names on disk are bytes. */
export function joinBytes(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from('/'), name]);
}
