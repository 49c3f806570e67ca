// Sends the deliveries of webhooks: signed, as JSON or as a form, once. ADR 0052.
import { createHmac } from 'node:crypto';
import type { Headers } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import {
  INDEPENDENT,
  type AttemptDelivery,
  type DeliveryPolicy,
  type DueDelivery,
} from '../../kernel/webhooks/policy.ts';
import type { Attempt } from '../../kernel/webhooks/send.ts';
import { deliveryStatus, type HookAttemptDetails, type HookDeliveryDetails } from './delivery-model.ts';
import { findAppHook, findHook, lastResponseStatement } from './store.ts';
import { appNumberIn, placeOfTarget, type Hook, type LastResponse } from './hook.ts';

const ANSWER_MS = 10_000;
const KEPT_BYTES = 16 * 1024;

export function hookDeliveryPolicy({ db, secrets, release }: Kernel): DeliveryPolicy {
  const attempt: AttemptDelivery = async (delivery, send) => {
    // The address and the secret are those of the moment of sending.
    const hook = await findHookByRef(db, delivery.hookId);
    if (hook === undefined) return gone();
    const { url, contentType, insecureSsl, secret } = hook.config;
    const body =
      contentType === 'form' ? new URLSearchParams({ payload: delivery.body }).toString() : delivery.body;
    const requestHeaders = {
      Accept: '*/*',
      'Content-Type': contentType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json',
      // Receivers check the beginning.
      'User-Agent': `GitHub-Hookshot/signalbox-${release}`,
      ...headersOf(hook, delivery),
      ...(secret !== null && signaturesOf(body, secrets.open(secret))),
    };
    const result = await send({ url, headers: requestHeaders, body, trustsAnyCertificate: insecureSsl });
    if (result === undefined) return undefined;
    const responseHeaders = result.responseHeaders ?? null;
    const { isTimeout } = result;
    const details: HookAttemptDetails = { url, requestHeaders, responseHeaders, isTimeout };
    return { ...result, details: JSON.stringify(details) };
  };
  return {
    order: INDEPENDENT,
    answerMs: ANSWER_MS,
    keptBytes: KEPT_BYTES,
    expiryError: 'It was given up.',
    // Clients know a delivery as one attempt, and ask for another when they want one.
    waitsOf: () => [],
    openHook: async () => attempt,
    statementsAfter: (statementDb, finished) =>
      finished
        // Nobody sees the last response of an app's hook.
        .filter(({ hookId }) => appNumberIn(hookId) === undefined)
        .map(({ hookId, attempt: last }) =>
          lastResponseStatement(statementDb, Number(hookId), lastResponseOf(last)),
        ),
  };
}

async function findHookByRef(db: Db, hookId: string): Promise<Hook | undefined> {
  const app = appNumberIn(hookId);
  return app === undefined ? await findHook(db, Number(hookId)) : await findAppHook(db, app);
}

function headersOf(hook: Hook, { eventId, details }: DueDelivery): Headers {
  const { event } = JSON.parse(details) as HookDeliveryDetails;
  return {
    'X-GitHub-Delivery': eventId,
    'X-GitHub-Event': event,
    'X-GitHub-Hook-ID': String(hook.number),
    'X-GitHub-Hook-Installation-Target-ID': String(hook.targetNumber),
    'X-GitHub-Hook-Installation-Target-Type': placeOfTarget(hook.target),
  };
}

function signaturesOf(body: string, secret: string): Headers {
  const sign = (algorithm: string) => createHmac(algorithm, secret).update(body).digest('hex');
  return { 'X-Hub-Signature': `sha1=${sign('sha1')}`, 'X-Hub-Signature-256': `sha256=${sign('sha256')}` };
}

function gone(): Attempt {
  const error = 'The hook is gone.';
  return { status: null, error, durationMs: 0, response: '', isTimeout: false, isFinal: true };
}

function lastResponseOf(attempt: Attempt | undefined): LastResponse {
  const status = attempt?.status ?? null;
  const message = deliveryStatus(status, attempt === undefined || attempt.isTimeout);
  if (status === null) return { code: 0, status: 'timeout', message: attempt?.error ?? message };
  return { code: status, status: message === 'OK' ? 'active' : 'invalid', message };
}
