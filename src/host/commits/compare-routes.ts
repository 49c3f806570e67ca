// Comparisons of two commits of a repository, or of a repository and its forks.
import { clampLimit, Page } from '../../kernel/http/reply/page.ts';
import { reply } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { diffFiles, streamDiff, streamPatches } from '../git/diff.ts';
import { countAheadBehind, listCommitIdsBetween } from '../git/history.ts';
import { pageLinks } from '../page-links.ts';
import { HostPageQuery } from '../list-query.ts';
import { READ_REPOSITORY, repositoryRoute } from '../repositories/access.ts';
import { RepositoryParams } from '../repositories/repository-params.ts';
import { openComparison, type ComparedSide } from './compare.ts';
import { readCommits, showCommit, showCommits } from './find-commit.ts';
import { CommitComparison, toDiffEntry } from './model.ts';
import { streamText, textFormatOf } from './text-reply.ts';

const MAX_COMMITS = 250;

const compareCommits = repositoryRoute(
  {
    id: 'repos/compare-commits-with-basehead',
    method: 'GET',
    path: '/repos/{owner}/{repo}/compare/{basehead...}',
    summary: 'Compare two commits',
    description:
      'What `head` has and its last common ancestor with `base` has not: commits, the oldest first, and files. The media types diff and patch give it as text.',
    access: READ_REPOSITORY,
    params: Type.Object({
      ...RepositoryParams,
      basehead: Type.String({
        description:
          '`base...head`, each a branch, a tag or a commit; `owner:` or `owner:repository:` before it names a fork',
      }),
    }),
    query: Type.Object({
      ...HostPageQuery,
      per_page: Type.Optional(Type.Integer({ minimum: 0, description: 'At most 250, also if absent' })),
    }),
    reply: { 200: CommitComparison },
  },
  'read',
  async (call, kernel, found) => {
    const { params, query, headers, base: url } = call;
    const { basehead } = params;
    const compared = await openComparison(kernel, call, found, basehead);
    const { base, head, mergeBase } = compared;
    const target = { ...compared.target, signal: call.signal };
    const sides = { from: mergeBase.oid, to: head.commit.oid };
    const ends = { base: base.commit.oid, head: head.commit.oid };
    const format = textFormatOf(headers['accept']);
    if (format === 'diff') return await streamText(kernel, call, format, streamDiff(target, sides));
    if (format === 'patch') return await streamText(kernel, call, format, streamPatches(target, ends));
    const { ahead, behind } = await countAheadBehind(target, ends.base, ends.head);
    const limit = clampLimit(query.per_page, MAX_COMMITS, MAX_COMMITS);
    const slice = { offset: (query.page - 1) * limit, limit };
    const page = { skip: slice.offset, limit };
    const oids = await listCommitIdsBetween(target, { ...ends, total: ahead }, page);
    const files = slice.offset === 0 ? (await diffFiles(target, sides)).files : undefined;
    const { db } = kernel;
    const shown = {
      ...urlsOfComparison(base, head, `${fullNameOf({ found })}/compare/${encodeBasehead(basehead)}`, url),
      base_commit: await showCommit(db, base.commit, base.found, url),
      merge_base_commit: await showCommit(db, mergeBase, base.found, url),
      status: statusOf(ahead, behind),
      ahead_by: ahead,
      behind_by: behind,
      total_commits: ahead,
      commits: await showCommits(db, await readCommits(head.git, oids), head.found, url),
      ...(files && { files: files.map((file) => toDiffEntry(file, sides, head.found, url)) }),
    };
    return reply(200, shown, pageLinks(new Page([], ahead, slice), url, call.url));
  },
);

function statusOf(ahead: number, behind: number) {
  if (ahead > 0) return behind > 0 ? 'diverged' : 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}

function urlsOfComparison(base: ComparedSide, head: ComparedSide, path: string, url: string) {
  const { origin } = new URL(url);
  const page = `${origin}/${path}`;
  const permanent = ({ found: { owner, repository }, commit }: ComparedSide) =>
    `${owner.login}:${repository.name}:${commit.oid.slice(0, 12)}`;
  return {
    url: `${url}/repos/${path}`,
    html_url: page,
    permalink_url: `${origin}/${fullNameOf(base)}/compare/${permanent(base)}...${permanent(head)}`,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
  };
}

function fullNameOf({ found: { owner, repository } }: Pick<ComparedSide, 'found'>): string {
  return `${owner.login}/${repository.name}`;
}

/** Slashes and colons may stand in a path as they are. */
function encodeBasehead(basehead: string): string {
  return encodeURIComponent(basehead).replaceAll('%2F', '/').replaceAll('%3A', ':');
}

export const compareRoutes = [compareCommits];
