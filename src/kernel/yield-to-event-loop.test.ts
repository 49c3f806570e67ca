// Long work in time slices: the results are those of the work at once, and other work gets its turn meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sortInSlices, sortNumbersInSlices } from './yield-to-event-loop.ts';

/** Numbers that are not in order, and always the same. */
const mixed = (count: number) => Array.from({ length: count }, (_, at) => (at * 7919 * 104_729) % 1_000_003);

test('numbers are sorted as at once, of every count', async () => {
  for (const count of [0, 1, 2, 49_999, 50_001, 100_000, 260_007]) {
    const numbers = Float64Array.from(mixed(count));
    const expected = numbers.toSorted();
    assert.deepEqual(await sortNumbersInSlices(numbers), expected, `${count}`);
  }
});

test('others get their turn while many numbers are sorted', async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await sortNumbersInSlices(Float64Array.from(mixed(1_000_000)));
  clearInterval(timer);
  assert.ok(turns > 2, `${turns}`);
});

test('items are sorted as at once, equal ones in their order', async () => {
  const items = mixed(5000).map((key, at) => ({ key: key % 100, at }));
  const compare = (one: { key: number }, other: { key: number }) => one.key - other.key;
  assert.deepEqual(await sortInSlices(items, compare), items.toSorted(compare));
});
