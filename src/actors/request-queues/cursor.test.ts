// Cursors are decoded to what was encoded, and invalid ones are refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { requestIdOf } from './request.ts';

test('a cursor is valid only for the kind of list that returned it', () => {
  const byId = { afterId: requestIdOf('x') };
  assert.deepEqual(decodeCursor(encodeCursor(byId), 'id'), byId);
  for (const afterOrder of [0, -17, 9_999_999]) {
    assert.deepEqual(decodeCursor(encodeCursor({ afterOrder }), 'order'), { afterOrder });
  }
  assert.throws(() => decodeCursor(encodeCursor(byId), 'order'), { kind: 'invalid' });
  assert.throws(() => decodeCursor(encodeCursor({ afterOrder: 1 }), 'id'), { kind: 'invalid' });
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.throws(() => decodeCursor(text, 'id'), { kind: 'invalid' });
    }),
  );
});
