// What all pages of repositories read.
import { path, type Call } from '../api/call.ts';
import { useRead, type Read } from '../api/read.ts';
import type { OpenCounts, RepositoryStanding, RepositorySummary } from '../api/types/signalbox.ts';
import { useListPages } from '../lib/list-pages.ts';
import type { RepositoryPlace } from './place.ts';
import type { Branch, Commit, Repository, Tag } from './repository.ts';

const PAGE = 50;
const COMMITS_PAGE = 50;
/** The most that the API gives at once. */
const REFS_PAGE = 100;

/** Pushes change them, and so do calls. */
export const TOPICS = ['repo'];

const idOf = ({ id }: Repository) => String(id);

/** The page after this one; undefined at the end. */
export function nextPage(page: number, headers: Headers): number | undefined {
  return /rel="next"/.test(headers.get('link') ?? '') ? page + 1 : undefined;
}

/** `sort` is the name of the order, with `-` before it for descending. */
export function useRepositories(sort: string) {
  return useListPages<Repository[], Repository>({
    call: {
      api: 'host',
      path: '/user/repos',
      query: { sort: sort.replace(/^-/, ''), direction: sort.startsWith('-') ? 'desc' : 'asc' },
    },
    topics: TOPICS,
    first: 1,
    pageQuery: (page) => ({ per_page: PAGE, page }),
    toPage: (rows, page, headers) => ({ rows, next: nextPage(page, headers) }),
    idOf,
  });
}

export function repositoryCall({ owner, repo }: RepositoryPlace, rest = '', query?: Call['query']): Call {
  return {
    api: 'host',
    path: path`/repos/${owner}/${repo}` + rest,
    ...(query !== undefined && { query }),
  };
}

export function repositoryRead(place: RepositoryPlace): Read {
  return { call: repositoryCall(place), topics: TOPICS };
}

export function useRepository(place: RepositoryPlace) {
  return useRead<Repository>(repositoryRead(place));
}

/** Stars and watches are in no stream. */
export const STANDING_TOPICS = ['repo-standing'];

/** What the repository is to the caller. */
export function useStanding({ owner, repo }: RepositoryPlace) {
  return useRead<RepositoryStanding>({
    call: { api: 'signalbox', path: path`/repositories/${owner}/${repo}/standing` },
    topics: [...STANDING_TOPICS, 'actor', 'run'],
  });
}

/** All rows of a batch share one reading. */
export function useRepositorySummary(id: number, batch: string): RepositorySummary | undefined {
  const { data } = useRead<{ items: RepositorySummary[] }>({
    call: { api: 'signalbox', path: '/repositories/summaries', query: { ids: batch } },
    topics: [...TOPICS, 'actor'],
  });
  return data?.items.find((one) => one.id === id);
}

/** On every page of a repository. */
export function useOpenCounts({ owner, repo }: RepositoryPlace) {
  return useRead<OpenCounts>({
    call: { api: 'signalbox', path: path`/repositories/${owner}/${repo}/open-counts` },
    topics: TOPICS,
  });
}

export interface CommitFilter {
  ref: string;
  path?: string | undefined;
  author?: string | undefined;
}

const shaOf = ({ sha }: Commit) => sha;

export function useCommits(place: RepositoryPlace, { ref, path: file, author }: CommitFilter) {
  return useListPages<Commit[], Commit>({
    call: repositoryCall(place, '/commits', { sha: ref, path: file, author }),
    topics: TOPICS,
    first: 1,
    pageQuery: (page) => ({ per_page: COMMITS_PAGE, page }),
    toPage: (rows, page, headers) => ({ rows, next: nextPage(page, headers) }),
    idOf: shaOf,
  });
}

/** The last commit that changed what is there. */
export function lastCommitRead(place: RepositoryPlace, ref: string, file = ''): Read {
  const call = repositoryCall(place, '/commits', { sha: ref, path: file, per_page: 1 });
  return { call, topics: TOPICS };
}

const nameOf = ({ name }: { name: string }) => name;

export function useBranches(place: RepositoryPlace, isEnabled = true) {
  return useListPages<Branch[], Branch>({
    call: repositoryCall(place, '/branches'),
    topics: TOPICS,
    isEnabled,
    first: 1,
    pageQuery: (page) => ({ per_page: REFS_PAGE, page }),
    toPage: (rows, page, headers) => ({ rows, next: nextPage(page, headers) }),
    idOf: nameOf,
  });
}

export function useTags(place: RepositoryPlace, isEnabled = true) {
  return useListPages<Tag[], Tag>({
    call: repositoryCall(place, '/tags'),
    topics: TOPICS,
    isEnabled,
    first: 1,
    pageQuery: (page) => ({ per_page: REFS_PAGE, page }),
    toPage: (rows, page, headers) => ({ rows, next: nextPage(page, headers) }),
    idOf: nameOf,
  });
}

export type RefKind = 'heads' | 'tags';

interface MatchingRef {
  ref: string;
  object: { sha: string };
}

/** Those whose names begin so. */
function matchingRefsCall(place: RepositoryPlace, kind: RefKind, start: string): Call {
  return repositoryCall(place, `/git/matching-refs/${kind}/${encodeURIComponent(start)}`);
}

export function useMatchingRefs(place: RepositoryPlace, kind: RefKind, start: string, isEnabled: boolean) {
  const { data, ...read } = useRead<MatchingRef[]>(
    { call: matchingRefsCall(place, kind, start), topics: TOPICS },
    { isEnabled, keepsPrevious: true },
  );
  const refs = data?.map(({ ref, object }) => ({ name: ref.slice(`refs/${kind}/`.length), sha: object.sha }));
  return { ...read, refs };
}
