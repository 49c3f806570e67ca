// Filters and sort orders of evaluated flags.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readExpression } from '../lists/filter-expression.ts';
import { readSort } from '../lists/list-query.ts';
import { filterFlags, EVALUATION_FILTERS, EVALUATION_SORTS } from './routes.ts';

const flags = [
  { key: 'a', name: 'Dark mode', tags: ['beta', 'q1'], createdAt: 3 },
  { key: 'b', name: 'zebra', tags: ['beta'], createdAt: 1 },
  { key: 'dark-c', name: 'Banner', tags: [], createdAt: 2 },
];

function choose(filter?: string, sort?: string): string {
  const chosen = filterFlags(
    flags,
    readExpression(filter, EVALUATION_FILTERS),
    readSort(sort, EVALUATION_SORTS),
  );
  return chosen.map(({ key }) => key).join(' ');
}

describe('flags are chosen', () => {
  const cases: [filter: string | undefined, sort: string | undefined, keys: string][] = [
    [undefined, undefined, 'a b dark-c'],
    ['query equals DARK', undefined, 'a dark-c'],
    ['query equals "dark mode"', undefined, 'a'],
    ['query equals 5', undefined, ''],
    ['tags contains ["beta","q1"]', undefined, 'a'],
    ['tags contains beta', undefined, 'a b'],
    ['tags contains ["Beta"]', undefined, ''],
    ['query equals dark, tags contains beta', undefined, 'a'],
    ['query equals zebra|query equals banner', undefined, 'b dark-c'],
    ['(query equals zebra|query equals banner),tags contains []', undefined, 'b dark-c'],
    [undefined, 'name', 'dark-c a b'],
    [undefined, '-name', 'b a dark-c'],
    [undefined, 'creationDate', 'b dark-c a'],
    [undefined, '-key', 'dark-c b a'],
  ];
  for (const [filter, sort, keys] of cases)
    test(`by ${filter ?? sort ?? 'nothing'}`, () => assert.equal(choose(filter, sort), keys));

  for (const filter of ['query', 'query contains a', 'tags equals a', 'tags contains {}', 'name equals a'])
    test(`not by ${filter}`, () => assert.throws(() => choose(filter), { kind: 'malformed' }));
});
