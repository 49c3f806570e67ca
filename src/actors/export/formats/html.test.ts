import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { childrenOf, readXml, textIn } from '../fixture-readers.ts';
import { anyTable, sourceOf, textOf } from '../fixture.ts';
import type { Item } from '../input.ts';
import { exportHtml } from './html.ts';

function rowsOf(page: string): string[][] {
  const [, body] = childrenOf(readXml(page));
  const [table] = childrenOf(body!);
  return childrenOf(table!).flatMap((part) => childrenOf(part).map((row) => childrenOf(row).map(textIn)));
}

test('items are rows of a table', async () => {
  const page = await textOf(exportHtml(sourceOf<Item>([{ a: 1, b: '<b>&' }], [{ c: null, a: '' }])));
  assert.match(page, /^<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"\/>/);
  assert.match(page, /<thead>\n<tr><th>a<\/th><th>b<\/th><th>c<\/th><\/tr>\n<\/thead>/);
  assert.match(
    page,
    /<tr><td>1<\/td><td>&lt;b&gt;&amp;<\/td><td><\/td><\/tr>\n<tr><td><\/td><td><\/td><td><\/td><\/tr>/,
  );
});

test('whatever the items hold, the page is well-formed and its rows are whole', async () => {
  await fc.assert(
    fc.asyncProperty(anyTable, async (batches) => {
      const [names, ...rows] = rowsOf(await textOf(exportHtml(sourceOf(...batches))));
      assert.equal(rows.length, batches.flat().length);
      for (const row of rows) assert.equal(row.length, names!.length);
    }),
  );
});
