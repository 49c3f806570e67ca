// Membership in a segment: by its lists, its rules, other segments, and the members of big segments.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SegmentData } from './data.ts';
import { evaluateFirst, newClause, newFlagData, newSegmentData, newRun } from './fixture.ts';
import { matchSegment } from './segment.ts';

const user = (key: string, more: object = {}) => ({ kind: 'user', key, ...more });
const inSegment = (key: string) => [newClause({ op: 'segmentMatch', attribute: '', values: [key] })];

/** On, and serves `b` to the members of the first segment. */
function evaluate(given: unknown, segments: SegmentData[], inclusion?: boolean) {
  const rules = [{ id: 'r', clauses: inSegment(segments[0]!.key), variation: 1, trackEvents: false }];
  return evaluateFirst(given, [newFlagData({ rules })], segments, () => inclusion);
}

const isIn = (given: unknown, members: Partial<SegmentData>, ...others: SegmentData[]) =>
  evaluate(given, [newSegmentData(members), ...others]).value === 'b';

const everyone = { id: 'r', clauses: [] };

describe('a segment', () => {
  const org = { kind: 'org', key: 'o' };
  const orgs = [{ contextKind: 'org', values: ['o'] }];
  const cases: [what: string, members: Partial<SegmentData>, given: unknown, isMember: boolean][] = [
    ['has nobody by itself', {}, user('u'), false],
    ['has users by their keys', { included: ['u'] }, user('u'), true],
    ['has no other kind by the keys of users', { included: ['o'] }, org, false],
    ['has contexts of a kind by their keys', { includedContexts: orgs }, org, true],
    ['keeps users out', { excluded: ['u'], rules: [everyone] }, user('u'), false],
    ['keeps contexts of a kind out', { excludedContexts: orgs, rules: [everyone] }, org, false],
    ['has who is in before who is out', { included: ['u'], excluded: ['u'] }, user('u'), true],
    [
      'has whom a rule matches',
      { rules: [{ id: 'r', clauses: [newClause({ values: ['u'] })] }] },
      user('u'),
      true,
    ],
    [
      'needs all clauses of a rule',
      { rules: [{ id: 'r', clauses: [newClause({ values: ['u'] }), newClause({ values: ['v'] })] }] },
      user('u'),
      false,
    ],
    [
      'needs but one rule',
      { rules: [{ id: 'r', clauses: [newClause({ values: ['v'] })] }, everyone] },
      user('u'),
      true,
    ],
  ];
  for (const [what, members, given, isMember] of cases) {
    test(what, () => assert.equal(isIn(given, members), isMember));
  }

  test('has a share of those whom a rule matches', () => {
    const hashed = { key: 'hashKey', salt: 'saltyA' };
    const upTo = (weight: number, more: object = {}) => ({
      ...hashed,
      rules: [{ ...everyone, weight, ...more }],
    });
    assert.equal(isIn(user('userKeyA'), upTo(42_158)), true);
    assert.equal(isIn(user('userKeyA'), upTo(42_157)), false);
    const byNumber = { bucketBy: 'number', rolloutContextKind: 'user' };
    assert.equal(isIn(user('userKeyA', { number: 33_333 }), upTo(42_158, byNumber)), false);
    assert.equal(isIn(user('userKeyA'), upTo(0)), false);
    assert.equal(isIn(user('userKeyA'), upTo(1, { rolloutContextKind: 'org' })), true);
  });

  test('has who is in another one that its rules name', () => {
    const outer = { key: 'outer', rules: [{ id: 'r', clauses: inSegment('inner') }] };
    const inner = newSegmentData({ key: 'inner', included: ['u'] });
    assert.equal(isIn(user('u'), outer, inner), true);
    assert.equal(isIn(user('v'), outer, inner), false);
  });

  test('that leads back to itself makes the flag malformed', () => {
    const outer = newSegmentData({ key: 'outer', rules: [{ id: 'r', clauses: inSegment('inner') }] });
    const inner = newSegmentData({
      key: 'inner',
      included: ['v'],
      rules: [{ id: 'r', clauses: inSegment('outer') }],
    });
    assert.deepEqual(evaluate(user('u'), [outer, inner]).reason, {
      kind: 'ERROR',
      errorKind: 'MALFORMED_FLAG',
    });
    assert.equal(evaluate(user('v'), [outer, inner]).value, 'b');
  });
});

