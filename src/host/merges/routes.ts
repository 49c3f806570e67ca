// Merges of branches without pull requests: of one repository, and of a fork with the repository above it.
import { Failure } from '../../kernel/failure.ts';
import { reply } from '../../kernel/http/route.ts';
import { OneOf, PlainText, Type } from '../../kernel/schema/schema.ts';
import { showCommit } from '../commits/find-commit.ts';
import { CommitReply } from '../commits/model.ts';
import { isAncestor } from '../git/history/history.ts';
import { isBranchName } from '../git/refs/revision.ts';
import { branchRef } from '../pulls/pull.ts';
import { readBranch } from '../pulls/pull-git.ts';
import { PUSH_REPOSITORY, repositoryRoute, RepositoryParams } from '../repositories/access.ts';
import { mergeIntoBranch, retryMoved } from './merge-branch.ts';
import { syncFork, type SyncKind } from './sync-fork.ts';

const BRANCHES = /^refs\/heads\//;
const MAX_NAME = 1024;
const MAX_MESSAGE = 65_536;

const mergeBranches = repositoryRoute(
  {
    id: 'repos/merge',
    method: 'POST',
    path: '/repos/{owner}/{repo}/merges',
    summary: 'Merge a branch or a commit into a branch',
    description: 'Always with a merge commit. 204 where the branch has all of it already.',
    access: PUSH_REPOSITORY,
    params: Type.Object(RepositoryParams),
    body: Type.Object({
      base: PlainText({ minLength: 1, maxLength: MAX_NAME, description: 'The branch that is merged into' }),
      head: PlainText({ minLength: 1, maxLength: MAX_NAME, description: 'A branch, a tag or a commit' }),
      commit_message: Type.Optional(PlainText({ maxLength: MAX_MESSAGE })),
    }),
    reply: { 201: CommitReply, 204: null },
    isData: true,
  },
  'write',
  async (call, kernel, found) => {
    const { base: into, head: named, commit_message: text } = call.body;
    const branch = into.replace(BRANCHES, '');
    const message = text?.trim() ? `${text.trimEnd()}\n` : `Merge ${named} into ${branch}\n`;
    const git = kernel.services.git.repository(found.repository.number);
    const created = await retryMoved(async () => {
      const from = isBranchName(branch) ? await readBranch(git, branch) : undefined;
      if (from === undefined) throw new Failure('not-found', 'Base does not exist', { code: 'no-base' });
      const head = (await git.resolveCommit(named))?.oid;
      if (head === undefined) throw new Failure('not-found', 'Head does not exist', { code: 'no-head' });
      if (await isAncestor(git, head, from)) return undefined;
      const merged = await mergeIntoBranch(kernel, call, found, {
        ref: branchRef(branch),
        from,
        head,
        message,
      });
      if (merged.kind !== 'created') throw new Failure('conflict', 'Merge conflict');
      return await git.readCommit(merged.commit);
    });
    if (created === undefined) return reply(204);
    const shown = await showCommit(kernel.db, created, found, call.base);
    return reply(201, shown, { location: shown.url });
  },
);

const MERGE_TYPES = ['merge', 'fast-forward', 'none'] as const satisfies readonly SyncKind[];

const MESSAGES: Record<SyncKind, (upstream: string) => string> = {
  'fast-forward': (upstream) => `Successfully fetched and fast-forwarded from upstream ${upstream}.`,
  merge: (upstream) => `Successfully fetched and merged from upstream ${upstream}.`,
  none: (upstream) => `This branch is not behind the upstream ${upstream}.`,
};

const mergeUpstream = repositoryRoute(
  {
    id: 'repos/merge-upstream',
    method: 'POST',
    path: '/repos/{owner}/{repo}/merge-upstream',
    summary: 'Bring a branch of a fork up to date with the repository above it',
    description: 'With the branch of the same name there: moved forward where that is possible, else merged.',
    access: PUSH_REPOSITORY,
    params: Type.Object(RepositoryParams),
    body: Type.Object({ branch: PlainText({ minLength: 1, maxLength: MAX_NAME }) }),
    reply: {
      200: Type.Object(
        { message: Type.String(), merge_type: OneOf(MERGE_TYPES), base_branch: Type.String() },
        { $id: 'merged-upstream' },
      ),
    },
    isData: true,
  },
  'write',
  async (call, kernel, found) => {
    const branch = call.body.branch.replace(BRANCHES, '');
    const { kind, upstream } = await syncFork(kernel, call, found, branch);
    return { message: MESSAGES[kind](upstream), merge_type: kind, base_branch: upstream };
  },
);

export const mergeRoutes = [mergeBranches, mergeUpstream];
