// The result of a flag, in the order of evaluation: off, prerequisites, targets, rules, fallthrough; and malformed flags.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FlagData } from './data.ts';
import { evaluateFirst, newClause, newFlagData } from './fixture.ts';

const user = { kind: 'user', key: 'u' };
const malformedAfter = (...prerequisites: string[]) => ({
  value: null,
  reason: { kind: 'ERROR', errorKind: 'MALFORMED_FLAG' },
  prerequisites,
});
const MALFORMED = malformedAfter();
const isU = [newClause({ values: ['u'] })];
const everyone = { id: 'r', clauses: [], trackEvents: false };

function evaluate(members: Partial<FlagData>, given: unknown = user, others: FlagData[] = []) {
  return evaluateFirst(given, [newFlagData(members), ...others]);
}

describe('a flag', () => {
  test('that is off gives its off variation', () => {
    const result = { value: 'c', variationIndex: 2, reason: { kind: 'OFF' }, prerequisites: [] };
    assert.deepEqual(evaluate({ on: false, targets: [{ values: ['u'], variation: 1 }] }), result);
  });

  test('that is off and has no off variation gives nothing', () => {
    const result = { value: null, reason: { kind: 'OFF' }, prerequisites: [] };
    assert.deepEqual(evaluate({ on: false, offVariation: null }), result);
  });

  test('gives everyone else its fallthrough', () => {
    const result = { value: 'a', variationIndex: 0, reason: { kind: 'FALLTHROUGH' }, prerequisites: [] };
    assert.deepEqual(evaluate({}), result);
  });

  test('gives null where that is the value', () => {
    const { value, variationIndex } = evaluate({ variations: [null, 1] });
    assert.deepEqual([value, variationIndex], [null, 0]);
  });

  const malformed: [what: string, members: Partial<FlagData>][] = [
    ['an off variation that is not there', { on: false, offVariation: 3 }],
    ['an off variation below zero', { on: false, offVariation: -1 }],
    ['a fallthrough that is not there', { fallthrough: { variation: 3 } }],
    ['nothing to serve', { fallthrough: {} }],
    ['a target of a variation that is not there', { targets: [{ values: ['u'], variation: 9 }] }],
    ['a rule of a variation that is not there', { rules: [{ ...everyone, variation: 9 }] }],
    ['a rule with nothing to serve', { rules: [everyone] }],
    ['a clause about no attribute', { rules: [{ ...everyone, clauses: [newClause({ attribute: '//' })] }] }],
  ];
  for (const [what, members] of malformed) {
    test(`with ${what} is malformed`, () => assert.deepEqual(evaluate(members), MALFORMED));
  }

  test('is not malformed by what nobody comes to', () => {
    const broken = { ...everyone, clauses: [newClause({ attribute: '//' })], variation: 9 };
    const { reason } = evaluate({ rules: [{ ...everyone, clauses: isU, variation: 1 }, broken] });
    assert.equal(reason.kind, 'RULE_MATCH');
  });
});

describe('a target', () => {
  const both = { kind: 'multi', user: { key: 'u' }, org: { key: 'o' } };
  const users = { values: ['u'], variation: 1 };
  const orgs = { contextKind: 'org', values: ['o'], variation: 2 };
  const place = { contextKind: 'user', values: [], variation: 1 };
  const cases: [what: string, members: Partial<FlagData>, given: unknown, index: number, kind: string][] = [
    ['gives its variation to a user', { targets: [users] }, user, 1, 'TARGET_MATCH'],
    ['gives nothing to another user', { targets: [users] }, { ...user, key: 'v' }, 0, 'FALLTHROUGH'],
    [
      'of users is not for the same key of another kind',
      { targets: [users] },
      { kind: 'org', key: 'u' },
      0,
      'FALLTHROUGH',
    ],
    [
      'gives its variation to a context of its kind',
      { contextTargets: [orgs] },
      { kind: 'org', key: 'o' },
      2,
      'TARGET_MATCH',
    ],
    [
      'of users has its place among the others',
      { targets: [users], contextTargets: [place, orgs] },
      both,
      1,
      'TARGET_MATCH',
    ],
    [
      'of users comes after those before its place',
      { targets: [users], contextTargets: [orgs, place] },
      both,
      2,
      'TARGET_MATCH',
    ],
    [
      'of users has no place where others do not keep it',
      { targets: [users], contextTargets: [orgs] },
      user,
      0,
      'FALLTHROUGH',
    ],
    [
      'wins over rules',
      { targets: [users], rules: [{ ...everyone, variation: 2 }] },
      user,
      1,
      'TARGET_MATCH',
    ],
  ];
  for (const [what, members, given, index, kind] of cases) {
    test(what, () => {
      const { variationIndex, reason } = evaluate(members, given);
      assert.deepEqual([variationIndex, reason.kind], [index, kind]);
    });
  }
});

