// How the deliveries of an API are sent: in which order, how often, when a failed one is retried, and when a receiver rests. ADR 0018, 0040, 0052 and 0130.
import type { SqlStatement } from '../storage/statement.ts';
import type { Db } from '../storage/tables.ts';
import type { Attempt, WebhookMessage } from './send.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** What differs between the APIs. The worker, the tables and the limits are the same for all of them. */
export interface DeliveryPolicy {
  order: DeliveryOrder;
  /** Until the last byte of an answer. */
  answerMs: number;
  /** How much of an answer is recorded. */
  keptBytes: number;
  /** Recorded with a delivery that expired in its queue. */
  expiryError: string;
  /** How long to wait after the first, second, … attempt. After the one that has no wait left, the delivery has failed. */
  waitsOf(delivery: DueDelivery): readonly number[];
  /** Looks a hook up, once for a batch. Undefined when it is deleted or off: its pending deliveries are deleted. */
  openHook(hookId: string): Promise<AttemptDelivery | undefined>;
  /** Saved together with the results of deliveries that will not be sent again. */
  statementsAfter(db: Db, finished: readonly FinishedDelivery[], now: number): SqlStatement[];
}

/** A delivery whose time has come. */
export interface DueDelivery {
  id: string;
  hookId: string;
  eventId: string;
  /** The account whose hooks share its slots, where the API names one. */
  ownerId: string | null;
  attempts: number;
  /** The number of attempts before redelivery was requested. */
  attemptsBefore: number;
  expiresAt: number;
  /** What the API has saved with it, in its own format. */
  details: string;
  body: string;
}

/** One attempt: by `send`, which is undefined where the process stops before the answer, or without a call. */
export type AttemptDelivery = (
  delivery: DueDelivery,
  send: (message: WebhookMessage) => Promise<Attempt | undefined>,
) => Promise<Attempt | undefined>;

export interface FinishedDelivery extends DueDelivery {
  hasSucceeded: boolean;
  /** The last attempt; absent where it expired in the queue. */
  attempt?: Attempt;
}

export interface DeliveryOrder {
  /** The kind of due work of its hooks' queues, as databases have it. Each kind has slots of its own. */
  kind: string;
  /** Whether a batch is answered and recorded as a whole before the next one is read. */
  isInBatches: boolean;
  /** A wait is multiplied by a number between these, at random. */
  jitter: readonly [least: number, most: number];
  /** Whether a receiver may ask for a longer wait. */
  heedsRetryAfter: boolean;
  /** From the attempts that were recorded together. */
  nextBackoff(backoff: Backoff, attempts: readonly Attempt[], now: number): Backoff;
}

/** What was learnt of one receiver, in the memory of this process. */
export interface Backoff {
  /** Batches in a row without any success. */
  failedBatches: number;
  /** Nothing is sent before this time. */
  until: number;
  /** Concurrent requests. */
  width: number;
}

const WIDTH = 8;
/** While a receiver of independent deliveries lets all of them time out. */
const NARROW = 2;
const MAX_REST_MS = MINUTE;

export const NO_BACKOFF: Backoff = { failedBatches: 0, until: 0, width: WIDTH };

/** What failed together is retried together. A receiver that fails gets one request at a time, and one that hangs rests. */
export const IN_ORDER: DeliveryOrder = {
  kind: 'webhook.deliver',
  isInBatches: true,
  jitter: [1, 1.25],
  heedsRetryAfter: true,
  /** Exponential after timeouts, as each occupies a slot of the worker; a receiver's Retry-After is respected. */
  nextBackoff(backoff, attempts, now) {
    const failedBatches = attempts.some(isSuccess) ? 0 : backoff.failedBatches + 1;
    const asked = Math.max(0, ...attempts.map(({ retryAfterMs = 0 }) => retryAfterMs));
    const penalty =
      failedBatches > 0 && attempts.some(({ isTimeout }) => isTimeout) ? SECOND * 2 ** failedBatches : 0;
    const rest = Math.min(Math.max(asked, penalty), MAX_REST_MS);
    if (failedBatches === 0 && rest === 0) return NO_BACKOFF;
    return { failedBatches, until: now + rest, width: failedBatches > 0 ? 1 : WIDTH };
  },
};

/** None waits for another to be answered or retried. */
export const INDEPENDENT: DeliveryOrder = {
  kind: 'webhook.dispatch',
  isInBatches: false,
  jitter: [0.75, 1.25],
  heedsRetryAfter: false,
  nextBackoff(_backoff, attempts) {
    const isHanging = attempts.length > 0 && attempts.every(({ isTimeout }) => isTimeout);
    return isHanging ? { ...NO_BACKOFF, width: NARROW } : NO_BACKOFF;
  },
};

/** A delivery that could not be made for this long is given up, unless its API gives it another time. */
export const GIVE_UP_MS = 24 * HOUR;
/** The longest Retry-After that is respected. */
const MAX_WAIT_MS = HOUR;

export interface DeliveryOutcome {
  state: 'pending' | 'delivered' | 'failed';
  /** The time of the next attempt, if there is one. */
  dueAt: number | null;
}

export interface FinishedAttempt {
  /** Attempts since the delivery was created or requested again, including this one. */
  tries: number;
  attempt: Attempt;
  /** As `DeliveryPolicy.waitsOf` has them. */
  waits: readonly number[];
}

/** `random` is between 0 and 1. */
export function outcomeOf(
  { tries, attempt, waits }: FinishedAttempt,
  { jitter: [least, most], heedsRetryAfter }: Pick<DeliveryOrder, 'jitter' | 'heedsRetryAfter'>,
  { now, random }: { now: number; random: number },
): DeliveryOutcome {
  if (isSuccess(attempt)) return { state: 'delivered', dueAt: null };
  const wait = waits[tries - 1];
  if (wait === undefined || attempt.isFinal) return { state: 'failed', dueAt: null };
  const asked = heedsRetryAfter ? Math.min(attempt.retryAfterMs ?? 0, MAX_WAIT_MS) : 0;
  const factor = least + random * (most - least);
  return { state: 'pending', dueAt: now + Math.round(Math.max(wait, asked) * factor) };
}

function isSuccess({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}
