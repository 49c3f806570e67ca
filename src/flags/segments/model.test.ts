// JSON and merge patches of segments, and the members of big ones.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Failure } from '../../kernel/failure.ts';
import type { DocumentPatch } from '../patch/patch.ts';
import { actionsBetween, describeSegmentChanges } from './change-segment.ts';
import { countingIds, newSegment } from './fixture.ts';
import { planMembership, type MembershipStep, type TargetTypes } from './membership.ts';
import { nextVersion, patchSegment, readSegmentPost, toSegmentDetail, toSegmentSummary } from './model.ts';
import type { Segment, TargetType } from './segment.ts';

const place = { project: { key: 'shop' }, environment: { key: 'test' } };
const clauses = [{ attribute: 'country', op: 'in', values: ['fr'] }];
const before = newSegment({
  description: 'as it was',
  tags: ['a'],
  included: ['ada'],
  excluded: ['eve'],
  rules: [
    {
      _id: 'r1',
      clauses: [
        { _id: 'c1', attribute: 'country', op: 'in', values: ['fr'], contextKind: 'user', negate: false },
      ],
    },
  ],
});

function patched(patch: DocumentPatch, segment = before): Segment {
  return nextVersion(segment, patchSegment(segment, place, patch, countingIds()), 2000);
}

const json = (...operations: object[]) => patched({ kind: 'json', operations });
const merge = (fields: Record<string, unknown>) => patched({ kind: 'merge', fields });
const isInvalid = (error: Failure) => error.kind === 'invalid';

