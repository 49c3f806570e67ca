// A list of the host API that is read from its beginning, page after page, and stays whole while it is read anew.
import { useInfiniteQuery, type InfiniteData } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { send } from '../../api/client.ts';
import type { ApiError } from '../../api/error.ts';
import { keyOf, type Read } from '../../api/read.ts';
import { nextPage } from '../queries.ts';

/** The most that the API gives at once. */
const PAGE = 100;
/** The API lists no more changed files than these; other lists are read on by hand. */
const MOST_PAGES = 30;

interface Page<Row> {
  rows: Row[];
  next: number | undefined;
}

export interface GrowingOptions {
  isEnabled?: boolean;
  /** Reads one page after another without being asked. */
  isWhole?: boolean;
}

export interface GrowingList<Row> {
  /** Undefined until the first page is there. */
  rows: Row[] | undefined;
  error: ApiError | null;
  hasMore: boolean;
  isReadingMore: boolean;
  readMore: () => void;
  retry: () => void;
}

export function useGrowingList<Row>(
  { call, topics = [] }: Read,
  options: GrowingOptions = {},
): GrowingList<Row> {
  const { isEnabled = true, isWhole = false } = options;
  const result = useInfiniteQuery<Page<Row>, ApiError, InfiniteData<Page<Row>, number>>({
    queryKey: [...keyOf(call), 'growing'],
    queryFn: async ({ pageParam, signal }) => {
      const page = pageParam as number;
      const query = { ...call.query, per_page: PAGE, page };
      const { body, headers } = await send<Row[]>({ ...call, query }, signal);
      return { rows: body, next: nextPage(page, headers) };
    },
    initialPageParam: 1,
    getNextPageParam: ({ next }) => next,
    enabled: isEnabled,
    meta: { topics, call: { ...call, query: { ...call.query, per_page: PAGE, page: 1 } } },
  });
  const { data, hasNextPage, isFetchingNextPage, isError, fetchNextPage } = result;
  const pages = data?.pages.length ?? 0;
  const mayReadOn = isWhole && hasNextPage && !isFetchingNextPage && !isError && pages < MOST_PAGES;
  useEffect(() => {
    if (mayReadOn) void fetchNextPage();
  }, [mayReadOn, pages, fetchNextPage]);
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows), [data]);
  return {
    rows,
    error: data === undefined ? result.error : null,
    hasMore: hasNextPage,
    isReadingMore: isFetchingNextPage,
    readMore: () => void fetchNextPage(),
    retry: () => void result.refetch(),
  };
}
