// The webhooks of a repository or an organization, their deliveries, and the calls that change them.
import { useInfiniteQuery, type InfiniteData } from '@tanstack/react-query';
import { path, type Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import type { ApiError } from '../../api/error.ts';
import { keyOf, useRead } from '../../api/read.ts';
import { useGrowingList } from '../issues/growing-list.ts';
import type { RepositoryPlace } from '../place.ts';
import { repositoryCall } from '../queries.ts';

export const HOOK_TOPICS = ['repo', 'org', 'delivery'];
const PAGE = 30;

/** What webhooks belong to. */
export type HookPlace = RepositoryPlace | { org: string };

export function hooksCall(place: HookPlace, below = ''): Call {
  if (!('org' in place)) return repositoryCall(place, `/hooks${below}`);
  return { api: 'host', path: path`/orgs/${place.org}/hooks` + below };
}

export interface HostHook {
  id: number;
  active: boolean;
  events: string[];
  config: {
    url: string;
    content_type: 'json' | 'form';
    insecure_ssl: '0' | '1';
    /** A mask, where there is one. */
    secret?: string;
  };
  created_at: string;
  /** Of hooks of repositories alone. */
  last_response?: { code: number | null; status: string | null; message: string | null };
}

export interface HookDelivery {
  id: number;
  guid: string;
  delivered_at: string;
  redelivery: boolean;
  /** In seconds. */
  duration: number;
  status: string;
  /** 0 where there was no answer. */
  status_code: number;
  event: string;
  action: string | null;
}

export interface HookDeliveryDetail extends HookDelivery {
  url: string;
  request: { headers: Record<string, string> | null; payload: unknown };
  response: { headers: Record<string, string> | null; payload: string | null };
}

export function useHostHooks(place: HookPlace) {
  return useGrowingList<HostHook>({ call: hooksCall(place), topics: HOOK_TOPICS });
}

export function hookCall(place: HookPlace, id: number, below = ''): Call {
  return hooksCall(place, `/${id}${below}`);
}

export function useHostHook(place: HookPlace, id: number) {
  return useRead<HostHook>({ call: hookCall(place, id), topics: HOOK_TOPICS });
}

export type DeliveryOutcome = 'success' | 'failure';

interface DeliveryPage {
  rows: HookDelivery[];
  next: string | undefined;
}

export function useHookDeliveries(place: HookPlace, id: number, status: DeliveryOutcome | undefined) {
  const call = { ...hookCall(place, id, '/deliveries'), query: { status, per_page: PAGE } };
  return useInfiniteQuery<DeliveryPage, ApiError, InfiniteData<DeliveryPage>>({
    queryKey: [...keyOf(call), 'deliveries'],
    queryFn: async ({ pageParam, signal }) => {
      const cursor = pageParam as string | undefined;
      const { body, headers } = await send<HookDelivery[]>(
        { ...call, query: { ...call.query, cursor } },
        signal,
      );
      return { rows: body, next: cursorIn(headers.get('link')) };
    },
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: (previous) => previous,
    meta: { topics: ['delivery'] },
  });
}

/** Of the next page, from the header that leads there. */
function cursorIn(link: string | null): string | undefined {
  return /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(link ?? '')?.[1];
}

export function useHookDelivery(place: HookPlace, id: number, delivery: number) {
  return useRead<HookDeliveryDetail>({ call: hookCall(place, id, `/deliveries/${delivery}`) });
}

export function redeliverCall(place: HookPlace, id: number, delivery: number): Call {
  return { ...hookCall(place, id, `/deliveries/${delivery}/attempts`), method: 'POST' };
}

export function pingCall(place: HookPlace, id: number): Call {
  return { ...hookCall(place, id, '/pings'), method: 'POST' };
}

export function testPushCall(place: RepositoryPlace, id: number): Call {
  return { ...hookCall(place, id, '/tests'), method: 'POST' };
}

export function switchHookCall(place: HookPlace, id: number, active: boolean): Call {
  return { ...hookCall(place, id), method: 'PATCH', body: { active } };
}

export function deleteHookCall(place: HookPlace, id: number): Call {
  return { ...hookCall(place, id), method: 'DELETE' };
}
