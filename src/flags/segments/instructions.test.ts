// Every kind of instruction: its effect, that it is idempotent, and what it refuses.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../kernel/failure.ts';
import type { Instruction } from '../patch/patch.ts';
import type { Clause } from '../feature-flags/flag.ts';
import { countingIds, newSegment } from './fixture.ts';
import { instructionActions, applySegmentInstructions, segmentKinds } from './instructions.ts';
import type { Segment } from './segment.ts';

const clause = (id: string, values: Clause['values']): Clause => ({
  _id: id,
  attribute: 'country',
  op: 'in',
  values,
  contextKind: 'user',
  negate: false,
});
const sent = { attribute: 'email', op: 'endsWith', values: ['@example.com'] };
const kept = { ...sent, contextKind: 'user', negate: false };

const before = newSegment({
  description: 'as it was',
  tags: ['a', 'c'],
  included: ['ada'],
  excluded: ['eve'],
  includedContexts: [{ contextKind: 'org', values: ['acme'] }],
  excludedContexts: [{ contextKind: 'org', values: ['evil'] }],
  rules: [
    { _id: 'r1', clauses: [clause('c1', ['fr', 'de']), clause('c2', ['x'])] },
    { _id: 'r2', clauses: [clause('c3', ['it'])] },
  ],
});
const [first, second] = before.rules as [Segment['rules'][0], Segment['rules'][0]];

function apply(...instructions: Instruction[]): Segment {
  return applySegmentInstructions(before, instructions, countingIds()).segment;
}

interface Case {
  action: string;
  instruction: Record<string, unknown>;
  becomes: Partial<Segment>;
  /** The instruction requests the current state. */
  idle?: Record<string, unknown>;
  wrong: Record<string, unknown>[];
}

const wrongKeys = [
  {},
  { values: 'ada' },
  { values: [5] },
  { values: [''] },
  { values: ['x'.repeat(513)] },
  { values: ['a\0b'] },
];
const wrongTargets = [
  ...wrongKeys,
  ...wrongKeys.map((bad) => ({ contextKind: 'org', ...bad })),
  { values: ['a'] },
];
const wrongKinds = [
  { contextKind: 'multi', values: ['a'] },
  { contextKind: 'kind', values: ['a'] },
  { contextKind: 'a b', values: ['a'] },
  { contextKind: 5, values: ['a'] },
];
const wrongClauses = [
  { clauses: 'all' },
  { clauses: [] },
  { clauses: [{ ...sent, op: 'like' }] },
  { clauses: [{ ...sent, attribute: '' }] },
  { clauses: [{ ...sent, attribute: undefined }] },
  { clauses: [{ ...sent, values: 'x' }] },
  { clauses: [{ ...sent, values: [{}] }] },
  { clauses: [{ ...sent, negate: 'no' }] },
  { clauses: [{ ...sent, contextKind: 'multi' }] },
];

