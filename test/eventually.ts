// Waits that end: every wait of a test for something that another does has this deadline.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

/** Far longer than anything takes, even on a slow and busy machine: it is paid only by what fails. */
export const PATIENCE_MS = 120_000;
const PAUSE_MS = 5;

/** Asks again until it is so. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  what = 'what was waited for',
): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; !(await isSo()); await delay(PAUSE_MS)) {
    if (performance.now() > deadline) assert.fail(`${what} did not happen within ${PATIENCE_MS} ms`);
  }
}

/** The same promise, which fails when it does not settle in time. */
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
