// When a dispatch that failed is sent again.
import type { DeliveryOutcome } from './model.ts';
import type { Attempt } from './send.ts';

export interface EndedAttempt {
  /** 1 for the first. */
  number: number;
  attempt: Attempt;
  /** How long to wait after the first, second, … attempt. After the one that has no wait left, the dispatch has failed. */
  waits: readonly number[];
}

/** `random`, between 0 and 1, changes the wait by up to a quarter in either direction. */
export function dispatchOutcome(
  { number, attempt, waits }: EndedAttempt,
  now: number,
  random: number,
): DeliveryOutcome {
  const { status, isFinal } = attempt;
  if (status !== null && status >= 200 && status < 300) return { state: 'delivered', dueAt: null };
  const wait = waits[number - 1];
  if (wait === undefined || isFinal) return { state: 'failed', dueAt: null };
  return { state: 'pending', dueAt: now + Math.round(wait * (0.75 + random / 2)) };
}
