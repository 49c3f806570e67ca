// Lines of text that comes in pieces.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { splitLines } from './split-lines.ts';

const TEXT = 'one\n\u2028two\u2029\r\x85\v\n\nzwölf 🚂\nlast';
const LINES = ['one', '\u2028two\u2029\r\x85\v', '', 'zwölf 🚂', 'last'];

test('lines end at line feeds alone, in whatever pieces the text comes', async () => {
  const bytes = Buffer.from(TEXT);
  for (const size of [1, 2, 3, 5, 100]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    assert.deepEqual(await Array.fromAsync(splitLines(Readable.from(pieces))), LINES, String(size));
  }
});

test('a line feed at the end begins no other line, and no text has no lines', async () => {
  assert.deepEqual(await Array.fromAsync(splitLines(Readable.from([Buffer.from('one\n')]))), ['one']);
  assert.deepEqual(await Array.fromAsync(splitLines(Readable.from([]))), []);
});

test('a long line in many pieces is put together once', async () => {
  const piece = Buffer.alloc(16_384, 'x');
  const pieces = Array.from({ length: 1000 }, () => piece);
  const [line] = await Array.fromAsync(splitLines(Readable.from(pieces)));
  assert.equal(line!.length, 16_384_000);
});
