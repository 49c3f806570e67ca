// Whether a commit is one of a pull request: of its head, or of what its branch had before it was pushed anew.
import type { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { isAncestor } from '../git/history/history.ts';
import { isObjectId } from '../git/objects/object-id.ts';
import type { OpenedPull } from './access.ts';
import { pullRefused } from './pull.ts';
import { hasCommit } from './store.ts';

/** Throws unless it is. Commits that a later push has removed are taken: the pull request had them. */
export async function requirePullCommit(
  kernel: Kernel,
  opened: OpenedPull,
  commitId: string,
): Promise<string> {
  if (commitId === opened.pull.headSha) return commitId;
  if (!isObjectId(commitId)) throw noPullCommit();
  if (await hasCommit(kernel.db, opened.pull, commitId)) return commitId;
  // Timelines leave out what goes beyond their limits.
  const git = kernel.services.git.repository(opened.repository.number);
  const isKnown = (await git.readInfo(commitId))?.type === 'commit';
  const { headSha, baseSha } = opened.pull;
  const isOwn =
    isKnown && (await isAncestor(git, commitId, headSha)) && !(await isAncestor(git, commitId, baseSha));
  if (!isOwn) throw noPullCommit();
  return commitId;
}

/** In the words that clients know. */
function noPullCommit(): Failure {
  return pullRefused('is not part of the pull request', 'commit_id');
}
