// Shared by the tests of the exporters: ordinary and hostile items, and functions that collect the output.
import fc from 'fast-check';
import { hasNoBackslashInKeys } from '../../kernel/json/fixture.ts';
import type { Item, ExportSource } from './input.ts';

export function sourceOf<T>(...batches: readonly T[][]): ExportSource<T> {
  return async function* () {
    yield* batches;
  };
}

/** Joins strings without converting them to bytes, which would repair lone surrogates. */
export async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}

export async function bytesOf(chunks: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks)
    parts.push(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk));
  return Buffer.concat(parts);
}

/** An object in an object in an object, with a value at the bottom. */
export function nested(depth: number): Item {
  let item: Item = { a: 1 };
  for (let level = 1; level < depth; level += 1) item = { a: item };
  return item;
}

const HOSTILE_TEXTS = [
  '',
  ' ',
  '"',
  '""',
  'a,b;c\td',
  'one\ntwo\r\nthree\rfour',
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1:A9)',
  ']]>',
  '<!-- & --> <b title="x">\'</b> &amp; &#0;',
  '<![CDATA[x]]>',
  '\u0000\u0001\u000B\u001F\u007F\u0085\u2028\uFEFF\uFFFE\uFFFF',
  'žluťoučký 漢字 👩‍👩‍👧 e\u0301',
  '\uD83D',
  '\uDE00x',
  '_x0041_ _x005F_',
];

const HOSTILE_KEYS = [
  '__proto__',
  'constructor',
  'toString',
  '@',
  '#',
  '#hidden',
  '',
  '0',
  'a/b',
  'a.b',
  'a:b',
  'xmlns',
  '1 <x>',
];

const anyText = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.string(),
);
const anyKey = fc.oneof(fc.constantFrom(...HOSTILE_KEYS), fc.constantFrom('a', 'b', 'c'), anyText);

const { object } = fc.letrec<{ object: Item; value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    anyText,
    fc.constantFrom(null, true, false, 0, 1e21, 5e-324, Number.MAX_SAFE_INTEGER),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  // From entries: assigning `__proto__` would not make a member.
  object: fc
    .array(fc.tuple(anyKey, tie('value')), { maxLength: 5 })
    .map((entries) => Object.fromEntries(entries)),
}));

/** Batches of arbitrary JSON items that share many keys and contain many hostile values. */
export const anyBatches: fc.Arbitrary<Item[][]> = fc
  .array(fc.array(object, { maxLength: 3 }), { maxLength: 4 })
  .filter(hasNoBackslashInKeys);

/** The same, with at least one column. */
export const anyTable: fc.Arbitrary<Item[][]> = anyBatches.map((batches) => [[{ first: 'x' }], ...batches]);
