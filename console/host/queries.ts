// What the pages of repositories read.
import { path, type Call } from '../api/call.ts';
import { useRead, type Read } from '../api/read.ts';
import { useListPages } from '../lib/list-pages.ts';
import type { Commit, ContentEntry, Issue, Readme, Repository } from './repository.ts';

const PAGE = 50;
/** Issues come together with pull requests: of these, some are left. */
const MIXED_PAGE = 30;
export const FEW = 10;

const idOf = ({ id }: Repository) => String(id);

/** `sort` is the name of the order, with `-` before it for descending. */
export function useRepositories(sort: string) {
  return useListPages<Repository[], Repository>({
    call: {
      api: 'host',
      path: '/user/repos',
      query: { sort: sort.replace(/^-/, ''), direction: sort.startsWith('-') ? 'desc' : 'asc' },
    },
    topics: ['repo'],
    first: 1,
    pageQuery: (page) => ({ per_page: PAGE, page }),
    toPage: (rows, page, headers) => ({ rows, next: hasNext(headers) ? page + 1 : undefined }),
    idOf,
  });
}

function hasNext(headers: Headers): boolean {
  return /rel="next"/.test(headers.get('link') ?? '');
}

function repositoryCall(owner: string, repo: string, rest = '', query: Call['query'] = {}): Call {
  return { api: 'host', path: path`/repos/${owner}/${repo}` + rest, query };
}

export function repositoryRead(owner: string, repo: string): Read {
  return { call: repositoryCall(owner, repo), topics: ['repo'] };
}

export function useRepository(owner: string, repo: string) {
  return useRead<Repository>(repositoryRead(owner, repo));
}

/** The top folder of the default branch. An empty repository has none: the API answers 404. */
export function useContents(owner: string, repo: string) {
  return useRead<ContentEntry[]>({ call: repositoryCall(owner, repo, '/contents'), topics: ['repo'] });
}

export function useReadme(owner: string, repo: string) {
  return useRead<Readme>({ call: repositoryCall(owner, repo, '/readme'), topics: ['repo'] });
}

export function useCommits(owner: string, repo: string) {
  const call = repositoryCall(owner, repo, '/commits', { per_page: FEW });
  return useRead<Commit[]>({ call, topics: ['repo'] });
}

export function useIssues(owner: string, repo: string) {
  const call = repositoryCall(owner, repo, '/issues', { state: 'open', per_page: MIXED_PAGE });
  return useRead<Issue[]>({ call, topics: ['repo'] });
}

export function usePulls(owner: string, repo: string) {
  const call = repositoryCall(owner, repo, '/pulls', { state: 'open', per_page: FEW });
  return useRead<Issue[]>({ call, topics: ['repo'] });
}
