// Stores the built sources of an Actor of the library when a node first needs them, so that starts of servers cost little.
import { join } from 'node:path';
import { createReadStream } from '../../kernel/network/streams.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { BUILD_FOLDERS, makeTemporaryFolder, makeWorkFolder } from '../builds/work-folders.ts';
import { removeTree } from '../runner/remove-tree.ts';
import { packFolder } from '../sources/pack.ts';
import { NOT_SOURCES, readLibrary } from './library-actors.ts';

/** False where they are not the sources of an Actor of this release. */
export async function storeLibrarySources(
  { blobs, settings }: Kernel,
  hash: string,
  blob: string,
): Promise<boolean> {
  const own = (await readLibrary()).find(({ build }) => build.sources === hash);
  if (own === undefined) return false;
  // Where what a crash leaves is swept.
  const parent = await makeWorkFolder(settings.execution.work, BUILD_FOLDERS);
  const temporary = await makeTemporaryFolder(parent, 'library');
  try {
    const archive = join(temporary, 'sources.tgz');
    const packed = await packFolder(own.folder, archive, NOT_SOURCES);
    if (packed.hash !== hash) throw new Error(`The files of ${own.fields.name} were changed`);
    await blobs.put(blob, createReadStream(archive));
    return true;
  } finally {
    await removeTree(temporary);
  }
}
