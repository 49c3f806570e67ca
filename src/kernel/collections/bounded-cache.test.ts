// The bounded cache: eviction order, values that are too heavy, and loads during a clear.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMsOf } from '../../../test/cpu-time.ts';
import { BoundedCache } from './bounded-cache.ts';

const filled = (max: number, ...keys: string[]): BoundedCache<string, string> => {
  const cache = new BoundedCache<string, string>({ max });
  for (const key of keys) cache.set(key, key);
  return cache;
};

test('a full cache evicts only the least recently used entry', () => {
  const cache = filled(3, 'a', 'b', 'c');
  cache.get('a');
  cache.set('d', 'd');
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => cache.get(key)),
    ['a', undefined, 'c', 'd'],
  );
  cache.set('a', 'new');
  cache.set('e', 'e');
  assert.deepEqual(
    ['a', 'c', 'd', 'e'].map((key) => cache.get(key)),
    ['new', undefined, 'd', 'e'],
  );
  assert.equal(cache.size, 3);
});

test('a cache may be bounded by the weight of its values', () => {
  const cache = new BoundedCache<string, string>({ max: 10, weigh: (value) => value.length });
  cache.set('a', 'xxxx');
  cache.set('b', 'xxxx');
  cache.set('b', 'xxxxxx');
  assert.equal(cache.size, 2);
  cache.set('c', 'x');
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [undefined, 'xxxxxx', 'x']);
  cache.set('d', 'x'.repeat(11));
  assert.deepEqual([cache.get('b'), cache.get('d')], ['xxxxxx', undefined]);
  cache.set('b', 'x'.repeat(11));
  assert.equal(cache.get('b'), undefined);
  cache.clear();
  cache.set('e', 'x'.repeat(10));
  assert.equal(cache.size, 1);
});

test('an entry is valid before its expiry, and not at it', () => {
  const cache = new BoundedCache<string, string>({ max: 3 });
  cache.set('a', 'a', 100);
  assert.equal(cache.get('a', 99), 'a');
  assert.equal(cache.get('a', 100), undefined);
  assert.equal(cache.size, 0);
});

test('a loaded value is stored, unless it is absent or the cache was cleared meanwhile', async () => {
  const cache = new BoundedCache<string, string>({ max: 3 });
  assert.equal(await cache.load('none', async () => undefined), undefined);
  assert.equal(await cache.load('a', async () => ({ value: 'a', until: 100 })), 'a');
  assert.deepEqual([cache.get('a', 99), cache.get('a', 100)], ['a', undefined]);
  const loading = cache.load('b', async () => {
    cache.clear();
    return { value: 'stale' };
  });
  assert.equal(await loading, 'stale');
  assert.equal(cache.size, 0);
});

test('the cost of an eviction does not grow with the size of the cache', async () => {
  const churn = (max: number) => {
    const cache = new BoundedCache<number, number>({ max });
    return cpuMsOf(() => {
      for (let key = 0; key < 200_000; key += 1) cache.set(key, key);
    });
  };
  await churn(100);
  const small = await churn(100);
  const large = await churn(50_000);
  assert.ok(large < 20 * small + 200, `${large} ms against ${small} ms`);
});
