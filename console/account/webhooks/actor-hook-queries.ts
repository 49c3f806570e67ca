// What the tab of webhooks of Actors reads, and the calls that change them.
import { path, type Call } from '../../api/call.ts';
import { useChange, usePages, useRead } from '../../api/read.ts';
import { offsetPage, useListPages } from '../../lib/list-pages.ts';
import type { DeliveryAttempt, DeliveryState } from './webhooks-queries.ts';

export type ScopeName = 'actorId' | 'actorTaskId' | 'actorRunId';

export interface ActorHook {
  id: string;
  createdAt: string;
  isAdHoc: boolean;
  isEnabled: boolean;
  shouldInterpolateStrings: boolean;
  eventTypes: string[];
  condition: Readonly<Record<ScopeName, string | null>>;
  ignoreSslErrors: boolean;
  doNotRetry: boolean;
  requestUrl: string;
  lastDispatch?: { status: 'ACTIVE' | 'SUCCEEDED' | 'FAILED'; finishedAt?: string | null } | null;
  stats: { totalDispatches: number };
}

export interface ActorHookDetail extends ActorHook {
  payloadTemplate?: string | null;
  headersTemplate?: string | null;
  description?: string | null;
}

export interface Dispatch {
  id: string;
  eventType: string;
  runId?: string;
  state: DeliveryState;
  attempts: number;
  createdAt: number;
  nextAttemptAt?: number;
  status?: number;
  error?: string;
}

export interface DispatchDetail extends Dispatch {
  url: string;
  headerNames: string[];
  body?: string;
  history: DeliveryAttempt[];
}

export const ACTOR_HOOKS_CHANGED = ['actor-webhook', 'delivery'];

const PAGE = 100;
const idOf = ({ id }: ActorHook) => id;

interface ListBody<Item> {
  data: { total: number; items: Item[] };
}

/** Newest first; those of single runs are among them. */
export function useActorHooks() {
  return useListPages<ListBody<ActorHook>, ActorHook>({
    call: { api: 'actors', path: '/webhooks', query: { desc: true } },
    topics: ACTOR_HOOKS_CHANGED,
    first: 0,
    pageQuery: (offset) => ({ limit: PAGE, offset }),
    toPage: ({ data: { items, total } }, offset) => offsetPage(items, total, offset),
    idOf,
  });
}

export function useActorHook(id: string) {
  return useRead<{ data: ActorHookDetail }>({
    call: { api: 'actors', path: path`/webhooks/${id}` },
    topics: ACTOR_HOOKS_CHANGED,
  });
}

export function useDispatches(webhook: string, state: DeliveryState | undefined) {
  return usePages<Dispatch>(
    {
      call: { api: 'signalbox', path: '/webhook-dispatches', query: { webhook, state } },
      topics: ['delivery'],
    },
    { keepsPrevious: true },
  );
}

export function useDispatch(id: string) {
  return useRead<DispatchDetail>({
    call: { api: 'signalbox', path: path`/webhook-dispatches/${id}` },
    topics: ['delivery'],
  });
}

export function useRedeliverDispatch() {
  return useChange<string>(
    (id) => ({ api: 'signalbox', method: 'POST', path: path`/webhook-dispatches/${id}/redeliver` }),
    ACTOR_HOOKS_CHANGED,
  );
}

export function useTestActorHook(id: string) {
  return useChange<void>(
    () => ({ api: 'actors', method: 'POST', path: path`/webhooks/${id}/test` }),
    ACTOR_HOOKS_CHANGED,
  );
}

export function useDeleteActorHook(id: string) {
  return useChange<void>(
    () => ({ api: 'actors', method: 'DELETE', path: path`/webhooks/${id}` }),
    ACTOR_HOOKS_CHANGED,
  );
}

export function actorHookPatch(id: string, body: object): Call {
  return { api: 'actors', method: 'PUT', path: path`/webhooks/${id}`, body };
}

interface NamedTarget {
  id: string;
  name: string;
  title?: string | null;
}

const MOST = 1000;

/** What a webhook can listen to. */
export function useTargets(scope: ScopeName) {
  const { data } = useRead<ListBody<NamedTarget>>({
    call:
      scope === 'actorTaskId'
        ? { api: 'actors', path: '/actor-tasks', query: { limit: MOST } }
        : { api: 'actors', path: '/actors', query: { my: true, limit: MOST } },
    topics: ['actor', 'actor-task'],
  });
  return data?.data.items ?? [];
}

export function scopeOf(condition: ActorHook['condition']): { scope: ScopeName; id: string } {
  const scopes: readonly ScopeName[] = ['actorTaskId', 'actorRunId', 'actorId'];
  const scope = scopes.find((one) => condition[one] !== null) ?? 'actorId';
  return { scope, id: condition[scope] ?? '' };
}

const SECRET = /token|secret|key|sig|password|auth/i;

/** Without what is likely a secret in its query. */
export function shownUrl(url: string): string {
  return url.replaceAll(/([?&])([^=&#]+)=([^&#]*)/g, (whole, sign: string, name: string) =>
    SECRET.test(name) ? `${sign}${name}=…` : whole,
  );
}
