// The retry rules of webhook deliveries: when a failed one is retried, when it is given up, and the backoff per receiver.
import type { Attempt } from './send.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long to wait after the first, second, … attempt. After the one that has no wait left, the delivery has failed. */
export const RETRY_DELAYS: readonly number[] = [SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, 50 * MINUTE];
/** A delivery that could not be made for this long is given up. */
export const GIVE_UP_MS = 24 * HOUR;
/** The longest Retry-After that is respected. */
const MAX_WAIT_MS = HOUR;
const MAX_REST_MS = MINUTE;

export interface DeliveryOutcome {
  state: 'pending' | 'delivered' | 'failed';
  /** The time of the next attempt, if there is one. */
  dueAt: number | null;
}

export interface FinishedAttempt {
  /** Attempts since the delivery was created or requested again, including this one. */
  tries: number;
  attempt: Attempt;
}

/** `random`, between 0 and 1, adds jitter of up to a quarter of the wait. */
export function outcomeOf(
  { tries, attempt }: FinishedAttempt,
  {
    now,
    random,
    waits = RETRY_DELAYS,
  }: { now: number; random: number; waits?: readonly number[] | undefined },
): DeliveryOutcome {
  if (isSuccess(attempt)) return { state: 'delivered', dueAt: null };
  const wait = waits[tries - 1];
  if (wait === undefined || attempt.isFinal) return { state: 'failed', dueAt: null };
  const asked = Math.min(attempt.retryAfterMs ?? 0, MAX_WAIT_MS);
  return { state: 'pending', dueAt: now + Math.round(Math.max(wait, asked) * (1 + random / 4)) };
}

function isSuccess({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** The backoff of one receiver, in the memory of this process. */
export interface Backoff {
  /** Rounds in a row without any success. */
  failedRounds: number;
  /** Nothing is sent before this time. */
  until: number;
}

export const NO_BACKOFF: Backoff = { failedRounds: 0, until: 0 };

/** Exponential after timeouts, as each occupies a slot of the worker; a receiver's Retry-After is respected. */
export function nextBackoff(backoff: Backoff, attempts: readonly Attempt[], now: number): Backoff {
  const failedRounds = attempts.some(isSuccess) ? 0 : backoff.failedRounds + 1;
  const asked = Math.max(0, ...attempts.map(({ retryAfterMs = 0 }) => retryAfterMs));
  const penalty =
    failedRounds > 0 && attempts.some(({ isTimeout }) => isTimeout) ? SECOND * 2 ** failedRounds : 0;
  const rest = Math.min(Math.max(asked, penalty), MAX_REST_MS);
  return failedRounds === 0 && rest === 0 ? NO_BACKOFF : { failedRounds, until: now + rest };
}
