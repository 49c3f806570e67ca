// The order of names: case folding and comparison by code points.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareCodePoints, foldCase, sortKeyOf } from './fold-case.ts';

test('letters of either case fold to the same, in every script that has cases', () => {
  for (const [one, other] of [
    ['Apple', 'aPPLE'],
    ['ÄRGER', 'ärger'],
    ['Straße', 'STRASSE'],
    ['ẞ', 'ß'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['ſ', 'S'],
    ['Жук', 'жУК'],
    ['ꭰ', 'Ꭰ'],
    ['𐐀', '𐐨'],
    ['ŉ', 'ʼN'],
  ] as const)
    assert.equal(foldCase(one), foldCase(other), one);
  assert.notEqual(foldCase('ı'), foldCase('i'));
  assert.equal(foldCase('日本 42'), '日本 42');
});

test('texts are compared by code points, as engines compare UTF-8', () => {
  const texts = ['', 'a', 'aa', 'b', 'z', 'é', 'ß', '日', '\u{ffee}', '𐐨', '😀', '😀a'];
  const byBytes = texts.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  assert.deepEqual(texts.toReversed().toSorted(compareCodePoints), byBytes);
});

test('a sort key fits into an index, and ends with a complete character', () => {
  assert.equal(sortKeyOf('Name'), 'name');
  const long = sortKeyOf('ΐ'.repeat(256));
  assert.ok(Buffer.byteLength(long) <= 1000);
  assert.ok(foldCase('ΐ'.repeat(256)).startsWith(long));
});
