import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BACKOFF, outcomeOf, nextBackoff, RETRY_DELAYS } from './model.ts';
import type { Attempt } from './send.ts';

const SECOND = 1_000;
const NOW = 1_000_000;

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

test('only a status of 2xx is a success', () => {
  const stateOf = (status: number | null) =>
    outcomeOf({ tries: 1, attempt: attempt(status) }, { now: NOW, random: 0 }).state;
  assert.deepEqual([200, 202, 299].map(stateOf), ['delivered', 'delivered', 'delivered']);
  assert.deepEqual([null, 100, 199, 300, 304, 404, 500].map(stateOf), Array(7).fill('pending'));
});

test('there are six attempts in about an hour, and jitter only makes the waits longer', () => {
  const waitsWith = (random: number) =>
    [1, 2, 3, 4, 5].map(
      (tries) => outcomeOf({ tries, attempt: attempt(500) }, { now: NOW, random }).dueAt! - NOW,
    );
  assert.deepEqual(waitsWith(0), RETRY_DELAYS);
  assert.deepEqual(
    waitsWith(1),
    RETRY_DELAYS.map((wait) => wait * 1.25),
  );
  assert.equal(
    RETRY_DELAYS.reduce((sum, wait) => sum + wait),
    (1 + 10 + 60 + 600 + 3_000) * SECOND,
  );
  assert.deepEqual(outcomeOf({ tries: 6, attempt: attempt(500) }, { now: NOW, random: 0 }), {
    state: 'failed',
    dueAt: null,
  });
});

test('a receiver may ask for a longer wait, up to an hour, but for no shorter one', () => {
  const dueAfter = (tries: number, seconds: number) => {
    const asking = attempt(429, { retryAfterMs: seconds * SECOND });
    return (outcomeOf({ tries, attempt: asking }, { now: NOW, random: 0 }).dueAt! - NOW) / SECOND;
  };
  assert.equal(dueAfter(1, 30), 30);
  assert.equal(dueAfter(4, 30), 600);
  assert.equal(dueAfter(1, 1_000_000), 3_600);
});

test('an attempt that no other can follow fails the delivery', () => {
  const refused = attempt(null, { isFinal: true });
  assert.deepEqual(outcomeOf({ tries: 1, attempt: refused }, { now: NOW, random: 0 }), {
    state: 'failed',
    dueAt: null,
  });
});

test('a lane rests longer with each round of time-outs, up to a minute, and is free after a success', () => {
  let backoff = NO_BACKOFF;
  const rests: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    backoff = nextBackoff(backoff, [TIMEOUT], NOW);
    rests.push((backoff.until - NOW) / SECOND);
  }
  assert.deepEqual(rests, [2, 4, 8, 16, 32, 60, 60]);
  assert.equal(nextBackoff(backoff, [attempt(200)], NOW), NO_BACKOFF);
});

test('error statuses reduce the concurrency of a receiver without a pause, unless they ask for one', () => {
  assert.deepEqual(nextBackoff(NO_BACKOFF, [attempt(500), attempt(500)], NOW), {
    failedRounds: 1,
    until: NOW,
  });
  assert.deepEqual(nextBackoff(NO_BACKOFF, [attempt(503, { retryAfterMs: 5_000 })], NOW), {
    failedRounds: 1,
    until: NOW + 5_000,
  });
  assert.equal(nextBackoff(NO_BACKOFF, [attempt(500), attempt(200), TIMEOUT], NOW), NO_BACKOFF);
});
