// Tidies the files of a repository: one pack with a bitmap instead of many files, packed references, a commit graph.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runChange, type GitTarget } from '../git-target.ts';

const PACK_REFS_MS = 60_000;
const REPACK_MS = 3 * 60 * 60_000;
const GRAPH_MS = 60 * 60_000;
const MAX_OUTPUT = 64 * 1024;
/** Nobody waits for it. */
const NICENESS = 15;
const OBJECT_FILE = /^[0-9a-f]{38}$/;
/** How many commits get a filter of their paths at once: the first ones of a long history would take hours. */
const MAX_NEW_FILTERS = 20_000;

/** How untidy a repository is. */
export interface RepositoryFiles {
  looseObjects: number;
  /** Without the one for unreachable objects. */
  packs: number;
  packBytes: number;
  /** When the unreachable objects were packed, where there are such. */
  cruftAt?: number;
  hasCommitGraph: boolean;
}

export async function countRepositoryFiles(folder: string): Promise<RepositoryFiles> {
  const objects = join(folder, 'objects');
  let looseObjects = 0;
  for (let byte = 0; byte < 256; byte += 1) {
    const names = await namesIn(join(objects, byte.toString(16).padStart(2, '0')));
    looseObjects += names.filter((name) => OBJECT_FILE.test(name)).length;
  }
  const names = await namesIn(join(objects, 'pack'));
  const cruft = new Set(names.filter((name) => name.endsWith('.mtimes')).map(stemOf));
  const packs = names.filter((name) => name.endsWith('.pack') && !cruft.has(stemOf(name)));
  const statOf = (name: string) => stat(join(objects, 'pack', name)).catch(() => undefined);
  const stats = await Promise.all(packs.map(statOf));
  const [oldest] = (await Promise.all([...cruft].map((stem) => statOf(`${stem}.mtimes`))))
    .flatMap((found) => found?.mtimeMs ?? [])
    .toSorted((a, b) => a - b);
  const info = await namesIn(join(objects, 'info'));
  return {
    looseObjects,
    packs: packs.length,
    packBytes: stats.reduce((sum, found) => sum + (found?.size ?? 0), 0),
    ...(oldest !== undefined && { cruftAt: oldest }),
    hasCommitGraph: info.some((name) => name.startsWith('commit-graph')),
  };
}

/** References that change seldom go into one file. Its lock is held for moments, so it is not interrupted. */
export async function packRefs(target: GitTarget): Promise<void> {
  await runChange(target, ['pack-refs', '--all', '--prune'], {
    timeoutMs: PACK_REFS_MS,
    maxOutput: MAX_OUTPUT,
  });
}

export interface RepackOptions {
  /** Unreachable objects that are older are deleted; absent to keep them all. */
  expireBefore?: number;
  signal: AbortSignal;
}

/**
 * Everything reachable goes into one pack, and what is unreachable into another with the time of each object. Old files
 * are deleted when the new ones are durable, and processes that read them find the new ones.
 */
export async function repackRepository(
  target: GitTarget,
  { expireBefore, signal }: RepackOptions,
): Promise<void> {
  const expiration = expireBefore === undefined ? 'never' : toGitDate(expireBefore);
  const limits = { work: 'maintain', maxOutput: MAX_OUTPUT, niceness: NICENESS, signal } as const;
  const repack = ['repack', '-d', '-l', '-q', '--cruft', `--cruft-expiration=${expiration}`];
  await runChange(target, [...repack, '--write-bitmap-index', '--threads=1', '--window-memory=256m'], {
    ...limits,
    timeoutMs: REPACK_MS,
  });
  // A pack has what is younger; this deletes the files of single older objects.
  if (expireBefore !== undefined)
    await runChange(target, ['prune', `--expire=${expiration}`], { ...limits, timeoutMs: REPACK_MS });
}

/** Histories, and those of single paths above all, are read from it instead of from the objects. */
export async function writeCommitGraph(target: GitTarget, signal: AbortSignal): Promise<void> {
  const args = [
    'commit-graph',
    'write',
    '--reachable',
    '--changed-paths',
    `--max-new-filters=${MAX_NEW_FILTERS}`,
  ];
  await runChange(target, [...args, '--no-progress'], {
    work: 'maintain',
    timeoutMs: GRAPH_MS,
    maxOutput: MAX_OUTPUT,
    niceness: NICENESS,
    signal,
  });
}

/** In seconds since 1970. */
function toGitDate(at: number): string {
  return `@${Math.floor(at / 1000)} +0000`;
}

function stemOf(name: string): string {
  return name.slice(0, name.lastIndexOf('.'));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
