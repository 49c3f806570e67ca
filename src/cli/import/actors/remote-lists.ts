// Reads the lists of the API page by page, so that memory does not grow with them.
import type { Query, RemoteApi } from './remote-api.ts';

const PAGE = 1000;
const KEYS_PAGE = 1000;
/** A request may have large data, and a page is held in memory. */
const REQUESTS_PAGE = 200;

interface ListPage<T> {
  items: T[];
  total?: number;
}

/** Lists that are paged by offset. A server that does not have the list has nothing in it. */
export async function* eachListed<T>(
  api: RemoteApi,
  path: string,
  query: Query = {},
): AsyncGenerator<T, void> {
  for (let offset = 0; ;) {
    const page = await api.find<ListPage<T>>(path, { ...query, offset, limit: PAGE });
    if (page === undefined) return;
    const { items, total } = page;
    yield* items;
    offset += items.length;
    if (items.length === 0 || (total !== undefined && offset >= total)) return;
  }
}

export interface RemoteKey {
  key: string;
  size: number;
}

interface KeysPage {
  items: RemoteKey[];
  isTruncated: boolean;
  nextExclusiveStartKey?: string | null;
}

/** The keys of a store in pages, after this one. */
export async function* eachKeyPage(
  api: RemoteApi,
  storeId: string,
  after?: string,
): AsyncGenerator<RemoteKey[], void> {
  for (let start = after; ;) {
    const page = await api.get<KeysPage>(`/key-value-stores/${storeId}/keys`, {
      limit: KEYS_PAGE,
      exclusiveStartKey: start,
    });
    if (page.items.length > 0) yield page.items;
    if (page.nextExclusiveStartKey == null) return;
    start = page.nextExclusiveStartKey;
  }
}

export type RemoteRequest = Record<string, unknown> & {
  id: string;
  uniqueKey: string;
  handledAt?: string | null;
};

interface RequestsPage {
  items: RemoteRequest[];
  nextCursor?: string | null;
}

/** The requests of a queue in pages with the cursor of the page after each. */
export async function* eachRequestPage(
  api: RemoteApi,
  queueId: string,
  { cursor, filter }: { cursor?: string; filter?: string },
): AsyncGenerator<{ items: RemoteRequest[]; next: string | undefined }, void> {
  for (let start = cursor; ;) {
    const { items, nextCursor } = await api.get<RequestsPage>(`/request-queues/${queueId}/requests`, {
      limit: REQUESTS_PAGE,
      cursor: start,
      filter,
    });
    const next = nextCursor ?? undefined;
    yield { items, next };
    if (next === undefined) return;
    start = next;
  }
}
