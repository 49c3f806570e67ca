// How long a client waits for a server that limits it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitWaitOf } from './rest-client.ts';

const NOW = 1_000_000_000_000;

test('a client waits as long as a limit asks for, and at most somewhat more than an hour', () => {
  const spent = (reset: number) => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) });
  assert.equal(limitWaitOf(403, spent(NOW / 1000 + 60), NOW), 60_000);
  assert.equal(limitWaitOf(429, { 'retry-after': '7' }, NOW), 7000);
  assert.equal(limitWaitOf(503, { 'retry-after': '5' }, NOW), 5000);
  assert.equal(limitWaitOf(403, spent(NOW / 1000 - 60), NOW), 0);
  assert.equal(limitWaitOf(403, spent(NOW), NOW), 70 * 60_000);
  assert.equal(limitWaitOf(429, {}, NOW), 60_000);
});

test('other refusals are no limits', () => {
  assert.equal(limitWaitOf(403, { 'x-ratelimit-remaining': '12' }, NOW), undefined);
  assert.equal(limitWaitOf(404, { 'retry-after': '7' }, NOW), undefined);
  assert.equal(limitWaitOf(200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }, NOW), undefined);
});
