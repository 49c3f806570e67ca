// The batcher: concurrent writes share a statement, and each call gets its own results.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batcher } from './batcher.ts';

const BATCH_LIMIT = { maxSize: 5, sizeOf: () => 1 };

/** Writes that the test itself completes. */
function slowWriter() {
  const writes: { key: string; items: string[]; end(error?: Error): void }[] = [];
  const batcher = new Batcher<string, string>((key, items) => {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    const end = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => `${item}!`)));
    writes.push({ key, items, end });
    return promise;
  }, BATCH_LIMIT);
  return { batcher, writes };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('the first call is written at once, and calls that arrive meanwhile share the next write, in their order', async () => {
  const { batcher, writes } = slowWriter();
  const first = batcher.add('q', ['a']);
  assert.deepEqual(
    writes.map(({ items }) => items),
    [['a']],
  );
  const others = Promise.all([batcher.add('q', ['b', 'c']), batcher.add('q', []), batcher.add('q', ['d'])]);
  assert.equal(writes.length, 1);
  writes[0]!.end();
  assert.deepEqual(await first, ['a!']);
  assert.deepEqual(writes[1]!.items, ['b', 'c', 'd']);
  writes[1]!.end();
  assert.deepEqual(await others, [['b!', 'c!'], [], ['d!']]);
});

test('the next write has begun when the calls of the one before hear of it', async () => {
  const { batcher, writes } = slowWriter();
  const seen = batcher.add('q', ['a']).then(() => writes.length);
  const next = batcher.add('q', ['b']);
  writes[0]!.end();
  assert.equal(await seen, 2);
  writes[1]!.end();
  await next;
});

test('keys do not wait for each other', async () => {
  const { batcher, writes } = slowWriter();
  const one = batcher.add('one', ['a']);
  const two = batcher.add('two', ['b']);
  assert.deepEqual(
    writes.map(({ key, items }) => [key, ...items]),
    [
      ['one', 'a'],
      ['two', 'b'],
    ],
  );
  writes[1]!.end();
  assert.deepEqual(await two, ['b!']);
  writes[0]!.end();
  await one;
});

test('a batch does not exceed the limit, and a single call is not split', async () => {
  const { batcher, writes } = slowWriter();
  const calls = [['0'], ['a', 'b', 'c'], ['d', 'e'], ['f'], ['1', '2', '3', '4', '5', '6', '7'], ['g']];
  const results = Promise.all(calls.map((items) => batcher.add('q', items)));
  for (let done = 0; done < 5; done += 1) {
    writes[done]!.end();
    await turn();
  }
  await results;
  assert.deepEqual(
    writes.map(({ items }) => items.join('')),
    ['0', 'abcde', 'f', '1234567', 'g'],
  );
});

test('a write that fails fails for all that went with it, and not for the next', async () => {
  const { batcher, writes } = slowWriter();
  const first = batcher.add('q', ['a']);
  const lost = Promise.allSettled([batcher.add('q', ['b']), batcher.add('q', ['c'])]);
  writes[0]!.end();
  await first;
  const kept = batcher.add('q', ['d']);
  writes[1]!.end(new Error('full'));
  assert.deepEqual(
    (await lost).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  writes[2]!.end();
  assert.deepEqual(await kept, ['d!']);
});
