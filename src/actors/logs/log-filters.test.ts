import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { cpuMsOf } from '../../../test/cpu-time.ts';
import { AnsiStripper } from './log-filters.ts';

function strip(...pieces: (string | Uint8Array)[]): string {
  const stripper = new AnsiStripper();
  return Buffer.concat([
    ...pieces.map((piece) => stripper.strip(Buffer.from(piece))),
    stripper.end(),
  ]).toString();
}

test('colours, cursor movements, titles, links and character sets are removed', () => {
  assert.equal(strip('\x1b[31mred\x1b[0m \x1b[1;38;5;196mbold\x1b[m'), 'red bold');
  assert.equal(strip('a\x1b[2Kb\x1b[?25lc\x1b[10;20Hd\x1b[3 qe'), 'abcde');
  assert.equal(strip('\x1b]0;title\x07x\x1b]8;;https://a.test\x1b\\link\x1b]8;;\x1b\\'), 'xlink');
  assert.equal(strip('\x1b(Ba\x1b=b\x1bMc\x1bP1$r0m\x1b\\d'), 'abcd');
  assert.equal(strip('\u009b31mred'), 'red');
});

test('text stays as it is', () => {
  const text = 'plain [31m] \t\r\n é € 😀 \u00a0\u0085 \0 [0m';
  assert.equal(strip(text), text);
});

test('an incomplete sequence takes nothing of the next line', () => {
  assert.equal(strip('a\x1b[12\nb'), 'a\nb');
  assert.equal(strip('a\x1b]title without end\nb'), 'a\nb');
  assert.equal(strip('a\x1b\nb\x1b(\nc\x1b[1'), 'a\nb\nc');
  assert.equal(strip('\x1b[1é'), 'é');
  assert.equal(strip('\x1b[1\x1b[31mred'), 'red');
  assert.equal(strip(Uint8Array.of(0x61, 0xc2)), Buffer.from([0x61, 0xc2]).toString());
});

test('the result does not depend on how the bytes are divided', () => {
  const parts = [
    '\x1b',
    '[',
    '3',
    '1',
    'm',
    ']',
    '\x07',
    '\\',
    '(',
    '\n',
    'a',
    '\u009b',
    '\u00a0',
    '😀',
    ';',
    'P',
    ' ',
  ];
  for (let round = 0; round < 2000; round += 1) {
    const text = Array.from(
      { length: Math.floor(Math.random() * 30) },
      () => parts[Math.floor(Math.random() * parts.length)],
    ).join('');
    const bytes = Buffer.from(text);
    const single = [...bytes].map((byte) => Uint8Array.of(byte));
    const cut = Math.floor(Math.random() * bytes.length);
    const whole = strip(bytes);
    assert.equal(strip(...single), whole, JSON.stringify(text));
    assert.equal(strip(bytes.subarray(0, cut), bytes.subarray(cut)), whole, JSON.stringify(text));
    assert.ok(!whole.includes('\x1b'));
    assert.equal(strip(whole).includes('\x1b'), false);
  }
});

test('what Node removes is removed', () => {
  for (const text of ['\x1b[1mbold\x1b[22m', '\x1b[38;2;1;2;3mx\x1b[39m', '\x1b]8;;u\x07t\x1b]8;;\x07'])
    assert.equal(strip(text), stripVTControlCharacters(text));
});

test('the time is linear, whatever the bytes are', async () => {
  const strips = (text: string, count: number) => cpuMsOf(() => void strip(text.repeat(count)));
  for (const text of ['\x1b', '\x1b[', '\x1b]', '\x1b[1;', '\u009b', '\u00a0']) {
    const small = await strips(text, 200_000);
    const large = await strips(text, 800_000);
    assert.ok(large < 12 * small + 200, `${JSON.stringify(text)}: ${small} ms, ${large} ms`);
  }
});
