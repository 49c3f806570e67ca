// Comparisons of two commits of a repository, or of a repository and its forks.
import { mayRead } from '../repositories/visibility.ts';
import { Failure } from '../../kernel/failure.ts';
import { clampLimit, Page } from '../../kernel/http/reply/page.ts';
import { reply } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { findInFamily, sourceNumberOf } from '../forks/store.ts';
import type { GitCommit } from '../git/objects/commit-object.ts';
import { diffFiles, streamDiff, streamPatches } from '../git/history/diff.ts';
import type { GitTarget } from '../git/git-target.ts';
import { countAheadBehind, listCommitIdsBetween, findMergeBases } from '../git/history/history.ts';
import type { GitRepository } from '../git/repository.ts';
import { pageLinks, HostPageQuery } from '../list-query.ts';
import { findOwner } from '../owners/store.ts';
import {
  READ_REPOSITORY,
  repositoryRoute,
  type FoundRepository,
  type RepositoryCall,
  RepositoryParams,
} from '../repositories/access.ts';
import { findRepositoryByName } from '../repositories/store.ts';
import { siteOf } from '../site.ts';
import { readCommits, showCommit, showCommits } from './find-commit.ts';
import { CommitComparison, toDiffEntry } from './model.ts';
import { streamText, textFormatOf } from './routes.ts';

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
  const site = siteOf(url);
  const page = `${site}/${path}`;
  const permanent = ({ found: { owner, repository }, commit }: ComparedSide) =>
    `${owner.login}:${repository.name}:${commit.oid.slice(0, 12)}`;
  return {
    url: `${url}/repos/${path}`,
    html_url: page,
    permalink_url: `${site}/${fullNameOf(base)}/compare/${permanent(base)}...${permanent(head)}`,
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

interface ComparedSide {
  found: FoundRepository;
  git: GitRepository;
  commit: GitCommit;
}

interface Compared {
  base: ComparedSide;
  head: ComparedSide;
  mergeBase: GitCommit;
  /** Where git finds the objects of both. */
  target: GitTarget;
}

/**
 * The two commits may be in two repositories of one family. Everything that the caller may not see is reported as
 * missing.
 */
async function openComparison(
  kernel: Kernel,
  call: RepositoryCall,
  opened: FoundRepository,
  basehead: string,
): Promise<Compared> {
  const [first, second, ...others] = basehead.split('...');
  if (!first || !second || others.length > 0) throw notComparable(basehead);
  const base = await findSide(kernel, call, opened, first);
  const head = await findSide(kernel, call, opened, second);
  const { git } = base;
  const isOne = git.number === head.git.number;
  const target = isOne ? git : { program: git.program, folder: git.folder, alternates: [head.git.folder] };
  const [oid] = await findMergeBases(target, base.commit.oid, head.commit.oid);
  const mergeBase = oid === undefined ? undefined : await git.readCommit(oid);
  if (mergeBase === undefined)
    throw new Failure('not-found', `No common ancestor between ${first} and ${second}.`);
  return { base, head, mergeBase, target };
}

/** `revision`, `owner:revision` or `owner:repository:revision`. A name of a branch has no colon. */
async function findSide(
  kernel: Kernel,
  call: RepositoryCall,
  opened: FoundRepository,
  text: string,
): Promise<ComparedSide> {
  const words = text.split(':');
  const revision = words.at(-1)!;
  const [login, name] = words.slice(0, -1);
  if (words.length > 3) throw notComparable(text);
  const found = login === undefined ? opened : await findRelative(kernel, call, opened, login, name);
  const git = found && kernel.services.git.repository(found.repository.number);
  const commit = await git?.resolveCommit(revision);
  if (found === undefined || git === undefined || commit === undefined) throw notComparable(text);
  return { found, git, commit };
}

/** The repository of the owner that has the same source. */
async function findRelative(
  { db }: Kernel,
  call: RepositoryCall,
  { repository }: FoundRepository,
  login: string,
  name: string | undefined,
): Promise<FoundRepository | undefined> {
  const owner = await findOwner(db, login);
  if (owner === undefined) return undefined;
  const source = sourceNumberOf(repository);
  const isOwn = repository.ownerId === owner.id;
  const relative =
    name === undefined
      ? isOwn
        ? repository
        : await findInFamily(db, owner.id, source)
      : await findRepositoryByName(db, owner, name);
  if (relative === undefined || sourceNumberOf(relative) !== source) return undefined;
  const found = { repository: relative, owner };
  return (await mayRead(db, call.caller, found)) ? found : undefined;
}

function notComparable(text: string): Failure {
  return new Failure('not-found', `There is no commit ${text} that can be compared`);
}

export const compareRoutes = [compareCommits];
