// Waits with a deadline, for tests that wait for something asynchronous.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

/** Far longer than anything takes on a slow and busy machine: only failures wait as long. */
export const PATIENCE_MS = 120_000;
/** The poll interval grows with the time waited, because a poll may cost calls and queries. */
const PAUSE_MS = { least: 5, most: 100, share: 0.1 };

/** Polls until the condition is true. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  what = 'what was waited for',
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const begun = performance.now();
  while (!(await isSo())) {
    const passed = performance.now() - begun;
    if (passed > patienceMs) assert.fail(`${what} did not happen within ${patienceMs} ms`);
    await delay(Math.min(Math.max(passed * PAUSE_MS.share, PAUSE_MS.least), PAUSE_MS.most));
  }
}

/** Rejects when the promise does not settle in time. */
export async function inTime<T>(promise: Promise<T>, what = 'what was waited for'): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`${what} did not happen within ${PATIENCE_MS} ms`)),
    PATIENCE_MS,
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
