// The instructions that turn a segment into what was edited.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countChangedKeys, segmentInstructions } from '../../console/flags/segments/segment-instructions.ts';
import { editOf, type SegmentEdit } from '../../console/flags/segments/segment.ts';

const clause = (id: string, values: string[]) => ({
  _id: id,
  attribute: 'country',
  op: 'in',
  values,
  contextKind: 'user',
  negate: false,
});
const plain = ({ _id, ...rest }: ReturnType<typeof clause>) => rest;

const saved: SegmentEdit = {
  name: 'Beta',
  description: '',
  tags: ['a', 'b'],
  rules: [{ _id: 'r1', clauses: [clause('c1', ['DE']), clause('c2', ['AT'])] }],
  included: { user: ['ada', 'bob'] },
  excluded: { user: ['eve'] },
};

test('nothing edited is no instruction', () => {
  assert.deepEqual(segmentInstructions(saved, structuredClone(saved)), []);
});

test('a key that moves to the other list leaves the first before it enters the second', () => {
  const after = { ...saved, included: { user: ['ada', 'eve'] }, excluded: { org: ['acme'] } };
  const instructions = segmentInstructions(saved, after);
  assert.deepEqual(instructions, [
    { kind: 'removeIncludedTargets', contextKind: 'user', values: ['bob'] },
    { kind: 'removeExcludedTargets', contextKind: 'user', values: ['eve'] },
    { kind: 'addIncludedTargets', contextKind: 'user', values: ['eve'] },
    { kind: 'addExcludedTargets', contextKind: 'org', values: ['acme'] },
  ]);
  assert.equal(countChangedKeys(instructions), 4);
});

test('a rule whose clauses are all replaced is never without one', () => {
  const rules = [{ _id: 'r1', clauses: [clause('new-1', ['FR'])] }];
  assert.deepEqual(segmentInstructions(saved, { ...saved, rules }), [
    { kind: 'addClauses', ruleId: 'r1', clauses: [plain(clause('', ['FR']))] },
    { kind: 'removeClauses', ruleId: 'r1', clauseIds: ['c1', 'c2'] },
  ]);
});

test('rules are added, changed and removed by their ids', () => {
  const rules = [
    {
      _id: 'r1',
      clauses: [clause('c1', ['DE', 'CH']), clause('c2', ['AT'])],
      weight: 50_000,
      description: 'Half',
    },
    { _id: 'new-1', clauses: [clause('new-2', ['FR'])], description: 'France' },
  ];
  assert.deepEqual(segmentInstructions(saved, { ...saved, rules }), [
    { kind: 'updateClause', ruleId: 'r1', clauseId: 'c1', clause: plain(clause('', ['DE', 'CH'])) },
    { kind: 'updateRuleDescription', ruleId: 'r1', description: 'Half' },
    { kind: 'updateRuleRolloutAndContextKind', ruleId: 'r1', weight: 50_000, contextKind: 'user' },
    { kind: 'addRule', clauses: [plain(clause('', ['FR']))], description: 'France' },
  ]);
  assert.deepEqual(segmentInstructions(saved, { ...saved, rules: [] }), [
    { kind: 'removeRule', ruleId: 'r1' },
  ]);
});

test('a segment of the API is edited by context kind', () => {
  const segment = {
    key: 'beta',
    name: 'Beta',
    tags: [],
    creationDate: 0,
    lastModifiedDate: 0,
    included: ['ada'],
    excluded: [],
    includedContexts: [{ contextKind: 'org', values: ['acme'] }],
    excludedContexts: [],
    rules: [],
    version: 1,
    unbounded: false,
  };
  assert.deepEqual(editOf(segment).included, { user: ['ada'], org: ['acme'] });
  assert.deepEqual(editOf(segment).excluded, {});
});
