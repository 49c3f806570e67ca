// Tests of the rules of deliveries: retries, jitter, and what is learnt of a receiver.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IN_ORDER, INDEPENDENT, NO_BACKOFF, outcomeOf } from './policy.ts';
import type { Attempt } from './send.ts';

const SECOND = 1_000;
const NOW = 1_000_000;
const WAITS = [SECOND, 600 * SECOND];

const attempt = (status: number | null, more: Partial<Attempt> = {}): Attempt => ({
  status,
  error: null,
  durationMs: 1,
  response: '',
  isTimeout: false,
  isFinal: false,
  ...more,
});
const TIMEOUT = attempt(null, { isTimeout: true });

function outcome(of: Attempt, { tries = 1, order = IN_ORDER, random = 0 } = {}) {
  return outcomeOf({ tries, attempt: of, waits: WAITS }, order, { now: NOW, random });
}

test('only a status of 2xx is a success', () => {
  const stateOf = (status: number | null) => outcome(attempt(status)).state;
  assert.deepEqual([200, 202, 299].map(stateOf), ['delivered', 'delivered', 'delivered']);
  assert.deepEqual([null, 100, 199, 300, 304, 404, 500].map(stateOf), Array(7).fill('pending'));
});

test('after the attempt that has no wait left, the delivery has failed', () => {
  assert.equal(outcome(attempt(500), { tries: 2 }).dueAt, NOW + 600 * SECOND);
  assert.deepEqual(outcome(attempt(500), { tries: 3 }), { state: 'failed', dueAt: null });
});

test('jitter only makes the waits of ordered deliveries longer, and others up to a quarter shorter, too', () => {
  const waitsOf = (order: typeof IN_ORDER) =>
    [0, 0.5, 1].map((random) => outcome(attempt(500), { order, random }).dueAt! - NOW);
  assert.deepEqual(waitsOf(IN_ORDER), [1_000, 1_125, 1_250]);
  assert.deepEqual(waitsOf(INDEPENDENT), [750, 1_000, 1_250]);
});

test('a receiver of ordered deliveries may ask for a longer wait, up to an hour, but for no shorter one', () => {
  const dueAfter = (tries: number, seconds: number, order = IN_ORDER) => {
    const asking = attempt(429, { retryAfterMs: seconds * SECOND });
    return (outcome(asking, { tries, order, random: order === IN_ORDER ? 0 : 0.5 }).dueAt! - NOW) / SECOND;
  };
  assert.equal(dueAfter(1, 30), 30);
  assert.equal(dueAfter(2, 30), 600);
  assert.equal(dueAfter(1, 1_000_000), 3_600);
  assert.equal(dueAfter(1, 30, INDEPENDENT), 1);
});

test('an attempt that no other can follow fails the delivery', () => {
  assert.deepEqual(outcome(attempt(null, { isFinal: true })), { state: 'failed', dueAt: null });
});

test('an ordered queue rests longer with each batch of timeouts, up to a minute, and is free after a success', () => {
  let backoff = NO_BACKOFF;
  const rests: number[] = [];
  for (let batch = 0; batch < 7; batch += 1) {
    backoff = IN_ORDER.nextBackoff(backoff, [TIMEOUT], NOW);
    rests.push((backoff.until - NOW) / SECOND);
  }
  assert.deepEqual(rests, [2, 4, 8, 16, 32, 60, 60]);
  assert.equal(IN_ORDER.nextBackoff(backoff, [attempt(200)], NOW), NO_BACKOFF);
});

test('error statuses reduce the concurrency of an ordered queue without a pause, unless they ask for one', () => {
  assert.deepEqual(IN_ORDER.nextBackoff(NO_BACKOFF, [attempt(500), attempt(500)], NOW), {
    failedBatches: 1,
    until: NOW,
    width: 1,
  });
  assert.deepEqual(IN_ORDER.nextBackoff(NO_BACKOFF, [attempt(503, { retryAfterMs: 5_000 })], NOW), {
    failedBatches: 1,
    until: NOW + 5_000,
    width: 1,
  });
  assert.equal(IN_ORDER.nextBackoff(NO_BACKOFF, [attempt(500), attempt(200), TIMEOUT], NOW), NO_BACKOFF);
});

test('a queue of independent deliveries is narrow while all of them time out, and never rests', () => {
  const backoff = INDEPENDENT.nextBackoff(NO_BACKOFF, [TIMEOUT, TIMEOUT], NOW);
  assert.deepEqual(backoff, { failedBatches: 0, until: 0, width: 2 });
  assert.equal(INDEPENDENT.nextBackoff(backoff, [TIMEOUT, attempt(500)], NOW), NO_BACKOFF);
  assert.equal(INDEPENDENT.nextBackoff(backoff, [], NOW), NO_BACKOFF);
});
