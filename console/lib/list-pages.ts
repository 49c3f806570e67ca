// A list that is read page by page, from where the last page ended. What appears in it meanwhile is counted, not shown.
import { useInfiniteQuery, type InfiniteData } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { QueryValue } from '../api/call.ts';
import { send } from '../api/client.ts';
import type { ApiError } from '../api/error.ts';
import { keyOf, type Read } from '../api/read.ts';
import { useSteadyList } from './steady-rows.ts';

export interface ListPage<Row> {
  rows: Row[];
  /** How many there are on the server, where it says so. */
  total?: number | undefined;
  /** Where the next page begins; undefined at the end. */
  next?: number | undefined;
}

export interface ListRead<Body, Row> extends Read {
  isEnabled?: boolean;
  /** Where the first page begins: 0 for offsets, 1 for numbered pages. */
  first: number;
  /** The parameters of the page that begins there. */
  pageQuery: (start: number) => Readonly<Record<string, QueryValue>>;
  toPage: (body: Body, start: number, headers: Headers) => ListPage<Row>;
  idOf: (row: Row) => string;
}

/** A page that begins at the offset, of a list whose length is known. */
export function offsetPage<Row>(rows: Row[], total: number, offset: number): ListPage<Row> {
  const next = offset + rows.length;
  return { rows, total, next: rows.length > 0 && next < total ? next : undefined };
}

/** While another filter is read, the rows of the last one stay. */
export function useListPages<Body, Row>(read: ListRead<Body, Row>) {
  const { call, topics = [], isEnabled = true, first, pageQuery, toPage, idOf } = read;
  const queryKey = [...keyOf(call), 'list'];
  const result = useInfiniteQuery<ListPage<Row>, ApiError, InfiniteData<ListPage<Row>, number>>({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      const start = pageParam as number;
      const { body, headers } = await send<Body>(
        { ...call, query: { ...call.query, ...pageQuery(start) } },
        signal,
      );
      return toPage(body, start, headers);
    },
    initialPageParam: first,
    getNextPageParam: ({ next }) => next,
    enabled: isEnabled,
    placeholderData: (previous) => previous,
    meta: { topics, call: { ...call, query: { ...call.query, ...pageQuery(first) } } },
  });
  const { data, isPlaceholderData } = result;
  const rows = useMemo(() => distinct(data?.pages.flatMap((page) => page.rows) ?? [], idOf), [data, idOf]);
  const { shown, newCount, showAll } = useSteadyList({
    // What appears in an empty list moves nothing.
    list: JSON.stringify([queryKey, isPlaceholderData, rows.length === 0]),
    rows,
    pages: data?.pages.length ?? 0,
    idOf,
  });
  return {
    rows: shown,
    newCount,
    showNew: showAll,
    total: data?.pages.at(-1)?.total,
    error: data === undefined ? result.error : null,
    isLoading: result.isPending || isPlaceholderData,
    hasMore: result.hasNextPage,
    isReadingMore: result.isFetchingNextPage,
    readMore: () => void result.fetchNextPage(),
    retry: () => void result.refetch(),
    /** After a change of the reader's own: what it added is shown at once. */
    showOwn: () => void result.refetch().then(showAll),
  };
}

/** Where something was added between the reading of two pages, the second begins with the end of the first. */
function distinct<Row>(rows: readonly Row[], idOf: (row: Row) => string): Row[] {
  const byId = new Map(rows.map((row) => [idOf(row), row]));
  return [...byId.values()];
}
