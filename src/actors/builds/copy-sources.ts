// Fills the working folder of a run: a copy of the built sources, with the dependencies beside them.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { PreparedBuild } from './prepared-build.ts';
import { copyFolder, isFolder } from './work-folders.ts';

/**
 * The folder must be empty or missing. The dependencies are linked, not copied: the sandbox shows them read-only, and Node
 * looks for packages where the link leads.
 */
export async function createWorkingFolder(
  { sources, dependencies }: PreparedBuild,
  folder: string,
): Promise<void> {
  await copyFolder(sources, folder, ['node_modules']);
  if (dependencies === undefined) return;
  for (const name of ['node_modules', 'venv']) {
    if (await isFolder(join(dependencies, name))) await symlink(join(dependencies, name), join(folder, name));
  }
}
