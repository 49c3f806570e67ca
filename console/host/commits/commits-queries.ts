// What the pages of commits and comparisons read.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { path } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import type { ApiError } from '../../api/error.ts';
import { keyOf, useRead } from '../../api/read.ts';
import type { DiffFile } from '../diff/diff-file.ts';
import type { RepositoryPlace } from '../place.ts';
import { nextPage, repositoryCall, TOPICS } from '../queries.ts';
import type { Commit } from '../repository.ts';

/** The most that the API gives at once. */
const FILES_PAGE = 300;

export interface CommitDetail extends Commit {
  stats: { additions: number; deletions: number };
  files: DiffFile[];
}

interface CommitPage {
  commit: CommitDetail;
  next: number | undefined;
}

/** A commit with the first of its files, and further ones on demand. */
export function useCommit(place: RepositoryPlace, sha: string) {
  const call = repositoryCall(place, path`/commits/${sha}`);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery<
    CommitPage,
    ApiError
  >({
    queryKey: [...keyOf(call), 'files'],
    queryFn: async ({ pageParam, signal }) => {
      const page = pageParam as number;
      const query = { per_page: FILES_PAGE, page };
      const { body, headers } = await send<CommitDetail>({ ...call, query }, signal);
      return { commit: body, next: nextPage(page, headers) };
    },
    initialPageParam: 1,
    getNextPageParam: ({ next }) => next,
  });
  const files = useMemo(() => data?.pages.flatMap(({ commit }) => commit.files) ?? [], [data]);
  return {
    commit: data?.pages[0]?.commit,
    files,
    error,
    retry: () => void refetch(),
    hasMore: hasNextPage,
    isReadingMore: isFetchingNextPage,
    readMore: () => void fetchNextPage(),
  };
}

export interface Comparison {
  status: 'diverged' | 'ahead' | 'behind' | 'identical';
  ahead_by: number;
  behind_by: number;
  total_commits: number;
  commits: Commit[];
  merge_base_commit: { sha: string };
  files?: DiffFile[];
}

export function useComparison(place: RepositoryPlace, base: string, head: string, isEnabled: boolean) {
  const call = repositoryCall(place, `/compare/${encodeURIComponent(base)}...${encodeURIComponent(head)}`);
  return useRead<Comparison>({ call, topics: TOPICS }, { isEnabled });
}
