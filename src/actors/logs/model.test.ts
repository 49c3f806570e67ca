import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CHUNK_BYTES,
  cutNotice,
  HEAD_BYTES,
  LINE_BYTES,
  LOG_BYTES,
  splitIntoChunks,
  stampLines,
  stampOf,
  startOfLine,
  TAIL_BYTES,
} from './model.ts';

const stamp = stampOf(Date.UTC(2026, 0, 2, 3, 4, 5, 6));
const LONG = 'x'.repeat(LINE_BYTES);

function stampText(raw: string | Uint8Array, isEnd = false, room = CHUNK_BYTES) {
  const { content, consumed } = stampLines(Buffer.from(raw), { stamp, isEnd, room });
  return { text: Buffer.from(content).toString(), consumed };
}

test('a stamp is the time with milliseconds, and a space', () => {
  assert.equal(stamp, '2026-01-02T03:04:05.006Z ');
});

test('each complete line is stamped, and an incomplete one waits for its end', () => {
  assert.deepEqual(stampText('one\n\nthree\nfo'), {
    text: `${stamp}one\n${stamp}\n${stamp}three\n`,
    consumed: 11,
  });
  assert.deepEqual(stampText('fo', true), { text: `${stamp}fo\n`, consumed: 2 });
  assert.deepEqual(stampText('', true), { text: '', consumed: 0 });
});

test('a line is split when it is too long, and not before', () => {
  assert.deepEqual(stampText(LONG), { text: '', consumed: 0 });
  assert.deepEqual(stampText(`${LONG}\n`), { text: `${stamp}${LONG}\n`, consumed: LINE_BYTES + 1 });
  assert.deepEqual(stampText(`${LONG}y\n`), {
    text: `${stamp}${LONG}\n${stamp}y\n`,
    consumed: LINE_BYTES + 2,
  });
});

test('a line is never split inside a character', () => {
  for (const shift of [0, 1, 2, 3]) {
    const line = 'a'.repeat(shift) + '😀'.repeat(LINE_BYTES);
    const raw = Buffer.from(line);
    const parts: string[] = [];
    for (let at = 0; at < raw.length;) {
      const { text, consumed } = stampText(raw.subarray(at), true);
      parts.push(...text.split('\n').slice(0, -1));
      at += consumed;
    }
    assert.equal(parts.map((part) => part.slice(stamp.length)).join(''), line);
  }
});

test('invalid UTF-8 becomes U+FFFD, and all other bytes stay as they are', () => {
  assert.equal(stampText(Buffer.from([0x61, 0xff, 0x62, 0xe2, 0x82, 0x0a])).text, `${stamp}a\ufffdb\ufffd\n`);
  assert.equal(stampText('\u{feff}a\0b\r\n').text, `${stamp}\u{feff}a\0b\r\n`);
});

test('content stops before the line that does not fit, but has at least one', () => {
  const line = stamp.length + 2;
  assert.equal(stampText('a\nb\nc\n', false, 2 * line).consumed, 4);
  assert.equal(stampText('a\nb\nc\n', false, 2 * line - 1).consumed, 2);
  assert.equal(stampText('a\nb\nc\n', false, 1).consumed, 2);
});

test('the result does not depend on how a file is divided into reads', () => {
  for (let round = 0; round < 200; round += 1) {
    const raw = randomBytes();
    const expected = stampInReads(raw, () => raw.length);
    assert.deepEqual(
      stampInReads(raw, () => LINE_BYTES + 1 + Math.floor(Math.random() * LINE_BYTES)),
      expected,
    );
    const lines = expected.split('\n').slice(0, -1);
    assert.ok(lines.every((line) => line.startsWith(stamp)));
  }
});

function stampInReads(raw: Uint8Array, readBytes: () => number): string {
  let text = '';
  for (let at = 0; at < raw.length;) {
    const end = Math.min(at + readBytes(), raw.length);
    const read = stampText(raw.subarray(at, end), end === raw.length, 1 + Math.random() * CHUNK_BYTES);
    assert.ok(read.consumed > 0);
    text += read.text;
    at += read.consumed;
  }
  return text;
}

function randomBytes(): Uint8Array {
  const pieces = ['\n', 'a', 'é', '€', '😀', '\0', LONG, LONG.slice(1), LONG.slice(2), 'word '];
  const count = Math.floor(Math.random() * 20);
  const parts = Array.from({ length: count }, () =>
    Math.random() < 0.1
      ? Buffer.from([128 + Math.floor(Math.random() * 128)])
      : Buffer.from(pieces[Math.floor(Math.random() * pieces.length)]!),
  );
  return Buffer.concat(parts);
}

test('the kept parts of a log fit into its limit, even if every byte of the longest line is invalid', () => {
  const line = stampText(Buffer.alloc(LINE_BYTES, 0xff), true).text;
  const notice = cutNotice(Number.MAX_SAFE_INTEGER, Buffer.from(line));
  assert.ok(HEAD_BYTES + Buffer.byteLength(line) + notice.length + TAIL_BYTES <= LOG_BYTES);
});

test('the notice has the time of the line after it', () => {
  assert.match(cutNotice(12, Buffer.from(`${stamp}later\n`)), /^2026-01-02T03:04:05\.006Z ACTOR: 12 bytes /);
});

test('a line begins after the next newline, or at once where none is near', () => {
  assert.equal(startOfLine(Buffer.from('rest\nline')), 5);
  assert.equal(startOfLine(Buffer.from('no newline')), 0);
});

test('chunks are whole lines', () => {
  const lines = Buffer.from(`${stamp}word\n`.repeat(20_000));
  const chunks = [...splitIntoChunks(lines)];
  assert.ok(chunks.length > 2);
  assert.ok(chunks.every((chunk) => chunk.at(-1) === 0x0a && chunk.length < CHUNK_BYTES + 100));
  assert.deepEqual(Buffer.concat(chunks), lines);
});
