// How the console writes numbers, times and differences.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiffLine } from '../../console/ui/diff-line.ts';
import { foldEqualLines } from '../../console/ui/fold-equal-lines.ts';
import {
  formatAbsolute,
  formatBytes,
  formatDuration,
  formatExact,
  formatRelative,
} from '../../console/ui/format.ts';
import { stableJson } from '../../console/ui/stable-json.ts';

const now = Date.parse('2026-11-18T12:00:00Z');
const second = 1000;
const hour = 3600 * second;
const day = 24 * hour;

test('a time up to seven days from now is written relative to it', () => {
  const spans: [number, string][] = [
    [0, 'just now'],
    [-30 * second, '30 s ago'],
    [-hour + second, '59 m ago'],
    [-hour, '1 h ago'],
    [-7 * day, '7 d ago'],
    [6 * day - second, 'in 6 d'],
    [12 * second, 'in 12 s'],
  ];
  for (const [span, text] of spans) assert.equal(formatRelative(now + span, now), text);
  assert.equal(formatRelative(now - 7 * day - 1, now), undefined);
  assert.equal(formatRelative(now + 8 * day, now), undefined);
});

test('an absolute time names its year only where it is another one', () => {
  assert.equal(formatAbsolute(now - 40 * day, now, 'UTC'), '9 Oct, 12:00');
  assert.equal(formatAbsolute(Date.parse('2025-11-03T10:00:00Z'), now, 'UTC'), '3 Nov 2025, 10:00');
  // In Auckland the year is over already.
  assert.equal(
    formatAbsolute(Date.parse('2026-12-31T12:00:00Z'), now, 'Pacific/Auckland'),
    '1 Jan 2027, 01:00',
  );
});

test('an exact time is given in the chosen zone and in UTC', () => {
  assert.equal(
    formatExact(now, 'Europe/Berlin'),
    'Wed, 18 Nov 2026, 13:00:00 CET\n2026-11-18 12:00:00.000 UTC',
  );
});

test('a span of time has at most two parts, and never sixty of one', () => {
  const spans: [number, string][] = [
    [-5, '0 ms'],
    [850, '850 ms'],
    [59_400, '59 s'],
    [59_600, '1 m 00 s'],
    [64_000, '1 m 04 s'],
    [3 * hour + 12 * 60 * second, '3 h 12 m'],
    [day - 1, '1 d 00 h'],
    [90 * day + 5 * hour, '90 d 05 h'],
  ];
  for (const [span, text] of spans) assert.equal(formatDuration(span), text);
});

test('sizes have binary units', () => {
  assert.equal(formatBytes(0), '0 B');
  // Digits are written as the language of the machine does it.
  const written = (value: number) => new Intl.NumberFormat().format(value);
  assert.equal(formatBytes(1023), `${written(1023)} B`);
  assert.equal(formatBytes(1536), `${written(1.5)} KiB`);
  assert.equal(formatBytes(31.2 * 1024 ** 3), `${written(31.2)} GiB`);
});

test('another order of keys is no difference, another order of items is', () => {
  assert.equal(stableJson({ b: 1, a: { d: 2, c: 3 } }), stableJson({ a: { c: 3, d: 2 }, b: 1 }));
  assert.notEqual(stableJson([1, 2]), stableJson([2, 1]));
  assert.equal(stableJson(undefined), '');
});

test('equal lines far from a change are folded, and shown once their fold is opened', () => {
  const lines: DiffLine[] = Array.from({ length: 20 }, (_, index) => ({
    kind: index === 10 ? 'add' : 'same',
    parts: [{ text: `line ${index}`, isChanged: false }],
  }));
  const folds = (opened: number[]) =>
    foldEqualLines(lines, new Set(opened)).filter((piece) => piece.kind === 'fold');
  assert.deepEqual(folds([]), [
    { kind: 'fold', from: 0, count: 7 },
    { kind: 'fold', from: 14, count: 6 },
  ]);
  assert.deepEqual(folds([0]), [{ kind: 'fold', from: 14, count: 6 }]);
  assert.equal(foldEqualLines(lines, new Set([0, 14])).length, 20);
  // A line alone is not worth a fold.
  assert.deepEqual(foldEqualLines(lines.slice(6), new Set()).at(0), { kind: 'line', line: lines[6] });
});