describe('JSON patch', () => {
  test('changes every member that clients change', () => {
    const cases: [operation: object, becomes: Partial<Segment>, action: string][] = [
      [{ op: 'replace', path: '/name', value: 'New' }, { name: 'New' }, 'updateName'],
      [{ op: 'replace', path: '/description', value: 'new' }, { description: 'new' }, 'updateDescription'],
      [{ op: 'replace', path: '/tags', value: ['z', 'b', 'z'] }, { tags: ['b', 'z'] }, 'updateTags'],
      [{ op: 'remove', path: '/tags' }, { tags: [] }, 'updateTags'],
      [{ op: 'add', path: '/tags/0', value: 'b' }, { tags: ['a', 'b'] }, 'updateTags'],
      [{ op: 'replace', path: '/included', value: ['bob', 'bob'] }, { included: ['bob'] }, 'updateIncluded'],
      [{ op: 'add', path: '/included/-', value: 'bob' }, { included: ['ada', 'bob'] }, 'updateIncluded'],
      [{ op: 'remove', path: '/excluded/0' }, { excluded: [] }, 'updateExcluded'],
      [
        {
          op: 'replace',
          path: '/includedContexts',
          value: [
            { contextKind: 'org', values: ['acme'] },
            { contextKind: 'org', values: ['best'] },
          ],
        },
        { includedContexts: [{ contextKind: 'org', values: ['acme', 'best'] }] },
        'updateIncluded',
      ],
      [
        { op: 'replace', path: '/excludedContexts', value: [{ contextKind: 'user', values: ['mallory'] }] },
        { excluded: ['eve', 'mallory'] },
        'updateExcluded',
      ],
      [{ op: 'replace', path: '/rules', value: [] }, { rules: [] }, 'updateRules'],
      [
        {
          op: 'add',
          path: '/rules/-',
          value: { clauses: [], weight: 10_000, bucketBy: 'key', rolloutContextKind: 'org' },
        },
        {
          rules: [
            ...before.rules,
            { _id: 'id-1', clauses: [], weight: 10_000, bucketBy: 'key', rolloutContextKind: 'org' },
          ],
        },
        'updateRules',
      ],
      [
        { op: 'replace', path: '/rules/0', value: { clauses, description: 'France' } },
        {
          rules: [
            {
              _id: 'id-1',
              clauses: [{ ...before.rules[0]!.clauses[0]!, _id: 'id-2' }],
              description: 'France',
            },
          ],
        },
        'updateRules',
      ],
    ];
    for (const [operation, becomes, action] of cases) {
      const after = json(operation);
      assert.deepEqual(
        after,
        { ...before, ...becomes, version: 2, modifiedAt: 2000 },
        JSON.stringify(operation),
      );
      assert.deepEqual(actionsBetween(before, after), [action]);
      assert.match(describeSegmentChanges(before, after), /^- Changed the /);
    }
  });

  test('what is so already changes nothing', () => {
    assert.equal(json({ op: 'replace', path: '/name', value: 'Beta' }), before);
    assert.equal(json({ op: 'replace', path: '/rules', value: [{ clauses }] }), before);
    assert.equal(json({ op: 'add', path: '/included/-', value: 'ada' }), before);
    assert.equal(json({ op: 'test', path: '/version', value: 1 }), before);
  });

  test('an unset description can be replaced and removed', () => {
    const { description: _, ...bare } = before;
    const unset = patched({ kind: 'json', operations: [{ op: 'remove', path: '/description' }] });
    assert.deepEqual(unset, { ...bare, version: 2, modifiedAt: 2000 });
    const removed = patched({ kind: 'json', operations: [{ op: 'remove', path: '/description' }] }, unset);
    assert.equal(removed, unset);
    const set = patched(
      { kind: 'json', operations: [{ op: 'replace', path: '/description', value: 'x' }] },
      unset,
    );
    assert.equal(set.description, 'x');
  });

  test('what does not fit is refused', () => {
    const wrong: [path: string, value: unknown][] = [
      ['/name', ''],
      ['/name', null],
      ['/key', 'other'],
      ['/version', 7],
      ['/creationDate', 7],
      ['/deleted', true],
      ['/generation', 7],
      ['/unbounded', true],
      ['/unboundedContextKind', 'org'],
      ['/more', 1],
      ['/tags', ['a b']],
      ['/included', 'ada'],
      ['/included', [5]],
      ['/included', ['eve']],
      ['/includedContexts', [{ contextKind: 'user', values: ['eve'] }]],
      ['/includedContexts', [{ values: ['x'] }]],
      ['/includedContexts', [{ contextKind: 'multi', values: ['x'] }]],
      ['/included', Array.from({ length: 15_001 }, (_, index) => `k${index}`)],
      ['/excluded', Array.from({ length: 15_000 }, (_, index) => `k${index}`)],
      ['/rules', {}],
      ['/rules', [{}]],
      ['/rules', [{ clauses: [] }]],
      ['/rules', [{ clauses, weight: 100_001 }]],
      ['/rules', [{ clauses: [{ ...clauses[0], op: 'like' }] }]],
      ['/_flags', []],
      ['/_links', {}],
    ];
    for (const [path, value] of wrong)
      assert.throws(
        () => json({ op: 'add', path, value }),
        isInvalid,
        `${path} ${JSON.stringify(value).slice(0, 80)}`,
      );
    assert.throws(() => json({ op: 'remove', path: '/name' }), isInvalid);
    assert.throws(() => json({ op: 'replace', path: '/rules/0/_id', value: 'x' }), isInvalid);
  });

  test('the lists of a big segment are not in it', () => {
    const big = newSegment({ unbounded: true, unboundedContextKind: 'user' });
    for (const path of ['/included', '/excluded', '/includedContexts', '/excludedContexts'])
      assert.throws(
        () => patched({ kind: 'json', operations: [{ op: 'add', path, value: [] }] }, big),
        isInvalid,
      );
    assert.equal(patched({ kind: 'merge', fields: { name: 'Large' } }, big).name, 'Large');
  });
});

test('a merge patch changes what it names, and null unsets', () => {
  const after = merge({ name: 'New', description: null, tags: ['z'], rules: null });
  const { description: _, ...rest } = before;
  assert.deepEqual(after, { ...rest, name: 'New', tags: ['z'], rules: [], version: 2, modifiedAt: 2000 });
  assert.equal(merge({}), before);
  assert.throws(() => merge({ name: null }), isInvalid);
  assert.throws(() => merge({ version: 9 }), isInvalid);
  assert.throws(() => merge({ _flags: [] }), isInvalid);
});

