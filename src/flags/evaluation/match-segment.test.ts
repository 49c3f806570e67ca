// Membership of a context in a segment, evaluated without a flag.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SegmentData } from './data.ts';
import { newClause, newRun, newSegmentData } from './fixture.ts';
import { matchSegment } from './match-segment.ts';

const inSegment = (key: string) => [newClause({ op: 'segmentMatch', attribute: '', values: [key] })];
const everyone = { id: 'r', clauses: [] };

function matchOf(members: Partial<SegmentData>, given: unknown, big?: boolean, ...others: SegmentData[]) {
  const segment = newSegmentData(members);
  const run = newRun(given, [], [segment, ...others], () => big);
  return matchSegment(run.environment.segments.get(segment.key)!, run);
}

describe('a context stands in a segment', () => {
  const user = { kind: 'user', key: 'u' };
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
  for (const [how, members, match] of cases) test(how, () => assert.equal(matchOf(members, user), match));

  test('by a rule that names a segment with its key', () => {
    const inner = newSegmentData({ key: 'inner', included: ['u'] });
    const outer = { key: 'outer', rules: [{ id: 'r', clauses: inSegment('inner') }] };
    assert.equal(matchOf(outer, user, undefined, inner), 'rule');
  });

  test('by its key among the members of a big one', () => {
    const big = { unbounded: true, unboundedContextKind: 'user', rules: [everyone] };
    assert.equal(matchOf(big, user, true), 'key');
    assert.equal(matchOf(big, user, false), undefined);
    assert.equal(matchOf(big, user), 'rule');
    assert.equal(matchOf(big, { kind: 'org', key: 'u' }, true), undefined);
  });
});
