// One window of a rate limit by itself: the counter that callers see, and clocks that differ.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLOCK_SLACK_MS, counterOf, newWindow, retrySeconds, setReset } from './window.ts';

const NOW = 1_000_000;

test('a window that other nodes have overdrawn shows as used up, and not as more', () => {
  const window = { ...newWindow('host.core', 'ada', 60, NOW), used: 12 };
  assert.deepEqual(counterOf(window, 10), { limit: 10, used: 10, remaining: 0, resetAt: NOW + 60_000 });
  assert.deepEqual(counterOf(window, 15), { limit: 15, used: 12, remaining: 3, resetAt: NOW + 60_000 });
});

test('a client has to wait for whole seconds, and for one at least', () => {
  assert.deepEqual(
    [NOW - 5, NOW, NOW + 1, NOW + 1000, NOW + 1001].map((resetAt) => retrySeconds({ resetAt }, NOW)),
    [1, 1, 1, 1, 2],
  );
});

test('a window of another node may end later by what clocks differ; beyond that a clock was set back', () => {
  const latest = NOW + 60_000;
  for (const [resetAt, endsTooLate] of [
    [latest - 1, false],
    [latest + CLOCK_SLACK_MS, false],
    [latest + CLOCK_SLACK_MS + 1, true],
  ] as const) {
    const window = newWindow('host.core', 'ada', 60, NOW);
    setReset(window, resetAt, NOW);
    assert.deepEqual([window.resetAt, window.endsTooLate], [Math.min(resetAt, latest), endsTooLate]);
  }
});
