// What the page of webhooks reads, and the calls that change webhooks and integrations.
import { path, type Call } from '../../api/call.ts';
import { usePages, useRead } from '../../api/read.ts';
import type {
  FlagIntegration,
  FlagWebhook,
  WebhookDelivery,
  WebhookDeliveryDetail,
} from '../../api/types/signalbox.ts';
import type { PolicyStatement } from '../policy/policy.ts';

export type DeliveryState = WebhookDelivery['state'];
export type DeliveryAttempt = WebhookDeliveryDetail['history'][number];
export type AttemptPhases = NonNullable<DeliveryAttempt['phases']>;
export type IntegrationField = FlagIntegration['fields'][number];

export const CHANGED = ['webhook', 'integration', 'delivery'];

export function useHooks() {
  return useRead<{ items: FlagWebhook[] }>({
    call: { api: 'signalbox', path: '/flag-webhooks' },
    topics: CHANGED,
  });
}

export function useIntegrationKinds() {
  return useRead<{ items: FlagIntegration[] }>({ call: { api: 'signalbox', path: '/flag-integrations' } });
}

export function useDeliveries(webhook: string, state: DeliveryState | undefined) {
  return usePages<WebhookDelivery>(
    {
      call: { api: 'signalbox', path: '/webhook-deliveries', query: { webhook, state } },
      topics: ['delivery'],
    },
    { keepsPrevious: true },
  );
}

export function useDelivery(id: string) {
  return useRead<WebhookDeliveryDetail>({
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

export function hookPath({ id, integration }: Pick<FlagWebhook, 'id' | 'integration'>): string {
  return integration === undefined ? path`/webhooks/${id}` : path`/integrations/${integration}/${id}`;
}

export interface PatchOperation {
  op: 'add' | 'replace' | 'remove';
  path: string;
  value?: unknown;
}

/** With secrets in it, nothing of the patch is shown. */
export function hookPatch(hook: FlagWebhook, patch: readonly PatchOperation[], hasSecret = false): Call {
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
