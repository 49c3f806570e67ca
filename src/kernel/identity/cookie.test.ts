// Finding the session cookie.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookieOf } from './cookie.ts';

test('the session is found among other cookies', () => {
  const session = { kind: 'session', secret: 'abc' };
  assert.deepEqual(cookieOf('signalbox_session=abc'), session);
  assert.deepEqual(cookieOf('theme=dark;signalbox_session=abc ; a=b'), session);
  assert.deepEqual(cookieOf('signalbox_session=; signalbox_session=abc'), session);
});

test('no cookie, an empty one and those of others are none', () => {
  for (const header of [
    undefined,
    '',
    ';;',
    '=',
    'signalbox_session',
    'signalbox_session=',
    'x_signalbox_session=abc',
  ]) {
    assert.equal(cookieOf(header), undefined, header);
  }
});
