import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { collectColumns } from '../export/columns.ts';
import type { Item } from '../export/input.ts';
import { ColumnOutline } from './column-outline.ts';
import { parseItems } from '../export/item-texts.ts';

function outlineOf(items: Item[]): Item[] | null {
  const outline = new ColumnOutline();
  for (const item of items) outline.add(item);
  const text = outline.toText(Infinity);
  return text === null ? null : parseItems(text);
}

test('has the items that are the first with a value in some column, without their values', () => {
  const items = [
    { a: 1, o: { x: 'y' } },
    { a: 2 },
    { a: { deep: 1 } },
    { l: [1, { b: 2 }], e: [], n: null },
    { a: null, l: [3] },
  ];
  assert.deepEqual(outlineOf(items), [
    { a: null, o: { x: null } },
    { a: { deep: null } },
    { l: [null, { b: null }], e: [], n: null },
  ]);
});

test('is not stored if it would be long or the items have little in common', () => {
  const outline = new ColumnOutline();
  outline.add({ abcdef: 1 });
  assert.equal(outline.toText('{"abcdef":1}'.length), null);
  assert.equal(outline.toText(1000), '{"abcdef":null}');
  assert.equal(outlineOf(Array.from({ length: 17 }, (_, n) => ({ [`key${n}`]: 1 }))), null);
});

test('a table of the outline has the columns of all items, in their order', async () => {
  const key = fc.constantFrom('a', 'b', 'c', 'a/b', '0', '__proto__', 'constructor');
  const { item } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, 1, 'x', true),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('item'),
    ),
    item: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  }));
  const namesOf = async (items: Item[]) => {
    const columns = await collectColumns(async function* () {
      yield items;
    }).catch(() => undefined);
    return columns?.names;
  };
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 12 }), async (items) => {
      const all = items as Item[];
      // An outline does not record the number of items, so an error for items without columns becomes an empty list.
      assert.deepEqual(await namesOf(outlineOf(all)!), (await namesOf(all)) ?? []);
    }),
  );
});
