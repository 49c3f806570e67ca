// Commits of a repository: lists of them, and single ones with their changes, as JSON or as text.
import { Page, clampLimit } from '../../kernel/http/reply/page.ts';
import { reply, Stream, Text } from '../../kernel/http/route.ts';
import { PlainText, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { userContentHeaders } from '../../kernel/http/reply/user-content.ts';
import {
  diffFiles,
  MAX_DIFF_FILES,
  MAX_DIFF_PAGE,
  streamCommitPatch,
  streamDiff,
} from '../git/history/diff.ts';
import { listCommitIds, type HistoryFilter } from '../git/history/history.ts';
import { pageLinks, HostPageQuery, pageBefore, pageSliceOf } from '../list-query.ts';
import { noreplyAddressOf } from '../owners/model.ts';
import { findUser } from '../owners/store.ts';
import { READ_REPOSITORY, repositoryRoute, RepositoryParams } from '../repositories/access.ts';
import { parseTime } from '../times.ts';
import { mediaParamOf } from '../media-type.ts';
import { asDownload } from '../transport/downloads.ts';
import type { GitTransferCall } from '../transport/git-transfers.ts';
import { findCommit, noCommitAt, readCommits, showCommit, showCommits } from './find-commit.ts';
import { CommitReply, toDiffEntry } from './model.ts';

const Moment = Type.Optional(Type.String({ format: 'date-time' }));
const Person = Type.Optional(PlainText({ description: 'A login or an e-mail address' }));

interface ListQuery {
  path?: string;
  author?: string;
  committer?: string;
  since?: string;
  until?: string;
}

const listCommits = repositoryRoute(
  {
    id: 'repos/list-commits',
    method: 'GET',
    path: '/repos/{owner}/{repo}/commits',
    summary: 'List commits',
    description: 'The newest first. An empty repository is a conflict.',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object({
      sha: Type.Optional(
        Type.String({ description: 'A branch, tag or commit to begin with; the default branch if absent' }),
      ),
      path: Type.Optional(Type.String({ description: 'Only commits that change this file or folder' })),
      author: Person,
      committer: Person,
      since: Moment,
      until: Moment,
      ...HostPageQuery,
    }),
    list: CommitReply,
  },
  'read',
  async ({ query, base, signal }, { db, services }, found) => {
    const { repository } = found;
    const git = services.git.repository(repository.number, signal);
    const tip = await findCommit(git, query.sha || repository.defaultBranch);
    const slice = pageSliceOf(query);
    const filter = await filterOf(db, query);
    // One more than the page has shows whether another follows; counting all would walk the whole history.
    const page = { skip: slice.offset, limit: slice.limit + 1 };
    const oids = filter === undefined ? [] : await listCommitIds(git, tip.oid, page, filter);
    const { items, ...rest } = pageBefore(oids, slice);
    const commits = await showCommits(db, await readCommits(git, items), found, base);
    return new Page(commits, rest.total, slice, false, rest.more);
  },
);

/** Undefined where no commit can match. */
async function filterOf(db: Db, query: ListQuery): Promise<HistoryFilter | undefined> {
  const { path, author, committer, since, until } = query;
  const authors = author && (await listPersonTexts(db, author));
  const committers = committer && (await listPersonTexts(db, committer));
  if (authors && authors.length === 0) return undefined;
  if (committers && committers.length === 0) return undefined;
  return {
    ...(path && { path: path.replace(/^\/+|\/+$/g, '') }),
    ...(authors && { authors }),
    ...(committers && { committers }),
    ...(since !== undefined && { since: parseTime('since', since) }),
    ...(until !== undefined && { until: parseTime('until', until) }),
  };
}

const getCommit = repositoryRoute(
  {
    id: 'repos/get-commit',
    method: 'GET',
    path: '/repos/{owner}/{repo}/commits/{ref...}',
    summary: 'Get a commit',
    description:
      'With its changes to its first parent, at most 300 files on a page. The media types diff, patch and sha give it as text.',
    access: READ_REPOSITORY,
    params: Type.Object({
      ...RepositoryParams,
      ref: Type.String({ description: 'A branch, a tag, or a commit' }),
    }),
    query: Type.Object(HostPageQuery),
    reply: { 200: CommitReply },
  },
  'read',
  async (call, kernel, found) => {
    const { params, query, headers, base, url, signal } = call;
    const { db, services } = kernel;
    const git = services.git.repository(found.repository.number, signal);
    const commit = await findCommit(git, params.ref, () => noCommitAt(git, params.ref, url));
    const sides = { from: commit.parents[0], to: commit.oid };
    const format = textFormatOf(headers['accept']);
    if (format === 'sha') return shaText(commit.oid);
    if (format === 'diff') return await streamText(kernel, call, format, streamDiff(git, sides));
    if (format === 'patch') return await streamText(kernel, call, format, streamCommitPatch(git, commit.oid));
    const limit = clampLimit(query.per_page, MAX_DIFF_PAGE, MAX_DIFF_PAGE);
    const slice = { offset: (query.page - 1) * limit, limit };
    const { files, total } = await diffFiles(git, sides, { skip: slice.offset, limit });
    const { additions, deletions } = total;
    const shown = {
      ...(await showCommit(db, commit, found, base)),
      stats: { total: additions + deletions, additions, deletions },
      files: files.map((file) => toDiffEntry(file, sides, found, base)),
    };
    const pages = new Page([], Math.min(total.files, MAX_DIFF_FILES), slice);
    return reply(200, shown, pageLinks(pages, base, url));
  },
);

/**
 * In the angle brackets of commits, so that no longer address matches. None for a login that nobody has. An address that
 * a user has added does not count: nothing proves that it is theirs.
 */
async function listPersonTexts(db: Db, person: string): Promise<string[]> {
  if (person.includes('@')) return [`<${person}>`];
  const account = await findUser(db, person);
  if (account === undefined) return [];
  return [account.email, noreplyAddressOf(account)].map((email) => `<${email}>`);
}

export const commitRoutes = [listCommits, getCommit];

export type TextFormat = 'diff' | 'patch' | 'sha';

/** Undefined for JSON. */
export function textFormatOf(accept: string | string[] | undefined): TextFormat | undefined {
  const param = mediaParamOf(typeof accept === 'string' ? accept : undefined);
  return param === 'diff' || param === 'patch' || param === 'sha' ? param : undefined;
}

/** The content comes from users. */
export async function streamText(
  kernel: Kernel,
  call: GitTransferCall,
  format: TextFormat,
  source: AsyncGenerator<Buffer, void, void>,
): Promise<Stream> {
  return new Stream(await asDownload(kernel, call, source), userContentHeaders(typeOf(format)));
}

function shaText(oid: string): Text {
  return new Text(typeOf('sha'), oid);
}

function typeOf(format: TextFormat): string {
  return `application/vnd.github.v3.${format}; charset=utf-8`;
}
