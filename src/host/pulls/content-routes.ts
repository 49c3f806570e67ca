// What pull requests bring: their commits and files, whether they are merged, and which of them have a commit.
import { Failure } from '../../kernel/failure.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { noCommitFound, readCommits, showCommits } from '../commits/find-commit.ts';
import { CommitReply, DiffEntry, toDiffEntry } from '../commits/model.ts';
import { diffFiles, MAX_DIFF_FILES } from '../git/history/diff.ts';
import { countAheadBehind } from '../git/history/history.ts';
import { findMergeBase, listPullCommitIds, MAX_PULL_COMMITS } from '../git/merge/pull-changes.ts';
import { HostPageQuery, pageBefore, pageSliceOf } from '../list-query.ts';
import { READ_REPOSITORY, RepositoryParams } from '../repositories/access.ts';
import { PullParams, pullRoute, pullsRoute } from './access.ts';
import { PullSimpleReply } from './model.ts';
import { endsOf } from './pull-git.ts';
import { replySimply } from './reply-pulls.ts';
import { listPullIdsOfCommit } from './store.ts';

const listPullCommits = pullRoute(
  {
    id: 'pulls/list-commits',
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}/commits',
    summary: 'List the commits of a pull request',
    description: 'The oldest first, at most 250 of them.',
    access: READ_REPOSITORY,
    params: PullParams,
    query: Type.Object(HostPageQuery),
    list: CommitReply,
  },
  'read',
  async ({ query, base: url, signal }, { db, services }, opened) => {
    const { pull, issue, repository } = opened;
    const git = services.git.repository(repository.number, signal);
    const ends = await endsOf(git, pull, issue.state === 'open');
    const { ahead } = await countAheadBehind(git, ends.base, ends.head);
    const slice = pageSliceOf(query);
    const page = { skip: slice.offset, limit: slice.limit };
    const oids = await listPullCommitIds(git, { ...ends, ahead }, page);
    const commits = await showCommits(db, await readCommits(git, oids), opened, url);
    return new Page(commits, Math.min(ahead, MAX_PULL_COMMITS), slice);
  },
);

const listPullFiles = pullRoute(
  {
    id: 'pulls/list-files',
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}/files',
    summary: 'List the files of a pull request',
    description: 'At most 3,000 of them, with their changes since the branches parted.',
    access: READ_REPOSITORY,
    params: PullParams,
    query: Type.Object(HostPageQuery),
    list: DiffEntry,
  },
  'read',
  async ({ query, base: url, signal }, { services }, opened) => {
    const { pull, issue, repository } = opened;
    const git = services.git.repository(repository.number, signal);
    const ends = await endsOf(git, pull, issue.state === 'open');
    const sides = { from: await findMergeBase(git, ends), to: ends.head };
    const slice = pageSliceOf(query);
    const { files, total } = await diffFiles(git, sides, { skip: slice.offset, limit: slice.limit });
    const shown = files.map((file) => toDiffEntry(file, sides, opened, url));
    return new Page(shown, Math.min(total.files, MAX_DIFF_FILES), slice);
  },
);

const checkIfMerged = pullRoute(
  {
    id: 'pulls/check-if-merged',
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}/merge',
    summary: 'Check whether a pull request is merged',
    description: 'Answers 404 where it is not.',
    access: READ_REPOSITORY,
    params: PullParams,
    reply: { 204: null },
  },
  'read',
  (_call, _kernel, { pull }) => {
    if (pull.mergedAt === null) throw new Failure('not-found', 'The pull request is not merged');
    return reply(204);
  },
);

const listPullsOfCommit = pullsRoute(
  {
    id: 'repos/list-pull-requests-associated-with-commit',
    method: 'GET',
    path: '/repos/{owner}/{repo}/commits/{commit_sha}/pulls',
    summary: 'List the pull requests of a commit',
    description: 'Those that have brought the commit to their base or are to bring it, the newest first.',
    access: READ_REPOSITORY,
    params: Type.Object({ ...RepositoryParams, commit_sha: Type.String() }),
    query: Type.Object(HostPageQuery),
    list: PullSimpleReply,
  },
  'read',
  async (call, kernel, found) => {
    const { commit_sha: sha } = call.params;
    const { number } = found.repository;
    const commit = await kernel.services.git.repository(number, call.signal).resolveCommit(sha);
    if (commit === undefined) throw noCommitFound(sha);
    const slice = pageSliceOf(call.query);
    const ids = pageBefore(await listPullIdsOfCommit(kernel.db, number, commit.oid, slice), slice);
    const shown = await replySimply(kernel, call, found, ids.items);
    return new Page(shown, ids.total, slice, false, ids.more);
  },
);

export const pullContentRoutes = [listPullCommits, listPullFiles, checkIfMerged, listPullsOfCommit];
