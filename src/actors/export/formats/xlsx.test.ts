import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { childrenOf, readXml, readZip, textIn, type XmlElement } from '../fixture-readers.ts';
import { anyTable, bytesOf, sourceOf } from '../fixture.ts';
import type { Item } from '../input.ts';
import { exportXlsx, writeWorkbook } from './xlsx.ts';

/** The address of a cell, and its value as a spreadsheet program reads it. */
function readCell(cell: XmlElement): [string, unknown] {
  const place = cell.attributes['r']!;
  const text = textIn(cell);
  if (cell.attributes['t'] === 'b') return [place, text === '1'];
  if (cell.attributes['t'] === undefined) return [place, Number(text)];
  return [
    place,
    text.replaceAll(/_x([\dA-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  ];
}

function readSheet(xml: string): Record<string, unknown> {
  const [data] = childrenOf(readXml(xml));
  return Object.fromEntries(childrenOf(data!).flatMap((row) => childrenOf(row).map(readCell)));
}

async function sheetOf(...items: Item[]): Promise<Record<string, unknown>> {
  const parts = readZip(await bytesOf(exportXlsx(sourceOf(items))));
  return readSheet(parts.get('xl/worksheets/sheet1.xml')!);
}

test('items are rows under a row of names, and cells have types', async () => {
  const names = { A1: 'a', B1: 'b/c', C1: 'd', D1: 'n' };
  const items = [
    { a: 1.5, b: { c: 'x' } },
    { d: true, a: -1e300, n: null },
    { d: false, a: '' },
  ];
  const cells = { A2: 1.5, B2: 'x', A3: -1e300, C3: true, A4: '', C4: false };
  assert.deepEqual(await sheetOf(...items), { ...names, ...cells });
});

test('text that looks like a formula, a number or markup stays text', async () => {
  const { A2, B2, C2, D2 } = await sheetOf({ a: '=1+1', b: '007', c: '<b>&"', d: ' x\ny ' });
  assert.deepEqual([A2, B2, C2, D2], ['=1+1', '007', '<b>&"', ' x\ny ']);
});

test('control characters, and text that looks like their escape, come back', async () => {
  const text = 'a\u0000b\u001Fc\r\nd\uFFFF _x0041_ _x_ __x005F__';
  assert.equal((await sheetOf({ text }))['A2'], text);
});

test('text is cut where a cell is full, and no half of a pair is left', async () => {
  assert.equal((await sheetOf({ a: 'x'.repeat(32_768) }))['A2'], 'x'.repeat(32_767));
  assert.equal((await sheetOf({ a: `${'x'.repeat(32_766)}😀` }))['A2'], 'x'.repeat(32_766));
});

test('columns go on after Z', async () => {
  const names = Array.from({ length: 703 }, (_, at) => `k${at}`);
  const sheet = await sheetOf(Object.fromEntries(names.map((name, at) => [name, at])));
  assert.deepEqual(
    [sheet['Z2'], sheet['AA2'], sheet['AZ2'], sheet['BA2'], sheet['ZZ2'], sheet['AAA2']],
    [25, 26, 51, 52, 701, 702],
  );
});

test('a full sheet is followed by another one, with names of its own', async () => {
  const source = sourceOf<Item>([{ a: 1 }, { a: 2 }, { a: 3 }], [{ a: 4 }], [], [{ a: 5, b: 'x' }]);
  const parts = readZip(await bytesOf(writeWorkbook(source, 2)));
  assert.deepEqual(readSheet(parts.get('xl/worksheets/sheet1.xml')!), { A1: 'a', B1: 'b', A2: 1, A3: 2 });
  assert.deepEqual(readSheet(parts.get('xl/worksheets/sheet2.xml')!), { A1: 'a', B1: 'b', A2: 3, A3: 4 });
  assert.deepEqual(readSheet(parts.get('xl/worksheets/sheet3.xml')!), { A1: 'a', B1: 'b', A2: 5, B2: 'x' });
  const [sheets] = childrenOf(readXml(parts.get('xl/workbook.xml')!));
  assert.deepEqual(
    childrenOf(sheets!).map(({ attributes }) => attributes['name']),
    ['Items', 'Items 2', 'Items 3'],
  );
  assert.equal(parts.size, 7);
});

test('whatever the items hold, every part is well-formed and every row is there', async () => {
  await fc.assert(
    fc.asyncProperty(anyTable, async (batches) => {
      const parts = readZip(await bytesOf(exportXlsx(sourceOf(...batches))));
      for (const xml of parts.values()) readXml(xml);
      assert.equal(parts.get('xl/worksheets/sheet1.xml')!.split('<row ').length - 2, batches.flat().length);
    }),
    { numRuns: 50 },
  );
});
