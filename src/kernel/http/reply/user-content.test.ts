// The headers of bytes that a user chose, and the types that may be served without them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPassive, userContentHeaders } from './user-content.ts';

test('every type has the sandbox, and no browser guesses another', () => {
  for (const type of ['text/html', 'text/xsl', 'text/plain', 'image/png', 'application/json', 'x', '']) {
    assert.deepEqual(userContentHeaders(type), {
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox allow-scripts',
    });
  }
});

test('a PDF has no sandbox, and no other type is treated as one', () => {
  for (const type of ['application/pdf', 'Application/PDF ; version=1.7']) {
    const headers = userContentHeaders(type);
    assert.equal(headers['content-security-policy'], undefined, type);
    assert.equal(headers['x-content-type-options'], 'nosniff', type);
  }
  for (const type of [
    'application/pdf, text/html',
    'application/pdf; x=",text/html"',
    "application/pdf; x=',text/html'",
    'application/pdf; x=1, text/html',
    'application/pdf+xml',
    'text/html; application/pdf',
  ]) {
    assert.equal(userContentHeaders(type)['content-security-policy'], 'sandbox allow-scripts', type);
  }
});

test('an attachment has its file name', () => {
  const { 'content-disposition': disposition } = userContentHeaders('text/csv', 'a.csv');
  assert.equal(disposition, 'attachment; filename="a.csv"');
});

test('only types that browsers never run may be served by another server', () => {
  for (const type of [
    'image/png',
    'image/webp',
    'audio/mpeg',
    'video/mp4; codecs=avc1',
    'font/woff2',
    'text/plain; charset=utf-8',
    'application/json',
    'application/pdf',
    'application/octet-stream',
  ]) {
    assert.ok(isPassive(type), type);
  }
  for (const type of [
    'text/html',
    'text/xsl',
    'image/svg+xml',
    'image/unheard-of+xml',
    'video/xml',
    'application/xhtml+xml',
    'text/plain, text/html',
    'image/png; x=", text/html"',
    'text',
    '',
    '*/*',
  ]) {
    assert.ok(!isPassive(type), type);
  }
});
