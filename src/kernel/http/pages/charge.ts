// Counts what pages and logins do against rate limits, and refuses what is too much.
import { Failure } from '../../failure.ts';
import type { Kernel } from '../../kernel.ts';
import type { RateLimitSubject } from '../../limits/limits.ts';
import { retrySeconds } from '../../limits/window.ts';

/** Throws, with the reason and how long to wait, where nothing is left of the budget. */
export async function charge(
  { limits, clock }: Pick<Kernel, 'limits' | 'clock'>,
  budget: string,
  subject: RateLimitSubject,
  reason: string,
): Promise<void> {
  const now = clock.now();
  if (!limits.enabled || (await limits.consume(budget, subject, now)) !== undefined) return;
  const wait = retrySeconds(limits.peek(budget, subject, now), now);
  throw new Failure('exhausted', `${reason} Try again in ${wait} seconds.`, {
    headers: { 'retry-after': String(wait) },
  });
}

/** What turned out to be right does not count. */
export function refundBudget(
  { limits, clock }: Pick<Kernel, 'limits' | 'clock'>,
  budget: string,
  subject: RateLimitSubject,
): void {
  if (limits.enabled) limits.refund(budget, subject, clock.now());
}
