// The rows of the list, page by page. Rows that are shown follow what others change, one by one; what would appear or move is
// counted, and shown when somebody asks for it.
import { useInfiniteQuery, type InfiniteData } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { path, type Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { liveState, onEvent, onLive, type ChangeEvent } from '../../api/live.ts';
import { keyOf, queries } from '../../api/read.ts';
import type { Flag } from '../flag.ts';

/** The first page fills a window; later ones are asked for by somebody who reads on. */
const FIRST_PAGE = 50;
const NEXT_PAGE = 100;
/** When more rows change at once than these, the list is read anew. */
const MAX_SINGLE = 10;
/** Changes that come together are read together. */
const BATCH_MS = 100;

export interface FlagListQuery {
  project: string;
  /** Of these the list shows what is on and served; the first is the one that dates and filters are about. */
  environments: readonly string[] | undefined;
  filter: string | undefined;
  sort: string;
  isEnabled: boolean;
  /** The member who looks: their own changes are no news to them. */
  ownId: string | undefined;
}

interface FlagItems {
  items: Flag[];
  totalCount: number;
}

type Pages = InfiniteData<FlagItems, number>;

export function flagListCall({ project, environments, filter, sort }: FlagListQuery): Call {
  return { api: 'flags', path: path`/flags/${project}`, query: { env: environments, sort, filter } };
}

export function useFlagPages(query: FlagListQuery) {
  const { project, environments, isEnabled, ownId } = query;
  const call = flagListCall(query);
  const listKey = JSON.stringify([...keyOf(call), 'rows']);
  const queryKey = useMemo(() => JSON.parse(listKey) as unknown[], [listKey]);
  const { state } = useSyncExternalStore(onLive, liveState);
  const result = useInfiniteQuery<FlagItems, ApiError, Pages>({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      const offset = pageParam as number;
      const limit = offset === 0 ? FIRST_PAGE : NEXT_PAGE;
      return (await send<FlagItems>({ ...call, query: { ...call.query, limit, offset } }, signal)).body;
    },
    initialPageParam: 0,
    getNextPageParam: ({ items, totalCount }, _, start) => {
      const end = (start as number) + items.length;
      return items.length > 0 && end < totalCount ? end : undefined;
    },
    enabled: isEnabled && environments !== undefined,
    placeholderData: (previous) => previous,
    // Rows follow the stream, so that a list of many pages is not read anew for each change.
    refetchOnWindowFocus: false,
    // Without the stream, what is changed here is read anew.
    meta: {
      topics: state === 'live' ? [] : ['flag'],
      call: { ...call, query: { ...call.query, limit: FIRST_PAGE, offset: 0 } },
    },
  });
  const { data, isPlaceholderData, refetch } = result;
  const rows = useMemo(() => distinct(data?.pages.flatMap(({ items }) => items) ?? []), [data]);
  const total = data?.pages.at(-1)?.totalCount;
  const [news, setNews] = useState<News>(NO_NEWS);
  const isNewsHere = news.list === listKey;

  const patchRow = useCallback(
    (key: string, change: (flag: Flag) => Flag) =>
      queries.setQueryData<Pages>(queryKey, (present) => present && patched(present, key, change)),
    [queryKey],
  );
  const pending = useRef(new Set<string>());
  const refreshRow = useCallback(
    async (key: string) => {
      const flagCall: Call = {
        api: 'flags',
        path: path`/flags/${project}/${key}`,
        query: { env: environments },
      };
      try {
        const { body } = await send<Flag>(flagCall);
        // An answer that is late may be older than what is shown.
        if (!pending.current.has(key))
          patchRow(key, (present) => (body.version < present.version ? present : body));
      } catch (error) {
        // A row whose flag is gone stays until the list is read anew: nothing moves under the pointer.
        if (!(error instanceof ApiError)) throw error;
      }
    },
    [project, environments, patchRow],
  );

  const counts = useRef(0);
  const keys = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    keys.current = new Set(rows.map(({ key }) => key));
  }, [rows]);
  const isRead = data !== undefined && !isPlaceholderData;
  useEffect(() => {
    if (!isRead) return undefined;
    const onChanged = async (changes: readonly FlagChange[]) => {
      const shown = changes.filter(({ key }) => keys.current.has(key));
      if (keys.current.size === 0 || shown.length > MAX_SINGLE) {
        await refetch();
        return;
      }
      for (const { key } of shown) void refreshRow(key);
      const others = shown.filter(({ memberId }) => memberId !== ownId).map(({ key }) => key);
      if (others.length > 0) setNews((present) => withChanged(present, listKey, others));
      if (shown.length === changes.length) return;
      counts.current += 1;
      const own = counts.current;
      const { body } = await send<FlagItems>({ ...call, query: { ...call.query, limit: 1 } });
      // Of two that are under way the later one counts, whichever comes first.
      if (own === counts.current) setNews((present) => withTotal(present, listKey, body.totalCount));
    };
    return onFlagChanges(project, (changes) => void onChanged(changes).catch(() => undefined));
    // The call is what the name of the list says.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isRead, listKey, project, ownId, refetch, refreshRow]);

  return {
    rows,
    total,
    newCount:
      isNewsHere && news.total !== undefined && total !== undefined ? Math.max(0, news.total - total) : 0,
    /** Rows that somebody else has changed since they were read. */
    changed: isNewsHere ? news.changed : NO_KEYS,
    showNew: () => {
      setNews(NO_NEWS);
      void refetch();
    },
    patchRow,
    refreshRow,
    /** Rows with a change on its way: what was read before it would take it back. */
    pending,
    error: data === undefined ? result.error : null,
    isLoading: result.isPending || isPlaceholderData,
    hasMore: result.hasNextPage,
    isReadingMore: result.isFetchingNextPage,
    readMore: () => void result.fetchNextPage(),
    retry: () => void refetch(),
  };
}

export type FlagPages = ReturnType<typeof useFlagPages>;

/** Where something was added between the reading of two pages, the second begins with the end of the first. */
function distinct(rows: readonly Flag[]): Flag[] {
  return [...new Map(rows.map((row) => [row.key, row])).values()];
}

function patched(pages: Pages, key: string, change: (flag: Flag) => Flag): Pages {
  return {
    ...pages,
    pages: pages.pages.map((page) =>
      page.items.some((flag) => flag.key === key)
        ? { ...page, items: page.items.map((flag) => (flag.key === key ? change(flag) : flag)) }
        : page,
    ),
  };
}

interface News {
  list: string;
  changed: ReadonlySet<string>;
  /** How many there are now. */
  total?: number;
}

const NO_KEYS: ReadonlySet<string> = new Set();
const NO_NEWS: News = { list: '', changed: NO_KEYS };

function withChanged(news: News, list: string, keys: readonly string[]): News {
  const before = news.list === list ? news : { list, changed: NO_KEYS };
  return { ...before, changed: new Set([...before.changed, ...keys]) };
}

function withTotal(news: News, list: string, total: number): News {
  return { list, changed: news.list === list ? news.changed : NO_KEYS, total };
}

interface FlagChange {
  key: string;
  memberId: string | undefined;
}

/** The changes of flags of the project, those that come together at once. */
function onFlagChanges(project: string, listener: (changes: readonly FlagChange[]) => void): () => void {
  const waiting = new Map<string, FlagChange>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = onEvent(({ event, data }) => {
    if (event !== 'change') return;
    const { resource, memberId } = data as ChangeEvent;
    const key = flagOf(resource, project);
    if (key === undefined) return;
    waiting.set(key, { key, memberId });
    timer ??= setTimeout(() => {
      timer = undefined;
      const changes = [...waiting.values()];
      waiting.clear();
      listener(changes);
    }, BATCH_MS);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/** `proj/shop;web:env/test:flag/x;beta` is about the flag `x` of `shop`. */
function flagOf(resource: string, project: string): string | undefined {
  const parts = resource.split(':').map((part) => part.split(';', 1)[0]!);
  const last = parts.at(-1) ?? '';
  return parts[0] === `proj/${project}` && last.startsWith('flag/') ? last.slice('flag/'.length) : undefined;
}
