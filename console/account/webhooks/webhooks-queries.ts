// What the page of webhooks reads, and the calls that change webhooks and integrations.
import { path, type Call } from '../../api/call.ts';
import { usePages, useRead } from '../../api/read.ts';
import type { PolicyStatement } from '../tokens/token-model.ts';

export type DeliveryState = 'pending' | 'delivered' | 'failed';

export interface Hook {
  id: string;
  kind: 'webhook' | 'integration';
  integration?: string;
  name: string;
  url?: string;
  config?: Record<string, string | boolean>;
  isOn: boolean;
  isSigned: boolean;
  tags: string[];
  statements: PolicyStatement[];
  resource: string;
  createdAt: number;
  lastDelivery?: { at: number; state: DeliveryState; status?: number; error?: string };
}

export interface HookDelivery {
  id: string;
  webhookId: string;
  isTest: boolean;
  entryId?: string;
  state: DeliveryState;
  attempts: number;
  createdAt: number;
  nextAttemptAt?: number;
  finishedAt?: number;
  status?: number;
  error?: string;
}

export interface HookDeliveryDetail extends HookDelivery {
  body?: string;
  history: {
    number: number;
    at: number;
    durationMs: number;
    status?: number;
    error?: string;
    response?: string;
  }[];
}

export interface IntegrationField {
  name: string;
  kind: 'address' | 'secret address' | 'secret' | 'word' | 'text' | 'switch';
  isOptional: boolean;
  default?: string;
  among?: string[];
}

export interface IntegrationKind {
  key: string;
  fields: IntegrationField[];
}

export const CHANGED = ['webhook', 'integration', 'delivery'];

export function useHooks() {
  return useRead<{ items: Hook[] }>({ call: { api: 'signalbox', path: '/flag-webhooks' }, topics: CHANGED });
}

export function useIntegrationKinds() {
  return useRead<{ items: IntegrationKind[] }>({ call: { api: 'signalbox', path: '/flag-integrations' } });
}

export function useDeliveries(webhook: string, state: DeliveryState | undefined) {
  return usePages<HookDelivery>(
    {
      call: { api: 'signalbox', path: '/webhook-deliveries', query: { webhook, state } },
      topics: ['delivery'],
    },
    { keepsPrevious: true },
  );
}

export function useDelivery(id: string) {
  return useRead<HookDeliveryDetail>({
    call: { api: 'signalbox', path: path`/webhook-deliveries/${id}` },
    topics: ['delivery'],
  });
}

export function testCall(id: string): Call {
  return { api: 'signalbox', method: 'POST', path: path`/flag-webhooks/${id}/test` };
}

export function redeliverCall(id: string): Call {
  return { api: 'signalbox', method: 'POST', path: path`/webhook-deliveries/${id}/redeliver` };
}

export function hookPath({ id, integration }: Pick<Hook, 'id' | 'integration'>): string {
  return integration === undefined ? path`/webhooks/${id}` : path`/integrations/${integration}/${id}`;
}

export interface PatchOperation {
  op: 'add' | 'replace' | 'remove';
  path: string;
  value?: unknown;
}

/** With secrets in it, nothing of the patch is shown. */
export function hookPatch(hook: Hook, patch: readonly PatchOperation[], hasSecret = false): Call {
  return {
    api: 'flags',
    method: 'PATCH',
    path: hookPath(hook),
    body: { patch },
    ...(hasSecret && { secretFields: ['patch'] }),
  };
}

export interface RelayConfig {
  _id: string;
  name: string;
  policy: PolicyStatement[];
  /** Whole just after it was made or reset. */
  fullKey: string;
  displayKey: string;
  lastModified: number;
}

export const RELAY_PATH = '/account/relay-auto-configs';
export const RELAY_CHANGED = ['relay-proxy-config'];

export function useRelayConfigs() {
  return useRead<{ items: RelayConfig[] }>({
    call: { api: 'flags', path: RELAY_PATH },
    topics: RELAY_CHANGED,
  });
}
