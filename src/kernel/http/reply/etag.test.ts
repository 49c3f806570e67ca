// ETags, without a server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LastEtag, matchesEtag, storeBytes } from './etag.ts';

test('an ETag matches when it is in the list, weak or not, or when the list is a star', () => {
  for (const header of ['"a"', '"x", "a"', 'W/"a"', '*']) assert.ok(matchesEtag(header, '"a"'), header);
  for (const header of [undefined, '', '"b"', 'a']) assert.ok(!matchesEtag(header, '"a"'), header);
});

test('a remembered ETag is that of the text, whatever the text before was', () => {
  const etags = new LastEtag();
  const long = 'x'.repeat(100_000);
  for (const text of ['', 'a', 'a', 'b', long, 'b', 'a', '']) {
    assert.equal(etags.of(text), storeBytes(text).etag, text.slice(0, 10));
    assert.equal(etags.of(Buffer.from(text)), storeBytes(text).etag);
  }
});
