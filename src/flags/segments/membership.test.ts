// Membership changes of a batch of records.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TargetType } from './segment.ts';
import { planBatch } from './membership.ts';

const now = new Map<string, TargetType>([
  ['in', 'included'],
  ['out', 'excluded'],
]);

test('to merge, only members that stand elsewhere or nowhere are written', () => {
  const records = [
    { key: 'in', type: 'included' as const },
    { key: 'out', type: 'included' as const },
    { key: 'new', type: 'excluded' as const },
  ];
  assert.deepEqual(planBatch(now, records, 'merge'), {
    upsert: [
      { key: 'out', type: 'included' },
      { key: 'new', type: 'excluded' },
    ],
    included: 1,
    excluded: 0,
    changed: 2,
  });
});

test('to replace, all are written, and counted alike', () => {
  const records = [{ key: 'in', type: 'included' as const }];
  assert.deepEqual(planBatch(now, records, 'replace'), {
    upsert: records,
    included: 0,
    excluded: 0,
    changed: 0,
  });
});

test('of lines with the same key the last one counts', () => {
  const records = (['included', 'excluded'] as const).map((type) => ({ key: 'twice', type }));
  assert.deepEqual(planBatch(now, records, 'merge'), {
    upsert: [{ key: 'twice', type: 'excluded' }],
    included: 0,
    excluded: 1,
    changed: 1,
  });
});
