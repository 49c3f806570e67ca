import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { collectColumns } from './columns.ts';
import { anyTable, sourceOf, textOf } from '../fixture.ts';
import { exportCsv } from './csv.ts';
import { exportHtml } from './html.ts';
import type { Item } from '../input.ts';

function join(items: readonly Item[]): string {
  return items.map((item) => JSON.stringify(item)).join(',\n');
}

async function assertSame(...items: Item[]): Promise<void> {
  const { cellsIn, cellsOf } = await collectColumns(sourceOf(items));
  // The second round uses the patterns of the first.
  for (let round = 0; round < 2; round += 1) assert.deepEqual(cellsIn(join(items)), items.map(cellsOf));
}

test('cells read from text equal those of the parsed items, for any items', async () => {
  await fc.assert(fc.asyncProperty(anyTable, (batches) => assertSame(...batches.flat())));
});

test('items of a shape that was seen before are read by it', async () => {
  await assertSame(
    { a: 'x', b: { c: 1.5e-7, d: [true, null] }, e: {}, f: [] },
    { a: 'quote " and \\ and \n', b: { c: -1e21, d: [false, 'null'] }, e: {}, f: [] },
    { a: '', b: { c: 0, d: ['},{', '",\n"'] }, e: {}, f: [] },
    { a: { b: 1 }, b: 2 },
    { 'a.b(': 1, $: 2, '"': 3, '\n': 4 },
    {},
  );
});

test('two values that meet in one column leave the later one', async () => {
  await assertSame({ 'a/b': 1, a: { b: 2 } }, { a: { b: 2 }, 'a/b': 3 });
});

test('items that all differ are read as well', async () => {
  const items = Array.from({ length: 1000 }, (_, at) => ({
    [`k${at % 300}`]: at,
    list: Array(at % 50).fill(at),
  }));
  await assertSame(...items);
});

test('long texts, and items of many values, are read as well', async () => {
  await assertSame({ text: 'x'.repeat(300_000) }, { text: '\\"'.repeat(200_000) });
  await assertSame({ list: Array.from({ length: 1500 }, (_, at) => at) });
});

for (const [format, write] of Object.entries({ CSV: exportCsv, HTML: exportHtml })) {
  test(`a table from texts is the one from items, as ${format}`, async () => {
    const items = Array.from({ length: 500 }, (_, at) => ({
      at,
      text: `a,"${at}"`,
      number: (at - 250) / 7,
      large: at * 1e21,
      small: at * 1e-9,
      isEven: at % 2 === 0,
      nothing: null,
      ...(at % 7 === 0 && { b: [at] }),
    }));
    const fromItems = await textOf(write(sourceOf<Item>(items)));
    const texts = sourceOf([join(items.slice(0, 300)), join(items.slice(300))]);
    assert.equal(await textOf(write(sourceOf<Item>(items), {}, texts)), fromItems);
  });
}
