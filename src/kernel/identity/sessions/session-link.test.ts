// Which paths the login leads back to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLocalPath, loginPathFrom } from './session-link.ts';

test('paths of this server are local', () => {
  for (const path of [
    '/',
    '/settings/installations/7?page=2',
    '/a//b',
    '/?next=https://evil.example',
    '/%5C',
    `/${'a'.repeat(7999)}`,
  ])
    assert.ok(isLocalPath(path), path);
});

test('what a browser may take for another site is not local', () => {
  const bad = [
    '',
    'settings',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
  ];
  const hidden = [
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/a\\b',
    '/ä',
  ];
  const long = `/${'a'.repeat(8000)}`;
  for (const path of [...bad, ...hidden, 'javascript:alert(1)', '/a\r\nset-cookie: a=b', '/\0', long])
    assert.ok(!isLocalPath(path), path);
});

test('every local path stays on the server when a browser resolves it', () => {
  for (const path of [
    '/./',
    '/.//evil.example',
    '/..//evil.example',
    '/@evil.example',
    '/:80',
    '/%2F/evil.example',
  ])
    assert.equal(new URL(path, 'http://here.example').origin, 'http://here.example', path);
});

test('a page that is not local is not returned to', () => {
  assert.equal(loginPathFrom('/a?b=c&d'), '/session?return=%2Fa%3Fb%3Dc%26d');
  assert.equal(loginPathFrom('//evil.example'), '/session');
  assert.equal(loginPathFrom('http://evil.example/'), '/session');
});
