// Work whose result is kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoizeAsync } from './memoize-async.ts';

test('a result is kept for all who ask, at once or later; a failure is told to those who wait, and forgotten', async () => {
  let runs = 0;
  const read = memoizeAsync(async () => {
    runs += 1;
    await Promise.resolve();
    if (runs === 1) throw new Error('too many open files');
    return runs;
  });
  const both = await Promise.allSettled([read(), read()]);
  assert.deepEqual([both.map(({ status }) => status), runs], [['rejected', 'rejected'], 1]);
  assert.deepEqual(await Promise.all([read(), read()]), [2, 2]);
  assert.equal(await read(), 2);
});
