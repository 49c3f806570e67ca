// Finding the session cookie.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookieOf } from './session-caller.ts';

const HTTP = 'http://signalbox.example';

test('over HTTPS only the cookie counts that another host or an unencrypted page cannot set', () => {
  const both = 'signalbox_session=plain; __Host-signalbox_session=bound';
  assert.equal(cookieOf(both, 'https://signalbox.example')?.secret, 'bound');
  assert.equal(cookieOf(both, HTTP)?.secret, 'plain');
  assert.equal(cookieOf('signalbox_session=plain', 'https://signalbox.example'), undefined);
  assert.equal(cookieOf('__Host-signalbox_session=bound', HTTP), undefined);
});

test('the session is found among other cookies', () => {
  const session = { kind: 'session', secret: 'abc' };
  assert.deepEqual(cookieOf('signalbox_session=abc', HTTP), session);
  assert.deepEqual(cookieOf('theme=dark;signalbox_session=abc ; a=b', HTTP), session);
  assert.deepEqual(cookieOf('signalbox_session=; signalbox_session=abc', HTTP), session);
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
    assert.equal(cookieOf(header, HTTP), undefined, header);
  }
});
