import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../../kernel/failure.ts';
import { collectColumns } from './columns.ts';
import { nested, sourceOf } from '../fixture.ts';
import type { Item } from '../input.ts';

async function tableOf(...items: Item[]): Promise<unknown[][]> {
  const { names, cellsOf } = await collectColumns(sourceOf(items));
  return [[...names], ...items.map(cellsOf)];
}

function isInvalid(code?: string) {
  return (error: unknown) =>
    error instanceof Failure && error.kind === 'invalid' && error.details.code === code;
}

test('columns are the union of all keys, in the order they are first seen', async () => {
  assert.deepEqual(await tableOf({ b: 1, a: 2 }, { c: 3, a: 4 }, {}), [
    ['b', 'a', 'c'],
    [1, 2, undefined],
    [undefined, 4, 3],
    [undefined, undefined, undefined],
  ]);
});

test('members and elements have columns of their own', async () => {
  assert.deepEqual(await tableOf({ a: { b: { c: 1 } }, list: ['x', { y: null }, [true]] }), [
    ['a/b/c', 'list/0', 'list/1/y', 'list/2/0'],
    [1, 'x', null, true],
  ]);
});

test('a key may hold a value in one item and members in another', async () => {
  assert.deepEqual(await tableOf({ a: 1 }, { a: { b: 2 } }, { a: [3] }, { a: { 0: 4 } }), [
    ['a', 'a/b', 'a/0'],
    [1, undefined, undefined],
    [undefined, 2, undefined],
    [undefined, undefined, 3],
    [undefined, undefined, 4],
  ]);
});

test('a key with a slash shares the column of the member of that name', async () => {
  assert.deepEqual(await tableOf({ a: { b: 1 } }, { 'a/b': 2 }), [['a/b'], [1], [2]]);
});

test('an empty object or array has no column, null has one', async () => {
  assert.deepEqual(await tableOf({ a: {}, b: [], c: null }), [['c'], [null]]);
});

test('many empty objects of different names are no burden', async () => {
  const items = Array.from({ length: 3000 }, (_, at) => ({ [`k${at}`]: { inner: [{}] }, same: at }));
  assert.deepEqual((await tableOf(...items))[0], ['same']);
});

test('a member named __proto__ is an ordinary one', async () => {
  const item = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as Item;
  assert.deepEqual(await tableOf(item, {}), [
    ['__proto__/x', 'constructor'],
    [1, 2],
    [undefined, undefined],
  ]);
  assert.equal(({} as Item)['x'], undefined);
});

test('all items are counted', async () => {
  const { count } = await collectColumns(sourceOf<Item>([{ a: 1 }, {}], [], [{}]));
  assert.equal(count, 3);
});

test('columns that appear only while the rows are written are left out', async () => {
  const { cellsOf } = await collectColumns(sourceOf([{ a: 1 }]));
  assert.deepEqual(cellsOf({ b: 2, a: { c: 3 } }), [undefined]);
});

test('items without any column are no table', async () => {
  for (const items of [[{}], [{ a: [] }]]) {
    await assert.rejects(tableOf(...items), isInvalid('no-columns-in-exported-dataset'));
  }
});

test('no items are an empty table', async () => {
  const { names, count } = await collectColumns(sourceOf<Item>());
  assert.deepEqual([names, count], [[], 0]);
});

test('there are at most 2000 columns', async () => {
  const wide = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
  assert.equal((await tableOf(wide(2000)))[0]!.length, 2000);
  await assert.rejects(tableOf(wide(2001)), isInvalid());
  await assert.rejects(tableOf({ list: Array.from({ length: 1_000_000 }, () => 0) }), isInvalid());
});

test('a name has at most 200 characters', async () => {
  assert.deepEqual(await tableOf({ ['k'.repeat(200)]: 1 }), [['k'.repeat(200)], [1]]);
  await assert.rejects(tableOf({ ['k'.repeat(201)]: 1 }), isInvalid());
});

test('deep nesting is refused and does not fill the stack', async () => {
  await assert.rejects(tableOf(nested(10_000)), isInvalid());
  let list: unknown[] = [];
  for (let level = 0; level < 10_000; level += 1) list = [list];
  await assert.rejects(tableOf({ list }), isInvalid());
});
