// What has moved: worked out in time that grows with the references, and not with their square.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movesBetween, type Push } from './model.ts';

test('each change of a push of thousands of references is looked at once', () => {
  let reads = 0;
  const names = Array.from({ length: 2000 }, (_, index) => `refs/heads/b${index}`);
  const changes = names.map((name) => ({
    get name() {
      reads += 1;
      return name;
    },
    from: undefined,
    to: '1'.repeat(40),
  }));
  const push = { id: 'p', number: 1, pusher: {}, begunAt: 0, changes } as unknown as Push;
  const current = new Map(names.map((name) => [name, '1'.repeat(40)]));
  const moves = movesBetween(names, new Map(), current, [push]);
  assert.equal(moves.length, names.length);
  assert.ok(moves.every((move) => move.push === push));
  assert.ok(reads <= 4 * names.length, `${reads} reads of ${names.length} changes`);
});
