// Works on the queue of one hook: sends its due deliveries, a few at a time, in turns so short that other hooks do not wait.
import { passCheckpoint } from '../jobs/checkpoint.ts';
import type { Clock } from '../clock.ts';
import type { Hooks, WebhookTarget } from '../http/protocol.ts';
import type { Due, DueHandler } from '../jobs/due-store.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Engine } from '../storage/engine.ts';
import { hookOfQueue } from './store-queues.ts';
import { NO_BACKOFF, outcomeOf, nextBackoff, type Backoff } from './model.ts';
import {
  listDue,
  recordResults,
  settleHookQueue,
  type DueDelivery,
  type DeliveryResult,
} from './store-hook-queue.ts';
import { deletePendingDeliveries } from './store-removal.ts';
import { failedBefore, type Attempt, type WebhookSender } from './send.ts';

export interface HookWorkerSettings {
  engine: Engine;
  clock: Clock;
  /** Between 0 and 1. */
  random: () => number;
  metrics: Metrics;
  /** By the name of the API. */
  hooks: Record<string, Hooks>;
  sender: WebhookSender;
  /** Opens what the targets of hooks have sealed. */
  secrets: Pick<SecretBox, 'open'>;
  /** After a failed attempt. */
  waits?: readonly number[] | undefined;
  /** Fires when the process stops: nothing new is sent. */
  stopping: AbortSignal;
  /** Fires a little later: requests still in progress are aborted. */
  cutting: AbortSignal;
}

/** Concurrent requests per receiver; one while it fails. */
const WIDTH = 8;
/** Deliveries read, sent and recorded together: at most so many are sent twice after a crash. */
const ROUND = 32;
/** After this time the hook goes to the end of the worker's queue. */
const TURN_MS = 2_000;

/** A delivery that was sent in this round, or expired before. */
interface Sent {
  delivery: DueDelivery;
  at: number;
  attempt: Attempt | 'expired';
}

export function deliverHandler(settings: HookWorkerSettings): DueHandler {
  const { engine, clock, random, metrics, hooks, sender, secrets, waits, stopping, cutting } = settings;
  const { db } = engine;
  const backoffs = new Map<string, Backoff>();

  async function takeTurn(due: Due, signal: AbortSignal): Promise<void> {
    const hook = hookOfQueue(due.id);
    const api = hooks[hook.api];
    if (api === undefined) throw new Error(`The API ${hook.api} has no webhooks.`);
    const backoffOf = (): Backoff => backoffs.get(due.id) ?? NO_BACKOFF;
    const end = performance.now() + TURN_MS;
    const mayBegin = (): boolean =>
      performance.now() < end && !stopping.aborted && backoffOf().until <= clock.now();

    let { payload } = due;
    for (;;) {
      signal.throwIfAborted();
      const batch = mayBegin() ? await listDue(db, hook, clock.now(), ROUND) : [];
      if (batch.length === 0) {
        const notBefore = Math.max(clock.now(), backoffOf().until);
        const settled = await settleHookQueue(db, due, { hook, payload, notBefore });
        if (typeof settled === 'string') return;
        payload = settled.payload;
        continue;
      }
      const target = await api.targetOf(db, hook.hookId, secrets);
      if (target === undefined) {
        backoffs.delete(due.id);
        await deletePendingDeliveries(engine, hook, signal);
        continue;
      }
      const width = backoffOf().failedRounds > 0 ? 1 : WIDTH;
      const round = await sendRound(batch, { target, width, mayBegin, signal });
      passCheckpoint(`sent to ${hook.hookId}`);
      await record(hook.api, round);
      const backoff = nextBackoff(
        backoffOf(),
        round.flatMap(({ attempt }) => (attempt === 'expired' ? [] : [attempt])),
        clock.now(),
      );
      if (backoff === NO_BACKOFF) backoffs.delete(due.id);
      else backoffs.set(due.id, backoff);
    }
  }

  /** A timeout ends the round early: the next request would probably time out, too. */
  async function sendRound(batch: readonly DueDelivery[], { target, width, mayBegin, signal }: Round) {
    const sent: Sent[] = [];
    const waiting = [...batch];
    const cut = AbortSignal.any([signal, cutting]);
    let isSlow = false;
    const sendSome = async (): Promise<void> => {
      while (!isSlow && !cut.aborted && mayBegin()) {
        const delivery = waiting.shift();
        if (delivery === undefined) return;
        const at = clock.now();
        const attempt = delivery.expires_at <= at ? 'expired' : await sendOne(target, delivery, at, cut);
        if (attempt === undefined) return;
        isSlow ||= attempt !== 'expired' && attempt.isTimeout;
        sent.push({ delivery, at, attempt });
      }
    };
    await Promise.all(Array.from({ length: width }, sendSome));
    return sent;
  }

  async function sendOne(
    { url, headersFor, trustsAnyCertificate = false }: WebhookTarget,
    { id, event_id: eventId, attempts, body }: DueDelivery,
    now: number,
    signal: AbortSignal,
  ): Promise<Attempt | undefined> {
    let headers: Record<string, string>;
    try {
      headers = headersFor(body, { id, eventId, attempt: attempts + 1, now });
    } catch (error) {
      return failedBefore(error as Error);
    }
    const sent = { ...headers, 'X-Signalbox-Delivery': id };
    return await sender.send({ url, headers: sent, body, trustsAnyCertificate }, signal);
  }

  async function record(api: string, round: readonly Sent[]): Promise<void> {
    const now = clock.now();
    const chance = random(); // the same for a whole round, so that it comes back in order
    const results = round.map(({ delivery, at, attempt }): DeliveryResult => {
      const { id, attempts, attempts_before: before } = delivery;
      if (attempt === 'expired') {
        return { id, state: 'failed', dueAt: null, error: 'It was given up after 24 hours.' };
      }
      const { status, error, durationMs, response } = attempt;
      const number = attempts + 1;
      const outcome = outcomeOf({ tries: number - before, attempt }, { now, random: chance, waits });
      return {
        id,
        ...outcome,
        error,
        attempt: { number, at, status, error, duration_ms: durationMs, response, details: null },
      };
    });
    if (results.length > 0) await recordResults(engine, results, now);
    for (const { state } of results) {
      metrics.countDelivery(api, state === 'pending' ? 'retry' : state);
    }
  }

  return takeTurn;
}

interface Round {
  target: WebhookTarget;
  width: number;
  mayBegin: () => boolean;
  signal: AbortSignal;
}
