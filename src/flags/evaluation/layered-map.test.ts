// A layered map behaves like a plain sorted one, whatever the order of changes and reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withEntries } from './layered-map.ts';

const keyOf = (index: number) => `key-${String(index).padStart(4, '0')}`;
const sorted = (map: ReadonlyMap<string, number>) =>
  [...map].toSorted(([one], [other]) => (one < other ? -1 : 1));

test('a layered map has the entries of a plain one after many changes, in the order of keys', () => {
  let layered: ReadonlyMap<string, number> = new Map(
    Array.from({ length: 1000 }, (_, index) => [keyOf(index * 2), index]),
  );
  const plain = new Map(layered);
  let random = 1;
  const next = (below: number) => (random = (random * 48_271) % 2_147_483_647) % below;
  for (let step = 0; step < 2000; step += 1) {
    const before = layered;
    const sizeBefore = before.size;
    const changed = new Map(Array.from({ length: next(3) }, () => [keyOf(next(2100)), step]));
    const removed = Array.from({ length: next(2) }, () => keyOf(next(2100))).filter(
      (key) => !changed.has(key),
    );
    layered = withEntries(layered, changed, removed);
    for (const [key, value] of changed) plain.set(key, value);
    for (const key of removed) plain.delete(key);
    assert.equal(layered.size, plain.size);
    assert.equal(before.size, sizeBefore);
    for (const key of [...changed.keys(), ...removed, keyOf(next(2100))]) {
      assert.equal(layered.get(key), plain.get(key));
      assert.equal(layered.has(key), plain.has(key));
    }
    if (next(100) === 0) assert.deepEqual([...layered], sorted(plain));
  }
  assert.deepEqual([...layered], sorted(plain));
  assert.deepEqual(
    [...layered.keys()],
    [...layered].map(([key]) => key),
  );
  assert.deepEqual(
    [...layered.values()],
    [...layered].map(([, value]) => value),
  );
  const visited: [string, number][] = [];
  layered.forEach((value, key) => visited.push([key, value]));
  assert.deepEqual(visited, [...layered]);
});

test('a map stays as it is when another is made of it', () => {
  const first = new Map(Array.from({ length: 1000 }, (_, index) => [keyOf(index), index]));
  const second = withEntries(first, new Map([[keyOf(5), -1]]), []);
  const third = withEntries(second, new Map([[keyOf(6), -2]]), [keyOf(5)]);
  assert.deepEqual([first.get(keyOf(5)), second.get(keyOf(5)), third.get(keyOf(5))], [5, -1, undefined]);
  assert.deepEqual([first.size, second.size, third.size], [1000, 1000, 999]);
  assert.equal([...second].length, 1000);
  assert.equal(second.get(keyOf(6)), 6);
});
