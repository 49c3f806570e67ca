// Checks every object of a repository, and that none is missing which a reference leads to.
import { GitError } from '../process/git-process.ts';
import { runGit, type GitTarget } from '../git-target.ts';

const TIMEOUT_MS = 6 * 60 * 60_000;
const MAX_OUTPUT = 16 * 1024 ** 2;
const MAX_SHOWN = 3;

/** What is wrong, in git's words; undefined where all is well. */
export async function findDamage(target: GitTarget, signal?: AbortSignal): Promise<string | undefined> {
  const damage = await checkOnce(target, signal);
  // Files that were replaced while it read them look like missing ones.
  return damage === undefined ? undefined : await checkOnce(target, signal);
}

async function checkOnce(target: GitTarget, signal: AbortSignal | undefined): Promise<string | undefined> {
  const printed: Buffer[] = [];
  const options = {
    work: 'maintain' as const,
    timeoutMs: TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
    onStderr: (chunk: Buffer) => void (printed.length < 100 && printed.push(chunk)),
    ...(signal && { signal }),
  };
  try {
    await runGit(target, ['fsck', '--full', '--no-dangling', '--no-reflogs', '--no-progress'], options);
    return undefined;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const lines = Buffer.concat(printed).toString().split('\n').filter(Boolean);
    return lines.slice(0, MAX_SHOWN).join('; ') || `git fsck failed with exit code ${error.exitCode ?? '?'}`;
  }
}
