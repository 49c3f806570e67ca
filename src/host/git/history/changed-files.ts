// Which files differ between two commits, by their names alone, and a digest of the whole difference.
import { createHash } from 'node:crypto';
import { readGit, splitRecords, type GitTarget } from '../git-target.ts';
import { checkedObjectId, EMPTY_TREE_OID } from '../objects/object-id.ts';

/** Commits; `from` is undefined for nothing, as before the first commit. */
interface ComparedCommits {
  from: string | undefined;
  to: string;
}

const TIMEOUT_MS = 20_000;
const MAX_OUTPUT = 32 * 1024 ** 2;

/**
 * All of them. A file that was renamed counts with both names.
 * @throws {GitLimitExceeded} above 32 MB of names.
 */
export async function listChangedPaths(target: GitTarget, commits: ComparedCommits): Promise<string[]> {
  const paths: string[] = [];
  for await (const record of splitRecords(compare(target, commits, ['--name-only'])))
    paths.push(record.toString());
  return paths;
}

/**
 * The same where the same files change from the same contents to the same contents.
 * @throws {GitLimitExceeded} above 32 MB of names and ids.
 */
export async function digestDifference(target: GitTarget, commits: ComparedCommits): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of compare(target, commits, ['--raw', '--no-abbrev'])) hash.update(chunk);
  return hash.digest('hex');
}

function compare(
  target: GitTarget,
  { from = EMPTY_TREE_OID, to }: ComparedCommits,
  format: readonly string[],
): AsyncGenerator<Buffer, void, void> {
  const sides = [checkedObjectId(from), checkedObjectId(to)];
  const args = ['diff-tree', '-r', '-z', '--no-renames', ...format, ...sides, '--'];
  return readGit(target, args, { timeoutMs: TIMEOUT_MS, maxOutput: MAX_OUTPUT });
}
