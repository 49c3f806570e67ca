// Sends the dispatches of webhooks: by a call, or by starting a run where the URL is one of this server.
import type { Kernel } from '../../kernel/kernel.ts';
import {
  INDEPENDENT,
  type AttemptDelivery,
  type DeliveryPolicy,
  type DueDelivery,
} from '../../kernel/webhooks/policy.ts';
import type { Attempt } from '../../kernel/webhooks/send.ts';
import { markDelivered } from '../../kernel/webhooks/store-queue.ts';
import { type DispatchDetails } from './dispatch-model.ts';
import { parseOwnRunUrl } from './own-url.ts';
import { startOwnRun } from './start-own-run.ts';
import { endLastDispatch } from './store.ts';

const MINUTE = 60 * 1000;
/** Doubling from one minute: about 34 hours in all. */
const WAITS: readonly number[] = Array.from({ length: 11 }, (_, retry) => MINUTE * 2 ** retry);
const TEST_WAITS = WAITS.slice(0, 3);

export function actorDeliveryPolicy(kernel: Kernel): DeliveryPolicy {
  const attempt: AttemptDelivery = async (dispatch, send) => {
    const details = detailsOf(dispatch);
    if (details.refusal !== undefined) return refused(details.refusal);
    const own = parseOwnRunUrl(details.requestUrl, kernel.publicUrl);
    const result =
      own === undefined
        ? await send({
            url: details.requestUrl,
            headers: { ...details.headers, ...headersFor(dispatch) },
            body: dispatch.body,
            trustsAnyCertificate: details.ignoreSslErrors,
          })
        : await startOwnRun(kernel, own, dispatch, details, (tx, saved) =>
            markDelivered(tx, dispatch, saved, kernel.clock.now()),
          );
    return result && withError(result);
  };
  return {
    order: INDEPENDENT,
    answerMs: 120_000,
    keptBytes: 2048,
    expiryError: 'It was given up.',
    waitsOf(dispatch) {
      const { eventType, doNotRetry } = detailsOf(dispatch);
      if (doNotRetry) return [];
      return eventType === 'TEST' ? TEST_WAITS : WAITS;
    },
    // Everything that is needed was saved with the dispatch.
    openHook: async () => attempt,
    statementsAfter: (db, finished, now) => finished.map((one) => endLastDispatch(db, one, now)),
  };
}

function detailsOf({ details }: DueDelivery): DispatchDetails {
  return JSON.parse(details) as DispatchDetails;
}

/** No template can have others instead. */
function headersFor({ id }: DueDelivery): Record<string, string> {
  const platform = { Webhook: 'true', 'Webhook-Dispatch-Id': id, 'Request-Origin': 'WEBHOOK' };
  return {
    'Content-Type': 'application/json',
    ...Object.fromEntries(
      Object.entries(platform).flatMap(([name, value]) => [
        [`X-Apify-${name}`, value],
        [`X-Platform-${name}`, value],
      ]),
    ),
  };
}

function refused(error: string): Attempt {
  return { status: null, error, durationMs: 0, response: '', isTimeout: false, isFinal: true };
}

/** Only a URL that this server never calls is given up at once: receivers of any status may recover. */
function withError(attempt: Attempt): Attempt {
  const { status } = attempt;
  if (status === null || (status >= 200 && status < 300)) return attempt;
  const isFinal = attempt.isFinal && status !== 410;
  return { ...attempt, isFinal, error: `Endpoint responded with HTTP status code ${status}` };
}
