// Reads through one cache. A reading names the topics that it shows: a change of one of them elsewhere reads it anew.
import {
  keepPreviousData,
  QueryClient,
  type Query,
  useInfiniteQuery,
  useMutation,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';
import { recallCall } from './call-log.ts';
import type { Call } from './call.ts';
import { send } from './client.ts';
import { ApiError } from './error.ts';

export interface Read {
  call: Call;
  /** Words of the stream: `token`, `member`, `flag`, `run`. */
  topics?: readonly string[];
}

/** What was read lately is shown at once, and read again behind it. */
const FRESH_MS = 2000;
const KEPT_MS = 10 * 60_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      gcTime: KEPT_MS,
      refetchOnWindowFocus: true,
      retry: (count, error) =>
        count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502),
      retryDelay: (count) => 500 * 2 ** count,
    },
  },
});

// A page that shows what was read before it began has made that call, too.
queries.getQueryCache().subscribe((event) => {
  const call = event.type === 'observerAdded' ? event.query.meta?.['call'] : undefined;
  if (call !== undefined) recallCall(call as Call);
});

/** Of questions that are posted, the body too; and the headers, for some ask for another form of the same. */
export const keyOf = ({ api, path, query = {}, body, headers }: Call) => [
  api,
  path,
  query,
  ...(body === undefined ? [] : [body]),
  ...(headers === undefined ? [] : [headers]),
];

function optionsOf<Body>({ call, topics = [] }: Read) {
  return {
    queryKey: keyOf(call),
    queryFn: async ({ signal }: { signal: AbortSignal }) => (await send<Body>(call, signal)).body,
    meta: { topics, call },
  };
}

export interface ReadOptions {
  isEnabled?: boolean;
  keepsPrevious?: boolean;
  /** For numbers that grow without an event of the stream: read anew so often while the page is seen. */
  everyMs?: number | undefined;
}

export function useRead<Body>(
  read: Read,
  { isEnabled = true, keepsPrevious = false, everyMs }: ReadOptions = {},
): UseQueryResult<Body, ApiError> {
  return useQuery<Body, ApiError>({
    ...optionsOf<Body>(read),
    enabled: isEnabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
    ...(keepsPrevious && { placeholderData: (previous: Body | undefined) => previous as never }),
  });
}

/** For rows under the pointer: the page that they open has its data before the click. */
export function prefetch(read: Read): void {
  void queries.prefetchQuery(optionsOf(read));
}

export interface CursorPage<Item> {
  items: Item[];
  next?: string;
}

/** A list of the Signalbox API, page after page. */
export function usePages<Item>({ call, topics = [] }: Read, { keepsPrevious = false } = {}) {
  return useInfiniteQuery<CursorPage<Item>, ApiError>({
    queryKey: [...keyOf(call), 'pages'],
    queryFn: async ({ pageParam, signal }) => {
      const cursor = pageParam as string | undefined;
      const query = { ...call.query, ...(cursor !== undefined && { cursor }) };
      return (await send<CursorPage<Item>>({ ...call, query }, signal)).body;
    },
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next,
    meta: { topics, call },
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  });
}

/** A change. `touches` names the topics to read anew, without waiting for the stream. */
export function useChange<Input, Body = unknown>(
  describe: (input: Input) => Call,
  touches: readonly string[] = [],
) {
  return useMutation<Body, ApiError, Input>({
    mutationFn: async (input) => (await send<Body>(describe(input))).body,
    onSuccess: () => invalidateTopics(touches),
  });
}

/** Under way when something changed: what they bring may be older than that. */
const outrun = new WeakSet<Query>();
queries.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated' || (event.action.type !== 'success' && event.action.type !== 'error')) return;
  if (outrun.delete(event.query))
    void queries.invalidateQueries({ queryKey: event.query.queryKey, exact: true });
});

/** Readings that are on the page are read anew now, others when they are shown; those that are under way, once more when they end. */
export function invalidateTopics(changed: readonly string[]): void {
  const predicate = ({ meta }: Query) =>
    ((meta?.['topics'] ?? []) as string[]).some((topic) => changed.includes(topic));
  for (const query of queries.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' }))
    outrun.add(query);
  void queries.invalidateQueries({ predicate }, { cancelRefetch: false });
}

/** What events are about, and what could not be read. */
export function invalidateFollowed(): void {
  void queries.invalidateQueries({
    predicate: ({ meta, state }) =>
      state.data === undefined || ((meta?.['topics'] ?? []) as string[]).length > 0,
  });
}
