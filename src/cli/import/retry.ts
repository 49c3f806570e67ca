// When a call to another server is repeated, and after what wait: as the API's own clients do.
import { RemoteError } from './remote-error.ts';

const MAX_RETRIES = 8;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 60_000;

/** A call that must not be executed twice is repeated only if it was certainly not executed. */
export function isRetryable(error: unknown, isRepeatable = true): boolean {
  if (!(error instanceof RemoteError)) return false;
  const isTemporary = error.status === 0 || error.status === 429 || error.status >= 500;
  return isTemporary && (isRepeatable || error.isUnsent);
}

/** The wait before the next try; undefined when there have been enough. */
export function waitOf(attempt: number, error: unknown, random: () => number): number | undefined {
  if (attempt >= MAX_RETRIES) return undefined;
  const asked = error instanceof RemoteError ? error.retryAfterMs : undefined;
  if (asked !== undefined) return Math.min(Math.max(asked, FIRST_WAIT_MS), MAX_WAIT_MS);
  const longest = Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS);
  // Half of it is random, so that several clients do not come again at the same moment.
  return longest / 2 + (random() * longest) / 2;
}
