// What the pages of gists read and change.
import { useQuery } from '@tanstack/react-query';
import { path, type Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { keyOf, useChange, useRead, type Read } from '../../api/read.ts';
import { useListPages } from '../../lib/list-pages.ts';
import type { IssueComment } from '../issues/issue.ts';
import { useGrowingList } from '../issues/growing-list.ts';
import { withTexts } from '../issues/issue-queries.ts';
import { nextPage } from '../queries.ts';
import type { Gist, GistFile, GistRevision } from './gist.ts';

const PAGE = 50;
export const GIST_TOPICS = ['gist'];
/** Stars and comments are in no stream. */
const STAR_TOPICS = ['gist-star'];

/** The lists, by the word in the address. */
const LISTS = { own: '/gists', starred: '/gists/starred', public: '/gists/public' } as const;

export type GistList = keyof typeof LISTS;

export const GIST_LISTS = Object.keys(LISTS) as GistList[];

const idOf = ({ id }: Gist) => id;

function useGistPages(call: Call, topics: readonly string[]) {
  return useListPages<Gist[], Gist>({
    call,
    topics,
    first: 1,
    pageQuery: (page) => ({ per_page: PAGE, page }),
    toPage: (rows, page, headers) => ({ rows, next: nextPage(page, headers) }),
    idOf,
  });
}

export function useGists(list: GistList) {
  return useGistPages({ api: 'host', path: LISTS[list] }, [...GIST_TOPICS, ...STAR_TOPICS]);
}

export function gistCall(id: string, rest = ''): Call {
  return { api: 'host', path: path`/gists/${id}` + rest };
}

export function gistRead(id: string): Read {
  return { call: gistCall(id), topics: GIST_TOPICS };
}

export function useGist(id: string) {
  return useRead<Gist>(gistRead(id));
}

/** A revision never changes. */
export function useGistAt(id: string, version: string | undefined) {
  return useRead<Gist>({ call: gistCall(id, path`/${version ?? ''}`) }, { isEnabled: version !== undefined });
}

export function useForks(id: string) {
  return useGistPages(gistCall(id, '/forks'), GIST_TOPICS);
}

export function useRevisions(id: string) {
  return useGrowingList<GistRevision>({ call: gistCall(id, '/commits'), topics: GIST_TOPICS });
}

export function useGistComments(id: string) {
  return useGrowingList<IssueComment>({
    call: withTexts(gistCall(id, '/comments')),
    topics: GIST_TOPICS,
  });
}

export function commentCall(id: string, comment: number): Call {
  return gistCall(id, `/comments/${comment}`);
}

export function newGistCommentCall(id: string, body: string): Call {
  return { ...gistCall(id, '/comments'), method: 'POST', body: { body } };
}

export function useAddGistComment(id: string) {
  return useChange<string, IssueComment>((body) => newGistCommentCall(id, body), GIST_TOPICS);
}

/** The API answers that there is none where the caller has given no star. */
export function useIsStarred(id: string) {
  const call = gistCall(id, '/star');
  return useQuery<boolean, ApiError>({
    queryKey: keyOf(call),
    queryFn: async ({ signal }) => {
      try {
        await send(call, signal);
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return false;
        throw error;
      }
    },
    meta: { topics: STAR_TOPICS },
  });
}

export function useStar(id: string) {
  return useChange<boolean>(
    (isStarred) => ({ ...gistCall(id, '/star'), method: isStarred ? 'PUT' : 'DELETE' }),
    STAR_TOPICS,
  );
}

export function useFork(id: string) {
  return useChange<void, Gist>(() => ({ ...gistCall(id, '/forks'), method: 'POST' }), GIST_TOPICS);
}

export function useDeleteGist(id: string) {
  return useChange<void>(() => ({ ...gistCall(id), method: 'DELETE' }), [...GIST_TOPICS, ...STAR_TOPICS]);
}

export function useSaveGist() {
  return useChange<Call, Gist>((call) => call, GIST_TOPICS);
}

const OBJECT_ID = /\/raw\/([0-9a-f]{40})\//;

/** As the browser itself reads it, by a signed link. */
export function rawFileCall(id: string, { raw_url: url, filename }: GistFile): Call | undefined {
  const oid = OBJECT_ID.exec(url)?.[1];
  return oid === undefined ? undefined : { api: 'host', path: path`/gist/${id}/raw/${oid}/${filename}` };
}
