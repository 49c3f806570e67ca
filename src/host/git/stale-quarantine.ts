// Removes the folders of received objects that a crash has left: git does not, when a signal ends it.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../kernel/clock.ts';

const QUARANTINE = /^(?:tmp_objdir-)?incoming-/;

/** Those that are older than any push can be. */
export async function removeStaleQuarantines(
  folder: string,
  maxAgeMs: number,
  now = systemClock.now(),
): Promise<void> {
  const objects = join(folder, 'objects');
  for (const name of await readdir(objects).catch(() => [])) {
    if (!QUARANTINE.test(name)) continue;
    const path = join(objects, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < now - maxAgeMs)
      await rm(path, { recursive: true, force: true });
  }
}