const CASES: Record<string, Case> = {
  updateName: {
    action: 'updateName',
    instruction: { value: 'Gamma' },
    becomes: { name: 'Gamma' },
    idle: { value: 'Beta' },
    wrong: [
      {},
      { value: '' },
      { value: 5 },
      { value: 'x'.repeat(257) },
      { value: 'a\0b' },
      { value: 'x', more: 1 },
    ],
  },
  updateDescription: {
    action: 'updateDescription',
    instruction: { value: 'new' },
    becomes: { description: 'new' },
    idle: { value: 'as it was' },
    wrong: [{}, { value: null }, { value: 'x'.repeat(10_001) }],
  },
  addTags: {
    action: 'updateTags',
    instruction: { values: ['b', 'a'] },
    becomes: { tags: ['a', 'b', 'c'] },
    idle: { values: ['c'] },
    wrong: [{}, { values: 'b' }, { values: ['a b'] }, { values: [''] }, { values: ['x'.repeat(65)] }],
  },
  removeTags: {
    action: 'updateTags',
    instruction: { values: ['a', 'z'] },
    becomes: { tags: ['c'] },
    idle: { values: ['z'] },
    wrong: [{}, { values: [1] }],
  },
  addIncludedTargets: {
    action: 'updateIncluded',
    instruction: { contextKind: 'org', values: ['acme', 'best'] },
    becomes: { includedContexts: [{ contextKind: 'org', values: ['acme', 'best'] }] },
    idle: { contextKind: 'org', values: ['acme'] },
    wrong: [
      ...wrongTargets,
      ...wrongKinds,
      { contextKind: 'org', values: ['evil'] },
      { contextKind: 'user', values: ['eve'] },
    ],
  },
  addExcludedTargets: {
    action: 'updateExcluded',
    instruction: { contextKind: 'device', values: ['d1', 'd1'] },
    becomes: {
      excludedContexts: [
        { contextKind: 'org', values: ['evil'] },
        { contextKind: 'device', values: ['d1'] },
      ],
    },
    idle: { contextKind: 'user', values: ['eve'] },
    wrong: [
      ...wrongTargets,
      ...wrongKinds,
      { contextKind: 'org', values: ['acme'] },
      { contextKind: 'user', values: ['ada'] },
    ],
  },
  removeIncludedTargets: {
    action: 'updateIncluded',
    instruction: { contextKind: 'org', values: ['acme'] },
    becomes: { includedContexts: [] },
    idle: { contextKind: 'device', values: ['acme'] },
    wrong: [...wrongTargets, ...wrongKinds],
  },
  removeExcludedTargets: {
    action: 'updateExcluded',
    instruction: { contextKind: 'user', values: ['eve', 'ada'] },
    becomes: { excluded: [] },
    idle: { contextKind: 'org', values: ['acme'] },
    wrong: [...wrongTargets, ...wrongKinds],
  },
  addIncludedUsers: {
    action: 'updateIncluded',
    instruction: { values: ['bob', 'ada'] },
    becomes: { included: ['ada', 'bob'] },
    idle: { values: ['ada'] },
    wrong: [...wrongKeys, { values: ['eve'] }],
  },
  addExcludedUsers: {
    action: 'updateExcluded',
    instruction: { values: ['mallory'] },
    becomes: { excluded: ['eve', 'mallory'] },
    idle: { values: [] },
    wrong: [...wrongKeys, { values: ['ada'] }],
  },
  removeIncludedUsers: {
    action: 'updateIncluded',
    instruction: { values: ['ada'] },
    becomes: { included: [] },
    idle: { values: ['eve'] },
    wrong: wrongKeys,
  },
  removeExcludedUsers: {
    action: 'updateExcluded',
    instruction: { values: ['eve'] },
    becomes: { excluded: [] },
    idle: { values: ['ada'] },
    wrong: wrongKeys,
  },
  addRule: {
    action: 'updateRules',
    instruction: { clauses: [sent], description: 'staff' },
    becomes: {
      rules: [...before.rules, { _id: 'id-1', clauses: [{ _id: 'id-2', ...kept }], description: 'staff' }],
    },
    wrong: [{}, ...wrongClauses, { clauses: [sent], description: 5 }, { clauses: [sent], weight: 5 }],
  },
  removeRule: {
    action: 'updateRules',
    instruction: { ruleId: 'r1' },
    becomes: { rules: [second] },
    idle: { ruleId: 'gone' },
    wrong: [{}, { ruleId: 5 }],
  },
  reorderRules: {
    action: 'updateRules',
    instruction: { ruleIds: ['r2', 'r1'] },
    becomes: { rules: [second, first] },
    idle: { ruleIds: ['r1', 'r2'] },
    wrong: [
      {},
      { ruleIds: [] },
      { ruleIds: ['r1'] },
      { ruleIds: ['r1', 'r1'] },
      { ruleIds: ['r1', 'r2', 'r3'] },
    ],
  },
  addClauses: {
    action: 'updateRules',
    instruction: { ruleId: 'r2', clauses: [sent] },
    becomes: {
      rules: [first, { ...second, clauses: [...second.clauses, { _id: 'id-1', ...kept }] }],
    },
    wrong: [
      {},
      { clauses: [sent] },
      { ruleId: 'gone', clauses: [sent] },
      ...wrongClauses.map((bad) => ({ ruleId: 'r2', ...bad })),
    ],
  },
  removeClauses: {
    action: 'updateRules',
    instruction: { ruleId: 'r1', clauseIds: ['c2'] },
    becomes: { rules: [{ ...first, clauses: [first.clauses[0]!] }, second] },
    wrong: [
      {},
      { ruleId: 'r1' },
      { ruleId: 'gone', clauseIds: ['c1'] },
      { ruleId: 'r1', clauseIds: ['c3'] },
      { ruleId: 'r1', clauseIds: ['c1', 'c2'] },
      { ruleId: 'r1', clauseIds: [] },
    ],
  },
  updateClause: {
    action: 'updateRules',
    instruction: { ruleId: 'r2', clauseId: 'c3', clause: { ...sent, negate: true, contextKind: 'org' } },
    becomes: {
      rules: [first, { ...second, clauses: [{ _id: 'c3', ...kept, negate: true, contextKind: 'org' }] }],
    },
    idle: { ruleId: 'r2', clauseId: 'c3', clause: { attribute: 'country', op: 'in', values: ['it'] } },
    wrong: [
      { ruleId: 'r2', clauseId: 'c3' },
      { ruleId: 'r2', clauseId: 'c1', clause: sent },
      { ruleId: 'r3', clauseId: 'c3', clause: sent },
      { ruleId: 'r2', clauseId: 'c3', clause: { ...sent, op: 'IN' } },
    ],
  },
  addValuesToClause: {
    action: 'updateRules',
    instruction: { ruleId: 'r2', clauseId: 'c3', values: ['es', 'it', 7, true] },
    becomes: { rules: [first, { ...second, clauses: [clause('c3', ['it', 'es', 7, true])] }] },
    idle: { ruleId: 'r2', clauseId: 'c3', values: ['it'] },
    wrong: [
      { ruleId: 'r2', clauseId: 'c3' },
      { ruleId: 'r2', clauseId: 'c3', values: [null] },
      { ruleId: 'r2', clauseId: 'c9', values: ['x'] },
      { ruleId: 'r9', clauseId: 'c3', values: ['x'] },
    ],
  },
  removeValuesFromClause: {
    action: 'updateRules',
    instruction: { ruleId: 'r1', clauseId: 'c1', values: ['fr', 'xx'] },
    becomes: { rules: [{ ...first, clauses: [clause('c1', ['de']), first.clauses[1]!] }, second] },
    idle: { ruleId: 'r1', clauseId: 'c1', values: ['xx'] },
    wrong: [
      { ruleId: 'r1', clauseId: 'c1' },
      { ruleId: 'r1', clauseId: 'c3', values: ['x'] },
    ],
  },
  updateRuleDescription: {
    action: 'updateRules',
    instruction: { ruleId: 'r1', description: 'Europe' },
    becomes: { rules: [{ ...first, description: 'Europe' }, second] },
    wrong: [
      { ruleId: 'r1' },
      { ruleId: 'r9', description: 'x' },
      { ruleId: 'r1', description: 'x'.repeat(10_001) },
    ],
  },
  updateRuleRolloutAndContextKind: {
    action: 'updateRules',
    instruction: { ruleId: 'r1', weight: 20_000, contextKind: 'device' },
    becomes: { rules: [{ ...first, weight: 20_000, rolloutContextKind: 'device' }, second] },
    wrong: [
      { ruleId: 'r1', weight: 20_000 },
      { ruleId: 'r1', contextKind: 'device' },
      { ruleId: 'r1', weight: 100_001, contextKind: 'device' },
      { ruleId: 'r1', weight: -1, contextKind: 'device' },
      { ruleId: 'r1', weight: 0.5, contextKind: 'device' },
      { ruleId: 'r1', weight: '20000', contextKind: 'device' },
      { ruleId: 'r9', weight: 1, contextKind: 'device' },
    ],
  },
};

