// The folders of bare repositories: where they are, and how they are created and removed without ever being half there.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../../kernel/failure.ts';
import {
  createPrivateFolder,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
} from '../../kernel/storage/disk/private-files.ts';
import { asStorageFailure } from '../../kernel/storage/storage-failure.ts';
import { syncFolder } from '../../kernel/storage/disk/sync-folder.ts';
import { isBranchName } from './refs/revision.ts';

const SHARDS = 256;
/** A temporary folder of this age was left behind by a crash. */
const STALE_MS = 60 * 60 * 1000;

/**
 * `refs/hidden/` is for refs of the server's own. Objects that no visible ref leads to cannot be fetched by their id.
 * Filters are what partial clones need.
 */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tbare = true
\tfilemode = true
\tlogAllRefUpdates = false
[gc]
\tauto = 0
[transfer]
\tfsckObjects = true
\thideRefs = refs/hidden
[receive]
\tfsckObjects = true
\tdenyCurrentBranch = ignore
\tdenyDeleteCurrent = refuse
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = false
`;

/** By number, so that a rename of the repository moves nothing. */
export function repositoryFolder(root: string, number: number): string {
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Error(`Not the number of a repository: ${number}`);
  const shard = (number % SHARDS).toString(16).padStart(2, '0');
  return join(root, shard, `${number}.git`);
}

export async function existsRepository(folder: string): Promise<boolean> {
  return (await stat(folder).catch(ifMissing))?.isDirectory() ?? false;
}

/**
 * Durable once resolved. A folder that exists is a conflict, and stays as it is. `fill` adds to the new repository before
 * anyone can see it.
 */
export async function createRepositoryFolder(
  root: string,
  number: number,
  defaultBranch: string,
  fill?: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = repositoryFolder(root, number);
  const made = temporaryFolder(root);
  try {
    createPrivateFolder(dirname(made));
    await writeRepository(made, defaultBranch);
    await fill?.(made);
    await addShard(root, dirname(folder));
    // The system refuses to replace a folder that is not empty, and a repository never is.
    await rename(made, folder);
    await syncFolder(dirname(folder));
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST')
      throw new Failure('conflict', `The repository number ${number} already has a folder.`, {
        cause: error,
      });
    throw error instanceof Failure ? error : asStorageFailure(error);
  }
  return folder;
}

/** From the first moment the repository is gone as a whole. Succeeds, too, when there is nothing to remove. */
export async function removeRepositoryFolder(root: string, number: number): Promise<void> {
  const folder = repositoryFolder(root, number);
  const removed = temporaryFolder(root);
  try {
    createPrivateFolder(dirname(removed));
    await rename(folder, removed);
    await syncFolder(dirname(folder));
    await rm(removed, { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw asStorageFailure(error);
  }
}

/** Deletes what a crash left half created or half removed. Other nodes may be at work in the same folder. */
export async function sweepTemporaryFolders(root: string, now: number): Promise<void> {
  const temporary = join(root, 'tmp');
  for (const name of (await readdir(temporary).catch(ifMissing)) ?? []) {
    const folder = join(temporary, name);
    const found = await stat(folder).catch(ifMissing);
    if (found !== undefined && found.ctimeMs < now - STALE_MS)
      await rm(folder, { recursive: true, force: true });
  }
}

async function writeRepository(folder: string, defaultBranch: string): Promise<void> {
  if (!isBranchName(defaultBranch))
    throw new Failure('invalid', `${JSON.stringify(defaultBranch)} is not a valid name of a branch.`);
  const folders = ['', 'objects', 'objects/info', 'objects/pack', 'refs', 'refs/heads', 'refs/tags'];
  for (const name of folders) await mkdir(join(folder, name), { mode: PRIVATE_FOLDER });
  const options = { mode: PRIVATE_FILE, flush: true };
  await writeFile(join(folder, 'HEAD'), `ref: refs/heads/${defaultBranch}\n`, options);
  await writeFile(join(folder, 'config'), CONFIG, options);
  for (const name of ['', 'objects', 'refs']) await syncFolder(join(folder, name));
}

async function addShard(root: string, shard: string): Promise<void> {
  const created = await mkdir(shard, { recursive: true, mode: PRIVATE_FOLDER });
  if (created === undefined) return;
  await syncFolder(root);
  // The root may be new, too.
  await syncFolder(dirname(root));
}

/** On the same file system, so that renames work. */
function temporaryFolder(root: string): string {
  return join(root, 'tmp', `${randomUUID()}.git`);
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw asStorageFailure(error);
}
