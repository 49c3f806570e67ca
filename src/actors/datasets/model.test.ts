import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measuredFields, measureItems } from './model.ts';

test('the fields that are measured are those of the schema', () => {
  assert.deepEqual(measuredFields({ fields: { properties: { a: {}, b: {} } } }), ['a', 'b']);
  for (const schema of [{ fields: {} }, { fields: { properties: [] } }]) {
    assert.deepEqual(measuredFields(schema), []);
  }
  for (const schema of [null, {}, { fields: null }]) assert.equal(measuredFields(schema), undefined);
});

test('numbers are measured by value, all else by its size', async () => {
  const items = [
    { n: 5, s: 'abc', l: [1, 2], o: { a: 1 }, b: true },
    { n: -2.5, s: '', l: [], o: {}, b: false },
  ];
  const measures = await measureItems(items, ['n', 's', 'l', 'o', 'b']);
  const measured = measures.map(({ min, max }) => [min, max]);
  assert.deepEqual(measured, [
    [-2.5, 5],
    [0, 3],
    [0, 2],
    [0, 1],
    [null, null],
  ]);
});

test('null and missing are counted apart, and an inherited member is missing', async () => {
  const items = [{ a: null }, {}, { a: 1 }];
  assert.deepEqual(await measureItems(items, ['a', 'constructor']), [
    { field: 'a', min: 1, max: 1, nullCount: 1, emptyCount: 1 },
    { field: 'constructor', min: null, max: null, nullCount: 0, emptyCount: 3 },
  ]);
});
