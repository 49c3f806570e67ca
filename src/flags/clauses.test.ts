// Rules of a replaced list keep their ids if they are unchanged. Instructions for clauses are tested with the instructions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identifyRules } from './clauses.ts';
import type { Clause } from './feature-flags/flag.ts';
import { countingIds } from './segments/fixture.ts';

interface Rule {
  _id: string;
  clauses: Clause[];
  weight?: number;
}

const before: Rule[] = [
  {
    _id: 'r1',
    clauses: [{ _id: 'c1', attribute: 'a', op: 'in', values: ['x'], contextKind: 'user', negate: false }],
  },
  { _id: 'r2', weight: 5, clauses: [] },
];
const sent = { attribute: 'a', op: 'in' as const, values: ['x'] };

interface Shown {
  _id?: string;
  weight?: number;
  clauses: ({ _id?: string } & typeof sent)[];
}

function identify(shown: Shown[]): Rule[] {
  const make = ({ weight }: Shown, _id: string, clauses: Clause[]): Rule => ({
    _id,
    clauses,
    ...(weight !== undefined && { weight }),
  });
  return identifyRules(shown, before, make, countingIds());
}

const ids = (rules: Rule[]) => rules.map(({ _id, clauses }) => [_id, ...clauses.map((clause) => clause._id)]);

test('rules sent back as they were are the same rules, with or without their ids', () => {
  assert.deepEqual(identify(before as Shown[]), before);
  assert.deepEqual(identify([{ clauses: [sent] }, { weight: 5, clauses: [] }]), before);
});

test('a rule that differs from what stood at its place is a new one', () => {
  assert.deepEqual(ids(identify([{ weight: 5, clauses: [] }, { clauses: [sent] }])), [
    ['id-1'],
    ['id-2', 'id-3'],
  ]);
  assert.deepEqual(ids(identify([{ clauses: [{ ...sent, values: ['y'] }] }])), [['id-1', 'id-2']]);
});

test('a rule that moved keeps the id it is sent with, and a new clause in it gets one', () => {
  const moved = [
    { _id: 'r2', weight: 6, clauses: [] },
    { _id: 'r1', clauses: [{ _id: 'c1', ...sent }, sent] },
  ];
  assert.deepEqual(ids(identify(moved)), [['r2'], ['r1', 'c1', 'id-1']]);
});

test('a copy of a rule gets ids of its own', () => {
  const copied = [
    { _id: 'r1', clauses: [{ _id: 'c1', ...sent }] },
    { _id: 'r1', clauses: [{ _id: 'c1', ...sent }] },
  ];
  assert.deepEqual(ids(identify(copied)), [
    ['r1', 'c1'],
    ['id-1', 'id-2'],
  ]);
});
