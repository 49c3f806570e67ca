// Waits for what happens behind a call, by asking again; fails when it does not happen in time.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 10_000;
const PAUSE_MS = 5;

export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await delay(PAUSE_MS)) {
    if (await isSo()) return;
  }
  assert.fail(`not so within ${PATIENCE_MS} ms`);
}
