// Filters and sort orders of evaluated flags, and the instructions for a setting.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Flag, FlagConfig, Json } from '../feature-flags/flag.ts';
import { readExpression } from '../lists/filter-expression.ts';
import { readSort } from '../lists/list-query.ts';
import { filterFlags, instructionsFor, EVALUATION_FILTERS, EVALUATION_SORTS } from './routes.ts';

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

const settings: Json[] = [true, { color: 'red', sizes: [1, 2] }, null, 'false'];

/** Variation `v0` has the first of the settings, and so on. Ada gets the first, the organisation acme the second. */
const targeted = {
  variations: settings.map((value, index) => ({ _id: `v${index}`, value })),
  environments: {
    test: {
      targets: [{ contextKind: 'user', variation: 0, values: ['ada'] }],
      contextTargets: [
        { contextKind: 'user', variation: 0, values: [] },
        { contextKind: 'org', variation: 1, values: ['acme'] },
      ],
    } as Partial<FlagConfig>,
  },
} as unknown as Flag;

const instructed = (setting: unknown, contextKind: string, contextKey: string) =>
  instructionsFor(targeted, setting, { environmentKey: 'test', contextKind, contextKey }).map(
    ({ kind, variationId, contextKind: of, values: keys }) => [kind, variationId, of, ...keys].join(' '),
  );

test('who is not targeted yet is added', () => {
  assert.deepEqual(instructed(true, 'user', 'bob'), ['addTargets v0 user bob']);
  assert.deepEqual(instructed('false', 'org', 'ada'), ['addTargets v3 org ada']);
});

test('who is targeted at another variation moves', () =>
  assert.deepEqual(instructed(true, 'org', 'acme'), ['removeTargets v1 org acme', 'addTargets v0 org acme']));

test('a value is compared whole, whatever the order of its members', () => {
  assert.deepEqual(instructed({ sizes: [1, 2], color: 'red' }, 'org', 'acme'), []);
  assert.deepEqual(instructed({ sizes: [1, 2], color: 'red' }, 'user', 'bob'), ['addTargets v1 user bob']);
});

test('null and nothing erase, even where null is a value', () => {
  for (const setting of [null, undefined]) {
    assert.deepEqual(instructed(setting, 'user', 'ada'), ['removeTargets v0 user ada']);
    assert.deepEqual(instructed(setting, 'user', 'acme'), []);
  }
});

test('what no variation has is refused by its name', () => {
  for (const setting of [false, 1, '', 'true', [], {}, { color: 'red' }])
    assert.throws(() => instructed(setting, 'user', 'ada'), { kind: 'invalid', message: /^setting / });
});
