// A large text in base64 is taken out of a JSON body, however the body is cut into pieces.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { LargeBase64 } from './large-base64.ts';

async function* inPieces(body: string, bytes: number): AsyncGenerator<Buffer> {
  const all = Buffer.from(body);
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}

async function read(body: string, { pieces = 7, maxBytes = 1e6 } = {}) {
  const text = new LargeBase64('content', maxBytes);
  const decoded: Buffer[] = [];
  for await (const bytes of text.decode(inPieces(body, pieces))) decoded.push(bytes);
  return { bytes: Buffer.concat(decoded), rest: text.rest.toString() };
}

test('the text is decoded and the rest is kept, wherever pieces end', async () => {
  const file = randomBytes(200);
  const lines = file.toString('base64').replaceAll(/.{60}/g, '$&\n');
  const around = {
    message: 'say \\"content": "x"',
    nested: { content: 'AAAA' },
    list: ['content'],
    branch: 'ä',
  };
  const body = JSON.stringify({ ...around, content: lines, author: { name: 'content' } });
  const escaped = body.replaceAll('/', String.raw`\/`);
  for (const sent of [body, escaped, JSON.stringify(JSON.parse(body), null, 2)])
    for (let pieces = 1; pieces < 70; pieces += 1) {
      const { bytes, rest } = await read(sent, { pieces });
      assert.ok(bytes.equals(file));
      assert.deepEqual(JSON.parse(rest), { ...around, content: '', author: { name: 'content' } });
    }
});

test('an absent text, an empty one and one of another type leave the body as it is', async () => {
  for (const body of [
    '{"a":1}',
    '{"content":""}',
    '{"content":null}',
    '{"content":["AAAA"]}',
    '["content"]',
    '{',
  ])
    assert.deepEqual(await read(body), { bytes: Buffer.alloc(0), rest: body });
});

test('what is no base64 is refused, and so is a text that is there twice', async () => {
  for (const text of [
    'AA',
    'A===',
    'AA==AAAA',
    'AA=A',
    'AÄAA',
    'AA AA',
    String.raw`AA\"AA`,
    String.raw`AAA\u0041`,
  ])
    for (const pieces of [1, 3, 100])
      await assert.rejects(read(`{"content":"${text}"}`, { pieces }), /content is not valid Base64/, text);
  await assert.rejects(read('{"content":"AAAA","content":"AAAA"}'), { kind: 'malformed', message: /twice/ });
});

test('neither the text nor the rest may be larger than allowed', async () => {
  const file = Buffer.alloc(1000);
  const body = JSON.stringify({ content: file.toString('base64') });
  assert.equal((await read(body, { maxBytes: 1000 })).bytes.length, 1000);
  await assert.rejects(read(body, { maxBytes: 999 }), /content must not have more than 999 bytes/);
  const wide = JSON.stringify({ message: 'x'.repeat(1024 * 1024), content: 'AAAA' });
  await assert.rejects(read(wide, { pieces: 64 * 1024 }), { kind: 'too-large' });
});