test('segments that name each other many times over are looked at once each', () => {
  const nested = Array.from({ length: 60 }, (_, index) =>
    newSegmentData({
      key: `s${index}`,
      rules: ['one', 'two'].map((id) => ({ id, clauses: inSegment(`s${index + 1}`) })),
    }),
  );
  assert.equal(evaluate(user('u'), nested).value, 'a');
  assert.equal(evaluate(user('u'), [...nested, newSegmentData({ key: 's60', included: ['u'] })]).value, 'b');
});

describe('a big segment', () => {
  const big = newSegmentData({
    unbounded: true,
    unboundedContextKind: 'user',
    generation: 1,
    rules: [everyone],
  });

  const cases: [what: string, inclusion: boolean | undefined, value: string][] = [
    ['has its members', true, 'b'],
    ['has not those whom it keeps out', false, 'a'],
    ['has of all others those whom a rule matches', undefined, 'b'],
  ];
  for (const [what, inclusion, value] of cases) {
    test(`${what}, and says that it was asked`, () => {
      const result = evaluate(user('u'), [big], inclusion);
      assert.equal(result.value, value);
      assert.equal(result.reason.bigSegmentsStatus, 'HEALTHY');
    });
  }

  test('has nobody of another kind, and is not asked', () => {
    const { value, reason } = evaluate({ kind: 'org', key: 'o' }, [big], true);
    assert.deepEqual([value, reason], ['a', { kind: 'FALLTHROUGH' }]);
  });
});

function matchOf(members: Partial<SegmentData>, given: unknown, big?: boolean, ...others: SegmentData[]) {
  const segment = newSegmentData(members);
  const run = newRun(given, [], [segment, ...others], () => big);
  return matchSegment(run.environment.segments.get(segment.key)!, run);
}

describe('a context stands in a segment', () => {
  const member = user('u');
  const cases: [how: string, members: Partial<SegmentData>, match: string | undefined][] = [
    ['by its key', { included: ['u'] }, 'key'],
    ['by its key, where a rule has it, too', { included: ['u'], rules: [everyone] }, 'key'],
    ['by a rule', { rules: [everyone] }, 'rule'],
    ['not at all', {}, undefined],
    ['not where it is kept out', { excluded: ['u'], rules: [everyone] }, undefined],
    [
      'not where an attribute is none',
      { rules: [{ id: 'r', clauses: [newClause({ attribute: '//' })] }] },
      undefined,
    ],
    [
      'not where that leads in a circle',
      { key: 's', rules: [{ id: 'r', clauses: inSegment('s') }] },
      undefined,
    ],
  ];
  for (const [how, members, match] of cases) test(how, () => assert.equal(matchOf(members, member), match));

  test('by a rule that names a segment with its key', () => {
    const inner = newSegmentData({ key: 'inner', included: ['u'] });
    const outer = { key: 'outer', rules: [{ id: 'r', clauses: inSegment('inner') }] };
    assert.equal(matchOf(outer, member, undefined, inner), 'rule');
  });

  test('by its key among the members of a big one', () => {
    const big = { unbounded: true, unboundedContextKind: 'user', rules: [everyone] };
    assert.equal(matchOf(big, member, true), 'key');
    assert.equal(matchOf(big, member, false), undefined);
    assert.equal(matchOf(big, member), 'rule');
    assert.equal(matchOf(big, { kind: 'org', key: 'u' }, true), undefined);
  });
});