describe('a rule', () => {
  test('that is the first to match decides', () => {
    const rules = [
      { id: 'no', clauses: [newClause({ values: ['v'] })], variation: 0, trackEvents: false },
      { id: 'yes', clauses: isU, variation: 1, trackEvents: false },
      { ...everyone, variation: 2 },
    ];
    const { value, reason } = evaluate({ rules });
    assert.equal(value, 'b');
    assert.deepEqual(reason, { kind: 'RULE_MATCH', ruleIndex: 1, ruleId: 'yes' });
  });

  test('needs all its clauses', () => {
    const clauses = [...isU, newClause({ attribute: 'plan', values: ['gold'] })];
    const rules = [{ id: 'r', clauses, variation: 1, trackEvents: false }];
    assert.equal(evaluate({ rules }).value, 'a');
    assert.equal(evaluate({ rules }, { ...user, plan: 'gold' }).value, 'b');
  });

  test('may roll out', () => {
    const rollout = { kind: 'experiment' as const, variations: [{ variation: 1, weight: 100_000 }] };
    const { value, reason } = evaluate({ rules: [{ ...everyone, rollout }] });
    assert.equal(value, 'b');
    assert.deepEqual(reason, { kind: 'RULE_MATCH', ruleIndex: 0, ruleId: 'r', inExperiment: true });
  });
});

describe('a clause', () => {
  const matches = (clause: object, given: unknown) =>
    evaluate({ rules: [{ ...everyone, clauses: [newClause(clause)], variation: 1 }] }, given).value === 'b';

  const cases: [what: string, clause: object, given: unknown, isMatch: boolean][] = [
    ['that is negated matches others', { values: ['v'], negate: true }, user, true],
    ['that is negated does not match its own', { values: ['u'], negate: true }, user, false],
    ['does not match what is not there', { attribute: 'plan', values: ['x'] }, user, false],
    [
      'does not match what is not there, even negated',
      { attribute: 'plan', values: ['x'], negate: true },
      user,
      false,
    ],
    [
      'does not match null, even negated',
      { attribute: 'plan', values: ['x'], negate: true },
      { ...user, plan: null },
      false,
    ],
    [
      'does not match a kind that is not there, even negated',
      { contextKind: 'org', values: ['x'], negate: true },
      user,
      false,
    ],
    [
      'matches any of a list',
      { attribute: 'plans', values: ['x', 'gold'] },
      { ...user, plans: ['red', 'gold'] },
      true,
    ],
    [
      'that is negated matches a list with none',
      { attribute: 'plans', values: ['x'], negate: true },
      { ...user, plans: ['red'] },
      true,
    ],
    [
      'that is negated does not match a list with one',
      { attribute: 'plans', values: ['red'], negate: true },
      { ...user, plans: ['red', 'x'] },
      false,
    ],
    ['about the kind matches it', { attribute: 'kind', values: ['user'] }, user, true],
    [
      'about the kind matches any of several',
      { attribute: 'kind', values: ['org'] },
      { kind: 'multi', user: { key: 'u' }, org: { key: 'o' } },
      true,
    ],
    ['about the kind can be negated', { attribute: 'kind', values: ['org'], negate: true }, user, true],
    ['of an unknown operator matches nobody', { op: 'like', values: ['u'] }, user, false],
    [
      'of an unknown operator matches everybody when negated',
      { op: 'like', values: ['u'], negate: true },
      user,
      true,
    ],
    ['goes into objects', { attribute: '/a/b', values: [1] }, { ...user, a: { b: 1 } }, true],
    [
      'without a kind takes a plain name',
      { attribute: '/a/b', values: [1], contextKind: undefined },
      { ...user, a: { b: 1 } },
      false,
    ],
    ['about a segment that there is not matches nobody', { op: 'segmentMatch', values: ['x'] }, user, false],
    [
      'about a segment that there is not can be negated',
      { op: 'segmentMatch', values: ['x'], negate: true },
      user,
      true,
    ],
  ];
  for (const [what, clause, given, isMatch] of cases) {
    test(what, () => assert.equal(matches(clause, given), isMatch));
  }
});

