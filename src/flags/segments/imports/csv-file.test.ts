// Files of keys: the batch size does not matter; written files can be read; errors name their line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  HEADING,
  MAX_LINE_BYTES,
  readHeading,
  readBatch,
  formatSize,
  formatRecord,
  type FileRecord,
} from './csv-file.ts';

/** Reads a whole file in batches of so many bytes, as an import does. */
function read(text: string | Buffer, size = 100_000, maxLines = 1000) {
  const bytes = Buffer.from(text);
  const head = readHeading(bytes);
  const records: FileRecord[] = [];
  let { bytes: at, lines } = head;
  while (at < bytes.length) {
    const end = Math.min(at + size, bytes.length);
    const batch = readBatch(bytes.subarray(at, end), {
      isTyped: head.isTyped,
      isEnd: end === bytes.length,
      maxLines,
    });
    records.push(...batch.records);
    at += batch.bytes;
    lines += batch.lines;
    if (batch.problem !== undefined) return { records, problem: `${lines + 1} ${batch.problem}` };
    if (batch.bytes === 0) size *= 2; // a line is longer than these small batches
  }
  return { records, lines };
}

const included = (...keys: string[]) => keys.map((key) => ({ key, type: 'included' as const }));

test('a line is a key, in quotes or not, with other columns or none', () => {
  const text = '\uFEFFada\r\n  bob \n\n   \r\n"cai, ""c"""\n"d\ne","x\ny",z\nf"g,1\n"h" ,2';
  assert.deepEqual(read(text).records, included('ada', 'bob', 'cai, "c"', 'd\ne', 'f"g', 'h'));
  assert.deepEqual(read('key\nä').records, included('key', 'ä'));
  assert.deepEqual(read('').records, []);
});

test('a batch has so many lines at most, blank ones too', () => {
  const batch = readBatch(Buffer.alloc(1000, '\n'), { isTyped: false, isEnd: true, maxLines: 10 });
  assert.deepEqual([batch.lines, batch.bytes, batch.records], [10, 10, []]);
});

test('below a heading the second column tells the side', () => {
  assert.deepEqual(read(`${HEADING}\r\na,included\n"b" , excluded \r\n`).records, [
    { key: 'a', type: 'included' },
    { key: 'b', type: 'excluded' },
  ]);
  assert.deepEqual(read('a,excluded\n').records, included('a'));
  assert.deepEqual(read(HEADING).records, []);
});

test('what is wrong is said with the number of its line', () => {
  for (const [text, problem] of [
    ['a\n,b\n', /^2 has no key/],
    ['a\n""\n', /^2 has no key/],
    ['"a\nb"\n"c"d\n', /^3 has a quote/],
    ['a\n\n"b', /^3 has a quote/],
    [`a\n${'x'.repeat(513)}\n`, /^2 has a key of more/],
    [`a\n${'x'.repeat(MAX_LINE_BYTES + 1)}\n`, /^2 has more than/],
    [`a\nb\n"${'x\n'.repeat(MAX_LINE_BYTES)}`, /^3 has more than/],
    ['a\nb\0\n', /^2 has a key with a NUL/],
    [Buffer.from([0x61, 0x0a, 0xc3, 0x28]), /^2 is not UTF-8/],
    [`${HEADING}\na,included\nb\n`, /^3 must say/],
    [`${HEADING}\na,Included\n`, /^2 must say/],
  ] as const) {
    const { problem: found } = read(text);
    assert.match(found ?? 'nothing', problem, JSON.stringify(String(text).slice(0, 30)));
  }
  assert.deepEqual(read('😀'.repeat(512)).records, included('😀'.repeat(512)));
});

test('what is written is read again, in pieces of any size', () => {
  const key = fc.string({
    unit: fc.constantFrom('a', 'B', ' ', ',', '"', '\n', '\r', ';', 'é', '😀', '\uFEFF'),
    minLength: 1,
    maxLength: 12,
  });
  const type = fc.constantFrom('included' as const, 'excluded' as const);
  fc.assert(
    fc.property(
      fc.array(fc.record({ key, type })),
      fc.boolean(),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 5 }),
      (records, isTyped, size, maxLines) => {
        const shown = records.map(({ key: name, type: side }) => ({
          key: name,
          type: isTyped ? side : ('included' as const),
        }));
        const text = shown.map((record) => formatRecord(record, isTyped)).join('');
        assert.deepEqual(read((isTyped ? `${HEADING}\n` : '') + text, size, maxLines).records, shown);
      },
    ),
  );
});

test('sizes are written with units', () => {
  for (const [bytes, text] of [
    [0, '0 B'],
    [18, '18 B'],
    [999, '999 B'],
    [1000, '1 KB'],
    [21_540, '21.5 KB'],
    [104_857_600, '104.9 MB'],
  ] as const)
    assert.equal(formatSize(bytes), text);
});
