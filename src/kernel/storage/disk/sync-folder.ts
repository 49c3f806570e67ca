// Makes new, renamed and deleted names in a folder durable.
import { open } from 'node:fs/promises';

/** Syncs the folder: otherwise a crash could lose the new name of a file that is itself synced. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
