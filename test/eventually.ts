// Waits for what happens behind a call, by asking again; fails when it does not happen in time.
import assert from 'node:assert/strict';

const PATIENCE_MS = 10_000;

export async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline;) {
    if (await isSo()) return;
  }
  assert.fail(`not so within ${PATIENCE_MS} ms`);
}
