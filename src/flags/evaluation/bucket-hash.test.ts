// The hash of buckets is SHA-1, for texts of every length and alphabet.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { hashBucket, prepareHash } from './bucket-hash.ts';

/** As SDKs compute it. */
function hashByLibrary(text: string): number {
  const digest = createHash('sha1').update(text).digest('hex');
  return Number.parseInt(digest.slice(0, 15), 16) / Number.parseInt('f'.repeat(15), 16);
}

test('texts of every length around the ends of blocks have the bucket of SHA-1', () => {
  const lengths = [0, 1, 2, 3, 8, 9, 36, 54, 55, 56, 63, 64, 65, 118, 119, 120, 200];
  for (const length of lengths) {
    const text = 't'.repeat(length);
    for (let start = 0; start <= 130; start += 1) {
      const prefix = 'p'.repeat(start);
      assert.equal(
        hashBucket(prepareHash(prefix), text),
        hashByLibrary(prefix + text),
        `${start} + ${length}`,
      );
    }
  }
});

test('any texts have the bucket of SHA-1, also in turns', () => {
  const texts = fc.oneof(fc.string({ maxLength: 80 }), fc.string({ unit: 'binary', maxLength: 80 }));
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 5 }), texts, texts, (prefixes, one, other) => {
      for (const prefix of prefixes) {
        for (const text of [one, other, one]) {
          assert.equal(hashBucket(prepareHash(prefix), text), hashByLibrary(prefix + text));
        }
      }
    }),
    { numRuns: 500 },
  );
});
