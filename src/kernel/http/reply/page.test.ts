// Pages: the offsets of the neighbours, for any size and offset.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clampLimit, neighbours, Page, withQuery } from './page.ts';

const pageAt = (total: number, offset: number, limit: number) =>
  neighbours(new Page([], total, { offset, limit }));

test('a middle page has all four neighbours', () => {
  assert.deepEqual(pageAt(100, 25, 25), { first: 0, prev: 0, next: 50, last: 75 });
});

test('the first page has no prev and the last no next', () => {
  assert.deepEqual(pageAt(50, 0, 25), { first: 0, next: 25, last: 25 });
  assert.deepEqual(pageAt(50, 25, 25), { first: 0, prev: 0, last: 25 });
});

test('following next from the first page meets every item once and ends', () => {
  fc.assert(
    fc.property(fc.nat(300), fc.integer({ min: 1, max: 40 }), (total, limit) => {
      let seen = 0;
      for (
        let offset: number | undefined = 0;
        offset !== undefined;
        offset = pageAt(total, offset, limit).next
      ) {
        seen += Math.min(limit, total - offset);
      }
      assert.equal(seen, total);
    }),
  );
});

test('an offset beyond the end points back to the last page', () => {
  assert.deepEqual(pageAt(10, 500, 5), { first: 0, last: 5, prev: 5 });
});

test('a limit is cut to the most, and none or zero means the usual', () => {
  assert.equal(clampLimit(undefined, 25, 100), 25);
  assert.equal(clampLimit(0, 25, 100), 25);
  assert.equal(clampLimit(999_999_999_999, 25, 100), 100);
});

test('links keep the rest of the query, sorted', () => {
  assert.equal(withQuery('/x?z=1&a=2', { offset: 5, z: undefined }), '/x?a=2&offset=5');
  assert.equal(withQuery('/x?offset=5', { offset: undefined }), '/x');
});
