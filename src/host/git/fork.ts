// Copies a repository: its objects as further names of the same files, its branches and tags as they are at one moment.
import { constants, copyFile, link, mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../kernel/failure.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../kernel/storage/disk/private-files.ts';
import { syncFolder } from '../../kernel/storage/disk/sync-folder.ts';
import { runChange, runGit, type GitTarget } from './git-target.ts';

export interface ForkOptions {
  /** The full name of the only branch to copy, instead of all branches and tags. */
  onlyBranch?: string;
  /** Only what the copied references lead to; else objects that no reference leads to are copied with the rest. */
  onlyReachable?: boolean;
}

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT = 64 * 1024 * 1024;
/** Maintenance of the source may replace its files while they are copied. It does not do so again and again. */
const MAX_PASSES = 5;
const LINKS_AT_ONCE = 32;
const OBJECT_FILE = /^[0-9a-f]{38}$/;
const OBJECT_FOLDER = /^[0-9a-f]{2}$/;
/** Without `.keep`, which would protect a pack from maintenance for ever, and without temporary files. */
const PACK_FILE = /^pack-[0-9a-f]+\.(?:pack|idx|rev|bitmap|mtimes)$/;
/** The file system cannot give the file another name. */
const CANNOT_LINK = new Set(['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * `target` is an empty repository that nobody else uses yet. The source may be pushed to meanwhile: what its references
 * lead to at the beginning is complete.
 */
export async function copyRepository(
  source: GitTarget,
  target: GitTarget,
  { onlyBranch, onlyReachable = false }: ForkOptions = {},
): Promise<void> {
  // Objects come before the references to them, so that this order misses none.
  const refs = await listCopiedRefs(source, onlyBranch);
  if (onlyReachable) await packReachable(source, target, refs);
  else await copyObjects(source.folder, target.folder);
  if (refs.length === 0) return;
  await checkObjects(target, refs);
  const lines = refs.map(({ oid, name }) => `${oid} ${name}\n`);
  await writeFile(join(target.folder, 'packed-refs'), `# pack-refs with: sorted \n${lines.join('')}`, {
    mode: PRIVATE_FILE,
    flush: true,
  });
  // Adds what annotated tags point to, which saves reading them for every clone.
  await runChange(target, ['pack-refs', '--all'], { timeoutMs: TIMEOUT_MS, maxOutput: MAX_OUTPUT });
  await syncFolder(target.folder);
}

/** As a pack, because the files of the source may hold other objects: what was pushed and taken back, or other branches. */
async function packReachable(
  source: GitTarget,
  target: GitTarget,
  refs: readonly CopiedRef[],
): Promise<void> {
  if (refs.length === 0) return;
  const folder = join(target.folder, 'objects', 'pack');
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const input = refs.map(({ oid }) => `${oid}\n`).join('');
  const args = ['pack-objects', '--revs', '--delta-base-offset', '--quiet', join(folder, 'pack')];
  await runGit(source, args, { input, timeoutMs: TIMEOUT_MS, maxOutput: MAX_OUTPUT, work: 'maintain' });
  await syncFolder(folder);
  await syncFolder(join(target.folder, 'objects'));
}

interface CopiedRef {
  name: string;
  oid: string;
}

/** In the order of the bytes of their names, as git lists and needs them. */
async function listCopiedRefs(source: GitTarget, onlyBranch: string | undefined): Promise<CopiedRef[]> {
  const patterns = onlyBranch === undefined ? ['refs/heads/', 'refs/tags/'] : [onlyBranch];
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', '--', ...patterns];
  const output = await runGit(source, args, { timeoutMs: TIMEOUT_MS, maxOutput: MAX_OUTPUT });
  const rows = output.toString().split('\n').filter(Boolean);
  const refs = rows.map((row) => ({ oid: row.slice(0, 40), name: row.slice(41) }));
  // A pattern also matches the references below it.
  return onlyBranch === undefined ? refs : refs.filter(({ name }) => name === onlyBranch);
}

/** Repeats until it finds nothing new: then no file was replaced by another that an earlier listing did not have. */
async function copyObjects(from: string, to: string): Promise<void> {
  const seen = new Set<string>();
  for (let pass = 0; pass < MAX_PASSES; pass += 1) if (!(await copyNewObjects(from, to, seen))) break;
  await syncFolder(join(to, 'objects'));
}

/**
 * True when files came or went since the last pass. Loose objects come first, because maintenance packs them before it
 * deletes them.
 */
async function copyNewObjects(from: string, to: string, seen: Set<string>): Promise<boolean> {
  const folders = (await readdir(join(from, 'objects'))).filter((name) => OBJECT_FOLDER.test(name));
  let hasChanged = false;
  for (const folder of [...folders, 'pack']) {
    const path = join('objects', folder);
    const pattern = folder === 'pack' ? PACK_FILE : OBJECT_FILE;
    const names = (await namesIn(join(from, path))).filter((name) => pattern.test(name));
    const fresh = names.map((name) => join(path, name)).filter((file) => !seen.has(file));
    if (fresh.length === 0) continue;
    hasChanged = true;
    await mkdir(join(to, path), { recursive: true, mode: PRIVATE_FOLDER });
    for (let start = 0; start < fresh.length; start += LINKS_AT_ONCE)
      await Promise.all(
        fresh.slice(start, start + LINKS_AT_ONCE).map(async (file) => {
          if (await linkFile(join(from, file), join(to, file))) seen.add(file);
        }),
      );
    await syncFolder(join(to, path));
  }
  return hasChanged;
}

/** None for a folder that has been deleted meanwhile. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** False where the file has been deleted meanwhile. Git never changes these files, so that two repositories can share one. */
async function linkFile(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to).catch((error: unknown) =>
      CANNOT_LINK.has(codeOf(error)) ? copyDurably(from, to) : Promise.reject(error as Error),
    );
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  const copy = await open(to, 'r');
  try {
    await copy.sync();
  } finally {
    await copy.close();
  }
}

async function checkObjects(target: GitTarget, refs: readonly CopiedRef[]): Promise<void> {
  const input = refs.map(({ oid }) => `${oid}\n`).join('');
  const args = ['cat-file', '--batch-check=%(objecttype)', '--buffer'];
  const output = await runGit(target, args, { input, timeoutMs: TIMEOUT_MS, maxOutput: MAX_OUTPUT });
  if (output.includes(' missing'))
    throw new Failure('unavailable', 'The repository changed while it was copied. Try again.', {
      isContested: true,
    });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
