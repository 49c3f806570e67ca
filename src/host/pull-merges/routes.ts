// Merges pull requests.
import { PlainText, OneOf, Type } from '../../kernel/schema/schema.ts';
import { MAX_BODY_LENGTH } from '../issues/issue.ts';
import { PullParams, pullRoute } from '../pulls/access.ts';
import { PUSH_REPOSITORY } from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
import { MERGE_METHODS } from './create-commit.ts';
import { finishOwnMerge } from './finish-merge.ts';
import { mergePull } from './merge-pull.ts';

const MergePut = Type.Object(
  {
    commit_title: Type.Optional(
      PlainText({
        maxLength: 1024,
        description: "The first line, instead of what the repository's settings say",
      }),
    ),
    commit_message: Type.Optional(
      PlainText({ maxLength: MAX_BODY_LENGTH, description: 'What follows the first line' }),
    ),
    sha: Type.Optional(PlainText({ maxLength: 64, description: 'The commit that the head must have' })),
    merge_method: Type.Optional(
      OneOf(MERGE_METHODS, {
        description:
          '`merge`, which makes a commit with both as parents, unless it is said: `squash` makes one commit of all changes, `rebase` repeats each commit on the base',
      }),
    ),
  },
  { $id: 'pull-request-merge' },
);

const MergeResult = Type.Object(
  { sha: Type.String(), merged: Type.Boolean(), message: Type.String() },
  { $id: 'pull-request-merge-result' },
);

const mergePullRequest = pullRoute(
  {
    id: 'pulls/merge',
    method: 'PUT',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}/merge',
    summary: 'Merge a pull request',
    description:
      'For those who may write, where the rules of the base branch let them. Answers 405 where it cannot be merged, with the reasons, ' +
      'and 409 where the head is not `sha`. Then nothing is changed.',
    access: PUSH_REPOSITORY,
    params: PullParams,
    body: MergePut,
    bodyIsOptional: true,
    reply: { 200: MergeResult },
    isData: true,
  },
  { writes: 'write' },
  async (call, kernel, opened) => {
    call.requirePermission(repositoryResource(opened));
    const {
      commit_title: title,
      commit_message: message,
      sha,
      merge_method: method = 'merge',
    } = call.body ?? {};
    const commit = await mergePull(kernel, call, opened, { title, message, sha, method });
    await finishOwnMerge(kernel, call.caller, opened.issue.id);
    return { sha: commit, merged: true, message: 'Pull Request successfully merged' };
  },
);

export const pullMergeRoutes = [mergePullRequest];
