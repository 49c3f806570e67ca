// What a change of a branch means for its history, as rules ask about it.
import { GitError } from '../git/git-process.ts';
import { runGit, type GitTarget } from '../git/git-target.ts';
import { checkedObjectId } from '../git/object-id.ts';

const TIMEOUT_MS = 60_000;

export interface ChangedHistory {
  /** Whether the new value does not descend from the old one. */
  isForced(from: string, to: string): Promise<boolean>;
  hasNewCommits(from: string, to: string): Promise<boolean>;
  hasNewMerges(from: string, to: string): Promise<boolean>;
}

/** The new commit has one parent, which is the present one. */
export const ONE_COMMIT: ChangedHistory = {
  isForced: () => Promise.resolve(false),
  hasNewCommits: () => Promise.resolve(true),
  hasNewMerges: () => Promise.resolve(false),
};

/** What is no commit, or cannot be read, breaks every rule: git itself refuses it later. */
export function historyOf(git: GitTarget): ChangedHistory {
  const hasAny = async (options: readonly string[], to: string, from: string) => {
    const range = [checkedObjectId(to), `^${checkedObjectId(from)}`, '--'];
    return (await outputOf(git, ['rev-list', '--max-count=1', ...options, ...range])) !== '';
  };
  return {
    isForced: (from, to) => hasAny([], from, to),
    hasNewCommits: (from, to) => hasAny([], to, from),
    hasNewMerges: (from, to) => hasAny(['--merges'], to, from),
  };
}

async function outputOf(git: GitTarget, args: readonly string[]): Promise<string> {
  try {
    return (await runGit(git, args, { timeoutMs: TIMEOUT_MS, maxOutput: 1024 })).toString('latin1').trim();
  } catch (error) {
    if (error instanceof GitError) return 'unreadable';
    throw error;
  }
}
