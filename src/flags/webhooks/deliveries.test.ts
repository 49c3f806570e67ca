// Tests of how the webhooks of the flags API are delivered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RETRY_DELAYS } from './deliveries.ts';

test('there are six attempts in about an hour', () => {
  assert.deepEqual(
    RETRY_DELAYS.map((wait) => wait / 1000),
    [1, 10, 60, 600, 3_000],
  );
});