test('summaries have the lists, except those of big segments, whose details show counts', () => {
  const summary = toSegmentSummary(before, place);
  for (const name of ['included', 'excluded', 'includedContexts', 'excludedContexts'])
    assert.ok(Object.hasOwn(summary, name), name);
  const big = newSegment({
    unbounded: true,
    unboundedContextKind: 'org',
    includedCount: 3,
    excludedCount: 1,
  });
  const detail = toSegmentDetail(big, place);
  assert.deepEqual([detail.included, detail._unboundedMetadata?.includedCount], [undefined, 3]);
  assert.deepEqual(
    [toSegmentSummary(big, place).included, toSegmentSummary(big, place).unbounded],
    [undefined, true],
  );
});

test('a post says what kind of contexts a big segment holds, or it is users', () => {
  const read = (post: object) => readSegmentPost({ key: 'k', name: 'n', ...post }, 'env');
  assert.equal(read({ unbounded: true }).unboundedContextKind, 'user');
  assert.equal(read({ unbounded: true, unboundedContextKind: '' }).unboundedContextKind, 'user');
  assert.equal(read({ unbounded: true, unboundedContextKind: 'org' }).unboundedContextKind, 'org');
  assert.equal(read({ unboundedContextKind: 'org' }).unboundedContextKind, undefined);
  assert.throws(() => read({ unbounded: true, unboundedContextKind: 'a b' }), isInvalid);
});

describe('the members of a big segment', () => {
  const now: TargetTypes = new Map([
    ['in', 'included'],
    ['out', 'excluded'],
  ]);

  test('only what differs in the end is written', () => {
    const steps: MembershipStep[] = [
      { does: 'add', type: 'included', values: ['in', 'new', 'brief'] },
      { does: 'remove', type: 'included', values: ['brief', 'out', 'nobody'] },
      { does: 'remove', type: 'excluded', values: ['out'] },
      { does: 'add', type: 'included', values: ['out'] },
    ];
    assert.deepEqual(planMembership(now, steps, 'user'), {
      upsert: [
        { key: 'new', type: 'included' },
        { key: 'out', type: 'included' },
      ],
      remove: [],
      included: 2,
      excluded: -1,
    });
    assert.deepEqual(
      planMembership(now, [{ does: 'remove', type: 'included', values: ['in'] }], 'user').remove,
      ['in'],
    );
  });

  test('nobody is both included and excluded', () => {
    for (const [type, key] of [
      ['included', 'out'],
      ['excluded', 'in'],
    ] as const)
      assert.throws(() => planMembership(now, [{ does: 'add', type, values: [key] }], 'user'), isInvalid);
    assert.throws(
      () => planMembership(now, [{ does: 'add', type: 'included', values: ['\ud800'] }], 'user'),
      isInvalid,
    );
  });

  test('the counts are those of the plan, whatever the steps', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd');
    const type = fc.constantFrom<TargetType>('included', 'excluded');
    const step = fc.record({
      does: fc.constantFrom<'add' | 'remove'>('add', 'remove'),
      type,
      values: fc.array(key),
    });
    fc.assert(
      fc.property(fc.dictionary(key, type), fc.array(step), (targetTypes, steps) => {
        const first = new Map(Object.entries(targetTypes));
        let plan;
        try {
          plan = planMembership(first, steps, 'user');
        } catch {
          return;
        }
        const then = new Map(first);
        for (const gone of plan.remove) assert.ok(then.delete(gone));
        for (const put of plan.upsert) then.set(put.key, put.type);
        const count = (all: TargetTypes, wanted: TargetType) =>
          [...all.values()].filter((each) => each === wanted).length;
        assert.equal(count(then, 'included') - count(first, 'included'), plan.included);
        assert.equal(count(then, 'excluded') - count(first, 'excluded'), plan.excluded);
      }),
    );
  });
});
