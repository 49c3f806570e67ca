// The rules of queues, without a database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkClientKey } from './model.ts';

test('a client key has 1 to 32 characters, whatever they are', () => {
  assert.equal(checkClientKey(undefined), '');
  for (const key of ['a', 'x'.repeat(32), '🎉'.repeat(32)]) assert.equal(checkClientKey(key), key);
  for (const key of ['', 'x'.repeat(33), '🎉'.repeat(33), 'x'.repeat(100_000)]) {
    assert.throws(() => checkClientKey(key), { kind: 'invalid', details: { code: 'invalid-client-key' } });
  }
});
