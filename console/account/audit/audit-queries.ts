// What the audit log asks of the server, and how its filter stands in the address.
import { useEffect, useState } from 'react';
import { path } from '../../api/call.ts';
import { usePages, useRead } from '../../api/read.ts';
import { PRODUCTS } from '../../lib/activity.tsx';
import type { SearchState } from '../../lib/search-state.ts';
import type { AccountMember, Activity, ActivityDetail, TokenUse } from '../../api/types/signalbox.ts';

export const PAGE = '/account/audit';
/** What the address names; each is one filter of the API but `span`. */
export const FILTER_NAMES = [
  'q',
  'product',
  'member',
  'token',
  'action',
  'resource',
  'span',
  'after',
  'before',
] as const;

const HOUR_MS = 3_600_000;

interface TimeSpan {
  after: number;
  before?: number;
}

const lastHours = (hours: number) => (now: number) => ({ after: now - hours * HOUR_MS });

/** Days are those of the browser, as in the fields for times. */
export const SPANS = {
  '1h': lastHours(1),
  '24h': lastHours(24),
  yesterday: (now: number) => ({ after: startOfDay(now, -1) - 1, before: startOfDay(now, 0) }),
  '7d': lastHours(168),
  '30d': lastHours(720),
} satisfies Record<string, (now: number) => TimeSpan>;
export type Span = keyof typeof SPANS;

function startOfDay(now: number, days: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
}

export type AuditQuery = Record<string, string | number>;

const ROWS_AT_ONCE = 50;
/** What one page shows at most: a longer list is an export. */
export const MAX_ROWS = 1000;
/** A search for rare changes goes on by itself for so many pages without a hit. */
const PATIENT_PAGES = 8;
const MAX_NEW = 100;

export function spanOf(state: SearchState): Span | undefined {
  const span = state.get('span');
  return span !== undefined && Object.hasOwn(SPANS, span) ? (span as Span) : undefined;
}

/** The filter as the API takes it. What is no filter in the address is left out. */
export function useAuditQuery(state: SearchState): AuditQuery {
  const span = spanOf(state);
  // Read once, so that the list does not change by itself.
  const [now] = useState(() => Date.now());
  const query: AuditQuery = {};
  for (const name of ['q', 'member', 'token', 'action'] as const) {
    const value = state.get(name)?.trim();
    if (value !== undefined && value !== '') query[name] = value;
  }
  const product = PRODUCTS.find((one) => one === state.get('product'));
  if (product !== undefined) query['product'] = product;
  const resource = state.get('resource');
  if (resource !== undefined && isResource(resource)) query['resource'] = resource;
  const [after, before] = [timeOf(state.get('after')), timeOf(state.get('before'))];
  if (span !== undefined) Object.assign(query, SPANS[span](now));
  else if (after !== undefined) query['after'] = after;
  if (span === undefined && before !== undefined) query['before'] = before;
  return query;
}

export function isResource(text: string): boolean {
  return text.length <= 1000 && /^[^*;\0]+$/.test(text);
}

export function timeOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The rows of the address, from the newest that was there when the list was opened. */
export function useAuditRows(query: AuditQuery, wanted: number) {
  const list = usePages<Activity>({
    call: { api: 'signalbox', path: '/activity', query: { ...query, limit: ROWS_AT_ONCE } },
  });
  const { data, hasNextPage, isFetchingNextPage, isError, fetchNextPage } = list;
  const all = data?.pages.flatMap(({ items }) => items) ?? [];
  const pages = data?.pages.length ?? 0;
  const goal = Math.max(ROWS_AT_ONCE, Math.min(wanted, MAX_ROWS));
  const [patience, setPatience] = useState({ query, pages: PATIENT_PAGES });
  if (patience.query !== query && JSON.stringify(patience.query) !== JSON.stringify(query))
    setPatience({ query, pages: PATIENT_PAGES });
  const isShort = hasNextPage && all.length < goal && pages < goal / ROWS_AT_ONCE + patience.pages;
  useEffect(() => {
    if (isShort && pages > 0 && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [isShort, pages, isFetchingNextPage, isError, fetchNextPage]);
  return {
    list,
    all,
    isSearching: isShort && pages > 0,
    next: Math.min(all.length + ROWS_AT_ONCE, MAX_ROWS),
    searchOn: () => setPatience({ query, pages: pages + PATIENT_PAGES }),
  };
}

/** Rows that came after the list was opened are counted, and shown when somebody asks for them. */
export function useSteadyRows(all: readonly Activity[], query: AuditQuery, isLoaded: boolean) {
  const key = JSON.stringify(query);
  const [top, setTop] = useState<{ key: string; id: string | undefined; at: number | undefined }>();
  const first = all[0];
  if (isLoaded && top?.key !== key) setTop({ key, id: first?.id, at: first?.at });
  const start = top?.key === key ? all.findIndex(({ id }) => id === top.id) : 0;
  const rows = top?.key === key && top.id === undefined ? [] : all.slice(Math.max(0, start));
  const since = top?.at === undefined ? query['after'] : top.at - 1;
  const { data } = useRead<{ items: Activity[] }>(
    {
      call: {
        api: 'signalbox',
        path: '/activity',
        query: { ...query, limit: MAX_NEW, ...(since !== undefined && { after: since }) },
      },
      topics: ['activity'],
    },
    { isEnabled: isLoaded && top?.key === key && query['before'] === undefined },
  );
  const known = new Set(rows.map(({ id }) => id));
  const fresh = (data?.items ?? []).filter(({ id }) => !known.has(id));
  return {
    rows,
    newCount: fresh.length,
    isMoreNew: fresh.length >= MAX_NEW,
    forgetTop: () => setTop(undefined),
  };
}

export function useAuditEntry(id: string) {
  return useRead<ActivityDetail>({ call: { api: 'signalbox', path: path`/activity/${id}` } });
}

export interface NamedChoice {
  value: string;
  label: string;
}

/** For the filter: the first hundred; others are found by a link from their page. */
export function usePeople(isEnabled: boolean): NamedChoice[] | undefined {
  const { data } = useRead<{ items: AccountMember[] }>(
    { call: { api: 'signalbox', path: '/members', query: { limit: 100 } }, topics: ['member'] },
    { isEnabled },
  );
  return data?.items.map(({ id, username, email }) => ({ value: id, label: `${username} (${email})` }));
}

export function useTokenChoices(isEnabled: boolean): NamedChoice[] | undefined {
  const { data } = useRead<{ items: TokenUse[] }>(
    {
      call: { api: 'signalbox', path: '/tokens', query: { limit: 100 } },
      topics: ['token', 'service-token'],
    },
    { isEnabled },
  );
  return data?.items.map(({ id, name, ending }) => ({ value: id, label: `${name || '–'} …${ending}` }));
}