const BIG = [
  'addBigSegmentIncludedTargets',
  'addBigSegmentExcludedTargets',
  'removeBigSegmentIncludedTargets',
  'removeBigSegmentExcludedTargets',
];

test('every kind is in these tests', () => {
  const known = [...Object.keys(CASES), ...BIG, 'processBigSegmentImport'];
  assert.deepEqual([...segmentKinds.keys()].toSorted(), known.toSorted());
});

for (const [kind, { action, instruction, becomes, idle, wrong }] of Object.entries(CASES)) {
  describe(kind, () => {
    test('does its work, and nothing else', () => {
      assert.deepEqual(apply({ kind, ...instruction }), { ...before, ...becomes });
      assert.deepEqual(instructionActions([{ kind }]), [action]);
    });
    if (idle !== undefined)
      test('leaves what is so already', () => assert.deepEqual(apply({ kind, ...idle }), before));
    test('refuses wrong parameters, and says which instruction it was', () => {
      for (const bad of wrong) {
        assert.throws(
          () => apply({ kind: 'updateName', value: 'first' }, { kind, ...bad }),
          (error: Failure) =>
            /^(invalid|bad-patch)$/.test(error.kind) &&
            error.message.startsWith(`instructions[1] (${kind}): `),
          JSON.stringify(bad),
        );
      }
    });
  });
}

