// The Range header: which part of a body it means.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRange } from './byte-range.ts';

test('a range lies inside, or is beyond, or is everything', () => {
  for (const [header, range] of [
    ['bytes=0-', { start: 0, end: 9 }],
    ['bytes=2-3', { start: 2, end: 3 }],
    ['bytes=9-99', { start: 9, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-99', { start: 0, end: 9 }],
    ['bytes=10-', 'beyond'],
    ['bytes=-0', 'beyond'],
    ['bytes=3-2', undefined],
    ['bytes=-', undefined],
    ['bytes=0-1,3-4', undefined],
    ['lines=0-1', undefined],
    [undefined, undefined],
  ] as const) {
    assert.deepEqual(parseRange(header, 10), range, header);
  }
  assert.equal(parseRange('bytes=0-', 0), 'beyond');
});

test('no range reaches outside, whatever is asked for', () => {
  fc.assert(
    fc.property(fc.nat(), fc.option(fc.nat()), fc.option(fc.nat()), (size, first, last) => {
      const range = parseRange(`bytes=${first ?? ''}-${last ?? ''}`, size);
      if (range === undefined || range === 'beyond') return;
      assert.ok(range.start >= 0 && range.start <= range.end && range.end < size);
    }),
  );
});
