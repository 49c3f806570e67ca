// How many different rows an environment adds per hour.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RowBudget, type NewRow } from './row-budget.ts';

const HOUR = 3_600_000;
const ROW: NewRow = {
  environment_id: 'one',
  flag_key: 'f',
  hour: HOUR,
  variation: 0,
  version: 1,
  sdk: 'A/1',
};
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

test('rows beyond the limit lose version and SDK, then the variation', () => {
  const budget = new RowBudget({ maxRows: 10 });
  const fitted = times(40).map((index) => budget.fit({ ...ROW, variation: index, version: index }));
  assert.deepEqual(fitted[9], { ...ROW, variation: 9, version: 9 });
  assert.deepEqual(fitted[10], { ...ROW, variation: 10, version: 0, sdk: 'other' });
  assert.deepEqual(fitted[39], { ...ROW, variation: -1, version: 0, sdk: 'other' });
  assert.equal(new Set(fitted.map((row) => JSON.stringify(row))).size, 13);
  assert.deepEqual(budget.fit({ ...ROW, variation: 3, version: 3 }), { ...ROW, variation: 3, version: 3 });
});

test('SDKs beyond the limit are counted together', () => {
  const budget = new RowBudget({ maxSdks: 3 });
  const sdks = times(10).map((index) => budget.fit({ ...ROW, sdk: `A/${index}` }).sdk);
  assert.deepEqual([...new Set(sdks)], ['A/0', 'A/1', 'A/2', 'other']);
  assert.equal(budget.fit({ ...ROW, sdk: 'A/2' }).sdk, 'A/2');
});

test('each environment and each hour has its own', () => {
  const budget = new RowBudget({ maxRows: 1, maxSdks: 1 });
  const later = { ...ROW, hour: 2 * HOUR, sdk: 'B/1' };
  for (const row of [ROW, { ...ROW, environment_id: 'two', sdk: 'C/1' }, later])
    assert.deepEqual(budget.fit(row), row);
});