describe('big segments', () => {
  const big = newSegment({ unbounded: true, unboundedContextKind: 'user' });

  test('their instructions become steps, in order', () => {
    const { segment, steps } = applySegmentInstructions(
      big,
      BIG.map((kind, index) => ({ kind, values: [`k${index}`] })),
      countingIds(),
    );
    assert.equal(segment, big);
    assert.deepEqual(steps, [
      { does: 'add', type: 'included', values: ['k0'] },
      { does: 'add', type: 'excluded', values: ['k1'] },
      { does: 'remove', type: 'included', values: ['k2'] },
      { does: 'remove', type: 'excluded', values: ['k3'] },
    ]);
    assert.deepEqual(instructionActions(BIG.map((kind) => ({ kind }))), ['updateIncluded', 'updateExcluded']);
  });

  test('imports that waited are let through beside whatever else is done', () => {
    const kind = 'processBigSegmentImport';
    const draft = applySegmentInstructions(
      big,
      [
        { kind, importId: 'one' },
        { kind: 'updateName', value: 'New' },
        { kind: 'addBigSegmentIncludedTargets', values: ['a'] },
        { kind, importId: 'two' },
      ],
      countingIds(),
    );
    assert.deepEqual([draft.imports, draft.segment.name, draft.steps.length], [['one', 'two'], 'New', 1]);
    assert.deepEqual(instructionActions([{ kind }]), ['updateIncluded']);
    for (const bad of [{}, { importId: 5 }, { importId: '' }, { importId: 'x'.repeat(65) }])
      assert.throws(() => applySegmentInstructions(big, [{ kind, ...bad }], countingIds()), Failure);
    assert.throws(() => apply({ kind, importId: 'one' }), /only for big segments/);
  });

  test('each sort of segment refuses the instructions of the other', () => {
    for (const kind of BIG) {
      for (const bad of wrongKeys)
        assert.throws(() => applySegmentInstructions(big, [{ kind, ...bad }], countingIds()), Failure);
      assert.throws(() => apply({ kind, values: ['a'] }), /only for big segments/);
    }
    for (const kind of ['addIncludedUsers', 'removeExcludedUsers'])
      assert.throws(
        () => applySegmentInstructions(big, [{ kind, values: ['a'] }], countingIds()),
        /not for big segments/,
      );
  });
});

test('instructions see what those before them did', () => {
  const after = apply(
    { kind: 'removeExcludedUsers', values: ['eve'] },
    { kind: 'addIncludedUsers', values: ['eve'] },
    { kind: 'addRule', clauses: [sent] },
    { kind: 'reorderRules', ruleIds: ['id-1', 'r2', 'r1'] },
    { kind: 'removeRule', ruleId: 'r2' },
  );
  assert.deepEqual([after.included, after.excluded], [['ada', 'eve'], []]);
  assert.deepEqual(
    after.rules.map(({ _id }) => _id),
    ['id-1', 'r1'],
  );
});

test('the keys of all instructions are limited together', () => {
  const keys = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => `k${from + index}`);
  const add = (from: number, count: number) => ({ kind: 'addIncludedUsers', values: keys(from, count) });
  assert.equal(apply(add(0, 750), add(750, 750)).included.length, 1501);
  assert.throws(() => apply(add(0, 750), add(750, 751)), /1500/);
});

test('an unknown kind is refused', () => {
  for (const kind of ['turnFlagOn', 'addrule', '__proto__', 'constructor', ''])
    assert.throws(
      () => apply({ kind }),
      (error: Failure) => error.kind === 'bad-patch',
      kind,
    );
});
