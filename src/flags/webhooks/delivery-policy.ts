// Sends the deliveries of webhooks and audit-log subscriptions: in order, for about an hour, to where they point by then.
import type { Kernel } from '../../kernel/kernel.ts';
import type { SecretBox } from '../../kernel/secrets/secret-box.ts';
import { IN_ORDER, type DeliveryPolicy } from '../../kernel/webhooks/policy.ts';
import type { WebhookMessage } from '../../kernel/webhooks/send.ts';
import { openConfig } from '../audit-log-subscriptions/config.ts';
import { INTEGRATIONS } from '../audit-log-subscriptions/integrations.ts';
import { signBody, type Webhook, type WebhookIntegration } from './model.ts';
import { findReceiver } from './store.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const RETRY_DELAYS: readonly number[] = [SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, 50 * MINUTE];

export function flagsDeliveryPolicy({ db, secrets }: Pick<Kernel, 'db' | 'secrets'>): DeliveryPolicy {
  return {
    order: IN_ORDER,
    answerMs: 10_000,
    keptBytes: 4 * 1024,
    expiryError: 'It was given up after 24 hours.',
    waitsOf: () => RETRY_DELAYS,
    async openHook(hookId) {
      const webhook = await findReceiver(db, hookId);
      if (webhook === undefined || !webhook.on) return undefined;
      const messageFor = messagesTo(webhook, secrets);
      return (
        messageFor &&
        (async ({ id, body }, send) => {
          const message = messageFor(body);
          const headers = { ...message.headers, 'X-Signalbox-Delivery': id };
          return await send({ ...message, headers, body });
        })
      );
    },
    statementsAfter: () => [],
  };
}

type MessageFor = (body: string) => Omit<WebhookMessage, 'body'>;

function messagesTo(webhook: Webhook, secrets: Pick<SecretBox, 'open'>): MessageFor | undefined {
  if (webhook.integration !== undefined) return messagesOf(webhook.integration, secrets);
  const { url, secret } = webhook;
  return (body) => ({
    url,
    headers: secret === undefined ? {} : { 'x-ld-signature': signBody(secret, body) },
  });
}

/** Undefined for an integration that this version of the program does not have. */
function messagesOf(
  { key, config }: WebhookIntegration,
  secrets: Pick<SecretBox, 'open'>,
): MessageFor | undefined {
  const integration = INTEGRATIONS.get(key);
  if (integration === undefined) return undefined;
  const opened = openConfig(secrets, config);
  const url = integration.url(opened);
  return () => ({
    url,
    headers: integration.headers?.(opened) ?? {},
    trustsAnyCertificate: integration.trustsAnyCertificate?.(opened) ?? false,
  });
}
