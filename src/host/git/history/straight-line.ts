// The commits that a branch has got, where each follows the one before: most pushes are so short that reading them takes no process of git.
import { Failure } from '../../../kernel/failure.ts';
import type { GitCommit } from '../objects/commit-object.ts';
import type { GitRepository } from '../repository.ts';
import type { LoggedCommit } from './history.ts';
import { findTreeChanges } from './tree-changes.ts';

/** For more commits, or merges, a process of git is cheaper than to read them one by one. */
const MAX_COMMITS = 16;

/**
 * The commits that `to` has and `from` has not, the oldest first; all of them where `from` is undefined. Undefined where they are no
 * short line from the one to the other.
 */
export async function readStraightLine(
  git: GitRepository,
  from: string | undefined,
  to: string,
): Promise<GitCommit[] | undefined> {
  const line: GitCommit[] = [];
  let next = to === from ? undefined : to;
  try {
    while (next !== undefined) {
      const commit: GitCommit | undefined = await git.readCommit(next);
      if (commit === undefined || commit.parents.length > 1 || line.length === MAX_COMMITS) return undefined;
      line.push(commit);
      const [parent] = commit.parents;
      if (parent === undefined && from !== undefined) return undefined;
      next = parent === from ? undefined : parent;
    }
  } catch (error) {
    // A commit is too large to be read at once.
    if (error instanceof Failure) return undefined;
    throw error;
  }
  return line.toReversed();
}

/** As `logFiles`. Undefined where a process of git has to compare the files. */
export async function logStraightLine(
  git: GitRepository,
  { from, to, maxFiles }: { from: string | undefined; to: string; maxFiles: number },
): Promise<LoggedCommit[] | undefined> {
  const line = await readStraightLine(git, from, to);
  if (line === undefined) return undefined;
  const logged: LoggedCommit[] = [];
  let left = maxFiles;
  let tree = from === undefined ? undefined : (await git.readCommit(from))?.tree;
  if (from !== undefined && tree === undefined) return undefined;
  for (const commit of line) {
    const changes = await findTreeChanges(git, tree, commit.tree);
    if (changes === undefined) return undefined;
    const one: LoggedCommit = { oid: commit.oid, added: [], removed: [], modified: [] };
    for (const change of changes.slice(0, Math.max(left, 0))) {
      if (change.from === undefined) one.added.push(change.path);
      else if (change.to === undefined) one.removed.push(change.path);
      else one.modified.push(change.path);
    }
    left -= changes.length;
    logged.push(one);
    tree = commit.tree;
  }
  return logged;
}
