// Merges two commits as git does, without a working folder: the tree that comes of it, or why there is none. ADR 0135.
import { readGit, splitRecords, type GitTarget } from '../git-target.ts';
import { checkedObjectId } from '../objects/object-id.ts';
import { GitError } from '../process/git-process.ts';
import { inQuarantine, type QuarantinedTarget } from './quarantine.ts';

/** Why two commits cannot be merged. */
export type MergeRefusal =
  /** Files that both sides changed: the first thousand of them. Conflicts of renamed folders may name none. */
  | { kind: 'conflicts'; paths: string[] }
  /** They have no ancestor in common. */
  | { kind: 'unrelated' };

export type MergedTrees = { kind: 'clean'; tree: string } | MergeRefusal;

const MAX_PATHS = 1000;
/** Git compares every file that is gone with every new one, so that a merge of two large rewrites may take minutes. */
const TIMEOUT_MS = 30_000;
const MAX_OUTPUT = 64 * 1024 ** 2;
const UNRELATED = /refusing to merge unrelated histories/;

/**
 * Whether `head` can be merged into `base`. Nothing is left behind: the tree is named, but is not in the repository.
 * @throws {GitLimitExceeded} or {GitTimedOut} where the content takes more than a merge may.
 */
export async function mergeTrees(target: GitTarget, base: string, head: string): Promise<MergedTrees> {
  return await inQuarantine(target, (quarantined) => writeMergedTree(quarantined, base, head));
}

/** As `mergeTrees`; the tree and what is new in it are in the quarantine, not durable yet. */
export async function writeMergedTree(
  target: QuarantinedTarget,
  base: string,
  head: string,
): Promise<MergedTrees> {
  const sides = [checkedObjectId(base), checkedObjectId(head)];
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ...sides];
  const options = { isUnsynced: true, timeoutMs: TIMEOUT_MS, maxOutput: MAX_OUTPUT };
  const records: string[] = [];
  let isClean = true;
  try {
    for await (const record of splitRecords(readGit(target, args, options))) {
      records.push(record.toString());
      if (records.length > MAX_PATHS) break;
    }
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (UNRELATED.test(error.stderr)) return { kind: 'unrelated' };
    // The same code stands for a commit that is not there, without a tree.
    if (error.exitCode !== 1 || records.length === 0) throw error;
    isClean = false;
  }
  const [tree = '', ...paths] = records;
  return isClean && paths.length === 0
    ? { kind: 'clean', tree: checkedObjectId(tree) }
    : { kind: 'conflicts', paths: withoutSides(paths, sides) };
}

/** Where two things claim one name, git gives one of them the name of its side too, such as `folder~<commit>`. */
function withoutSides(paths: readonly string[], sides: readonly string[]): string[] {
  const suffix = new RegExp(`~(?:${sides.join('|')})(?:_\\d+)?$`);
  return [...new Set(paths.map((path) => path.replace(suffix, '')))];
}