describe('a prerequisite', () => {
  const needs = (key: string, variation: number) => ({ prerequisites: [{ key, variation }] });
  const other = (key: string, members: Partial<FlagData> = {}) => newFlagData({ key, ...members });
  const FAILED = { kind: 'PREREQUISITE_FAILED', prerequisiteKey: 'p' };

  test('that is met lets the flag go on, and is in the result', () => {
    const result = { value: 'a', variationIndex: 0, reason: { kind: 'FALLTHROUGH' }, prerequisites: ['p'] };
    assert.deepEqual(evaluate(needs('p', 0), user, [other('p')]), result);
  });

  const failing: [what: string, others: FlagData[], seen: string[]][] = [
    ['is not there', [], []],
    ['gives another variation', [other('p', { fallthrough: { variation: 1 } })], ['p']],
    ['is off, even where it gives the wanted variation', [other('p', { on: false, offVariation: 0 })], ['p']],
    ['has failed itself', [other('p', { ...needs('q', 0), offVariation: 2 })], ['p']],
  ];
  for (const [what, others, seen] of failing) {
    test(`that ${what} turns the flag off`, () => {
      const result = { value: 'c', variationIndex: 2, reason: FAILED, prerequisites: seen };
      assert.deepEqual(evaluate(needs('p', 0), user, others), result);
    });
  }

  test('is not looked at when an earlier one has failed, nor when the flag is off', () => {
    const two = {
      prerequisites: [
        { key: 'p', variation: 1 },
        { key: 'q', variation: 0 },
      ],
    };
    assert.deepEqual(evaluate(two, user, [other('p'), other('q')]).prerequisites, ['p']);
    assert.deepEqual(evaluate({ ...two, on: false }, user, [other('p')]).prerequisites, []);
  });

  test('of a prerequisite is not told', () => {
    const { value, prerequisites } = evaluate(needs('p', 0), user, [other('p', needs('q', 0)), other('q')]);
    assert.deepEqual([value, prerequisites], ['a', ['p']]);
  });

  test('that is malformed makes the flag malformed', () => {
    assert.deepEqual(evaluate(needs('p', 0), user, [other('p', { fallthrough: {} })]), malformedAfter('p'));
  });

  test('that leads back to the flag makes it malformed', () => {
    assert.deepEqual(evaluate(needs('flag', 0)), malformedAfter('flag'));
    assert.deepEqual(
      evaluate(needs('p', 0), user, [other('p', needs('q', 0)), other('q', needs('p', 0))]),
      malformedAfter('p'),
    );
  });

  test('may be needed on two ways', () => {
    const two = {
      prerequisites: [
        { key: 'p', variation: 0 },
        { key: 'q', variation: 0 },
      ],
    };
    assert.equal(evaluate(two, user, [other('p', needs('q', 0)), other('q')]).value, 'a');
  });
});

test('flags that need each other many times over are looked at once each', () => {
  const flags = Array.from({ length: 60 }, (_, index) =>
    newFlagData({
      key: `f${index}`,
      prerequisites: index < 59 ? [1, 2].map(() => ({ key: `f${index + 1}`, variation: 0 })) : [],
    }),
  );
  assert.equal(evaluateFirst({ kind: 'user', key: 'u' }, flags).value, 'a');
});
