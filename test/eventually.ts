// Waits that end: every wait of a test for something that another does has this deadline.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

/** Far longer than anything takes, even on a slow and busy machine: it is paid only by what fails. */
export const PATIENCE_MS = 120_000;
/** Between two looks: the longer it has taken, the longer, since a look costs calls of the server and of the database. */
const PAUSE_MS = { least: 5, most: 100, share: 0.1 };

/** Asks again until it is so. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  what = 'what was waited for',
): Promise<void> {
  const begun = performance.now();
  while (!(await isSo())) {
    const passed = performance.now() - begun;
    if (passed > PATIENCE_MS) assert.fail(`${what} did not happen within ${PATIENCE_MS} ms`);
    await delay(Math.min(Math.max(passed * PAUSE_MS.share, PAUSE_MS.least), PAUSE_MS.most));
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
