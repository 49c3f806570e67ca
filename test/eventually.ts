// Waits for what happens behind a call, by asking again; fails when it does not happen in time.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';

const PATIENCE_MS = 10_000;

export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await nextTurn()) {
    if (await isSo()) return;
  }
  assert.fail(`not so within ${PATIENCE_MS} ms`);
}
