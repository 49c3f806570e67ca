// Searching and sorting projects and environments in memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchInMemory, sortBy, type MemorySearch } from './search-in-memory.ts';

const things = [
  { key: 'shop', name: 'The Shop', tags: ['web', 'Core'], rank: 2 },
  { key: 'app', name: 'Phone', tags: ['mobile', 'core'], rank: 1 },
  { key: 'ops', name: 'Operations', tags: [], rank: 2 },
];
const find = (by: MemorySearch) => searchInMemory(things, by).map(({ key }) => key);

test('finds by part of the name or the key, whatever the case', () => {
  assert.deepEqual(find({ query: 'OP' }), ['shop', 'ops']);
  assert.deepEqual(find({ query: 'phone' }), ['app']);
  assert.deepEqual(find({ query: 'nothing' }), []);
  assert.deepEqual(find({}), ['shop', 'app', 'ops']);
});

test('finds what has all of the tags, joined by plus signs that may have become spaces', () => {
  assert.deepEqual(find({ tags: 'core' }), ['shop', 'app']);
  assert.deepEqual(find({ tags: 'core+web' }), ['shop']);
  assert.deepEqual(find({ tags: 'core web' }), ['shop']);
  assert.deepEqual(find({ tags: 'web+mobile' }), []);
});

test('finds what has any of the keys', () => {
  assert.deepEqual(find({ keys: 'ops|app' }), ['app', 'ops']);
  assert.deepEqual(find({ keys: '' }), []);
  assert.deepEqual(find({ keys: 'ops|app', query: 'phone' }), ['app']);
});

test('sorts by one field after the other, either way, and keeps the order of equals', () => {
  const ranks = {
    rank: (thing: (typeof things)[0]) => thing.rank,
    name: ({ name }: { name: string }) => name,
  };
  const keys = (...orders: { field: 'rank' | 'name'; desc: boolean }[]) =>
    sortBy(things, orders, ranks).map(({ key }) => key);
  assert.deepEqual(keys(), ['shop', 'app', 'ops']);
  assert.deepEqual(keys({ field: 'rank', desc: false }), ['app', 'shop', 'ops']);
  assert.deepEqual(keys({ field: 'rank', desc: true }), ['shop', 'ops', 'app']);
  assert.deepEqual(keys({ field: 'rank', desc: true }, { field: 'name', desc: false }), [
    'ops',
    'shop',
    'app',
  ]);
});
