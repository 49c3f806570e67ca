// The rules of deliveries: when a failed one is tried again, and when it is given up.
import type { Attempt } from './send.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long to wait after the first, second, … attempt. After the one that has no wait left, the delivery has failed. */
export const RETRY_DELAYS: readonly number[] = [SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, 50 * MINUTE];
/** However long it stood in line behind others, nobody waits for it any more. */
export const GIVE_UP_MS = 24 * HOUR;
/** A receiver may ask for more time than we would give it, but not for ever. */
const MAX_WAIT_MS = HOUR;
const MAX_REST_MS = MINUTE;

export interface DeliveryOutcome {
  state: 'pending' | 'delivered' | 'failed';
  /** When to try again, if so. */
  dueAt: number | null;
}

export interface FinishedAttempt {
  /** Attempts since the delivery was made or asked for again, this one among them. */
  tries: number;
  attempt: Attempt;
}

/** `random`, between 0 and 1, keeps apart what failed together: a wait is up to a quarter longer than it has to be. */
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

/** How a receiver fares, as far as this process knows. */
export interface Backoff {
  /** Rounds in a row without any success. */
  failedRounds: number;
  /** Nothing is sent before. */
  until: number;
}

export const NO_BACKOFF: Backoff = { failedRounds: 0, until: 0 };

/**
 * A receiver that keeps us waiting costs a place in the worker, so its lane rests, twice as long each time; one that
 * asks for a pause gets it.
 */
export function nextBackoff(backoff: Backoff, attempts: readonly Attempt[], now: number): Backoff {
  const failedRounds = attempts.some(isSuccess) ? 0 : backoff.failedRounds + 1;
  const asked = Math.max(0, ...attempts.map(({ retryAfterMs = 0 }) => retryAfterMs));
  const penalty =
    failedRounds > 0 && attempts.some(({ isTimeout }) => isTimeout) ? SECOND * 2 ** failedRounds : 0;
  const rest = Math.min(Math.max(asked, penalty), MAX_REST_MS);
  return failedRounds === 0 && rest === 0 ? NO_BACKOFF : { failedRounds, until: now + rest };
}
