// Work that waits for its turn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns.ts';

test('no more than so many run at the same time, in order, and errors free their place', async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) =>
      turns.run(async () => {
        begun.push(index);
        most = Math.max(most, (running += 1));
        await new Promise(setImmediate);
        running -= 1;
        if (index % 3 === 0) throw new Error('broken');
        return index;
      }),
    ),
  );
  assert.equal(most, 2);
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 4);
  assert.equal(await turns.run(() => Promise.resolve('free')), 'free');
});
