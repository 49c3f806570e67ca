// What a piece of a file comes to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TargetType } from '../segment.ts';
import { planPiece } from './plan.ts';

const now = new Map<string, TargetType>([
  ['in', 'included'],
  ['out', 'excluded'],
]);

test('to merge, only those are put who stand elsewhere', () => {
  const records = [
    { key: 'in', type: 'included' as const },
    { key: 'out', type: 'included' as const },
    { key: 'new', type: 'excluded' as const },
  ];
  assert.deepEqual(planPiece(now, records, 'merge'), {
    put: [
      { key: 'out', type: 'included' },
      { key: 'new', type: 'excluded' },
    ],
    included: 1,
    excluded: 0,
    changed: 2,
  });
});

test('to replace, all are put, and counted alike', () => {
  const records = [{ key: 'in', type: 'included' as const }];
  assert.deepEqual(planPiece(now, records, 'replace'), {
    put: records,
    included: 0,
    excluded: 0,
    changed: 0,
  });
});

test('of lines with the same key the last one counts', () => {
  const records = (['included', 'excluded'] as const).map((type) => ({ key: 'twice', type }));
  assert.deepEqual(planPiece(now, records, 'merge'), {
    put: [{ key: 'twice', type: 'excluded' }],
    included: 0,
    excluded: 1,
    changed: 1,
  });
});
