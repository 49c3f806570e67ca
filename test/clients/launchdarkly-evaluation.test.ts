// Compares the evaluation of random flags with that of the official SDK.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { init, type LDClient } from '@launchdarkly/node-server-sdk';
import { TestData } from '@launchdarkly/node-server-sdk/integrations';
import fc from 'fast-check';
import type { ClauseData, FlagData, SegmentData } from '../../src/flags/evaluation/data.ts';
import { newClause, newFlagData, newRun, newSegmentData } from '../../src/flags/evaluation/fixture.ts';

const data = new TestData();
let client: LDClient;
before(async () => {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  client = init('sdk-key', { updateProcessor: data.getFactory(), sendEvents: false, logger: quiet });
  await client.waitForInitialization({ timeout: 10 });
});
after(() => client.close());

/** The value, variation and reason of each flag by the SDK. */
async function compare(given: object, flags: readonly FlagData[], segments: readonly SegmentData[] = []) {
  for (const segment of segments) await data.usePreconfiguredSegment(structuredClone(segment));
  for (const flag of flags) await data.usePreconfiguredFlag(structuredClone(flag));
  const run = newRun(given, flags, segments);
  for (const { key } of flags) {
    const theirs = await client.variationDetail(key, given as never, null);
    const { value, variationIndex = null, reason } = run.environment.flags.get(key)!.evaluate(run);
    const ours = { value, variationIndex, reason };
    const detail = {
      value: theirs.value as unknown,
      variationIndex: theirs.variationIndex ?? null,
      reason: theirs.reason,
    };
    assert.deepEqual(ours, detail, JSON.stringify({ given, flags, segments }));
  }
}

const rule = (clauses: ClauseData[], members: object = { variation: 1 }) => ({
  id: 'rule',
  clauses,
  trackEvents: false,
  ...members,
});

const inSegment = (key: string) => newClause({ attribute: '', op: 'segmentMatch', values: [key] });

test('a context that does not say so is not anonymous', async () => {
  const isAnonymous = (value: boolean, negate: boolean, kind: string) =>
    newFlagData({
      key: `anonymous-${value}-${negate}-${kind}`,
      rules: [rule([newClause({ attribute: 'anonymous', values: [value], negate, contextKind: kind })])],
    });
  const flags = [true, false].flatMap((value) =>
    [true, false].flatMap((negate) => ['user', 'org'].map((kind) => isAnonymous(value, negate, kind))),
  );
  const contexts = [
    { kind: 'user', key: 'u' },
    { kind: 'user', key: 'u', anonymous: true },
    { kind: 'org', key: 'o', anonymous: false },
    { kind: 'multi', user: { key: 'u' }, org: { key: 'o', anonymous: true } },
    { key: 'u' },
    { key: 'u', anonymous: true },
    { key: 'u', custom: { anonymous: 'yes' } },
  ];
  for (const context of contexts) await compare(context, flags);
});

test('a seed of 0 is none', async () => {
  const variations = [0, 1, 2].map((variation) => ({ variation, weight: variation === 2 ? 33_334 : 33_333 }));
  const flags = [undefined, 0, 1, 61, -1].map((seed, index) =>
    newFlagData({
      key: `seed-${index}`,
      salt: 'salty',
      fallthrough: { rollout: { variations, ...(seed !== undefined && { seed }) } },
    }),
  );
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) await compare({ kind: 'user', key }, flags);
});

test('a segment that names itself makes the flag malformed, unless it decides before', async () => {
  const flag = newFlagData({ key: 'by-segment', rules: [rule([inSegment('self')])] });
  const naming = (members: Partial<SegmentData>, key = 'self', named = key) =>
    newSegmentData({ key, rules: [{ id: 'r', clauses: [inSegment(named)] }], ...members });
  const user = { kind: 'user', key: 'u' };
  await compare(user, [flag], [naming({})]);
  await compare(user, [flag], [naming({ included: ['u'] })]);
  await compare(user, [flag], [naming({ excluded: ['u'] })]);
  await compare(user, [flag], [naming({}, 'self', 'other'), naming({}, 'other', 'self')]);
  const [yes, no] = ['u', 'v'].map((key) => newClause({ values: [key] }));
  for (const clauses of [
    [inSegment('self'), yes!],
    [inSegment('self'), no!],
    [yes!, inSegment('self')],
  ]) {
    await compare(user, [flag], [naming({ rules: [{ id: 'r', clauses }] })]);
    await compare(user, [newFlagData({ key: 'by-both', rules: [rule(clauses)] })], [naming({})]);
  }
});

const kinds = fc.constantFrom('user', 'org');
const words = fc.constantFrom(
  'a',
  'b',
  'ab',
  'B',
  '1.2.0',
  '2.0',
  '2026-01-01T00:00:00Z',
  '^a',
  'a|b$',
  '(',
  'c',
);
const scalars = fc.oneof(words, fc.constantFrom(0, 1, 2.5, -1, true, false, 1_767_225_600_001));
const attributes = fc.constantFrom(
  'key',
  'name',
  'plan',
  '/plan',
  '/deep/in',
  'kind',
  'anonymous',
  'list',
  '/',
  'none',
);
const OPERATORS =
  'in startsWith endsWith contains matches lessThan lessThanOrEqual greaterThan greaterThanOrEqual before after ' +
  'semVerEqual semVerLessThan semVerGreaterThan unknown';
const operators = fc.constantFrom(...OPERATORS.split(' '));
const clause = fc
  .record({
    attribute: attributes,
    op: operators,
    values: fc.array(scalars, { maxLength: 4 }),
    negate: fc.boolean(),
    contextKind: kinds,
  })
  .map((members) => members as ClauseData);
/** Segments refer to themselves or to later ones. */
const clausesFrom = (first: number) =>
  fc.array(fc.oneof(clause, fc.constantFrom(...['s0', 's1', 's2', 'none'].slice(first)).map(inSegment)), {
    maxLength: 3,
  });
const weights = fc
  .constantFrom([50_000, 50_000], [1, 99_999], [30_000, 70_000])
  .map((pair) => pair.map((weight, variation) => ({ variation, weight })));
const serve = fc.oneof(
  fc.integer({ min: 0, max: 3 }).map((variation) => ({ variation })),
  fc
    .record({
      variations: weights,
      kind: fc.constantFrom('rollout', 'experiment'),
      bucketBy: fc.constantFrom('key', 'plan', '/deep/in', 'none'),
      seed: fc.constantFrom(0, 1, 61),
      contextKind: kinds,
    })
    .map((rollout) => ({ rollout: rollout as NonNullable<FlagData['fallthrough']['rollout']> })),
);
const part = fc.record(
  {
    key: fc.constantFrom('a', 'b', 'c'),
    name: words,
    plan: scalars,
    anonymous: fc.boolean(),
    deep: fc.record({ in: scalars }),
    list: fc.array(scalars, { maxLength: 3 }),
  },
  { requiredKeys: ['key'] },
);
const context = fc.oneof(
  fc.tuple(kinds, part).map(([kind, members]) => ({ kind, ...members })),
  fc.tuple(part, part).map(([user, org]) => ({ kind: 'multi', user, org })),
);
const keys = fc.subarray(['a', 'b', 'c']);
const flag = (index: number) =>
  fc
    .record({
      on: fc.boolean(),
      offVariation: fc.constantFrom(null, 0, 2, 3),
      prerequisites: fc.array(
        fc.record({ key: fc.constantFrom(`f${index + 1}`, `f${index + 2}`, 'none'), variation: fc.nat(2) }),
        { maxLength: 2 },
      ),
      targets: fc.array(fc.record({ values: keys, variation: fc.nat(2) }), { maxLength: 2 }),
      contextTargets: fc.array(fc.record({ values: keys, variation: fc.nat(2), contextKind: kinds }), {
        maxLength: 2,
      }),
      rules: fc.array(
        fc.tuple(clausesFrom(0), serve).map(([clauses, served]) => rule(clauses, served)),
        { maxLength: 3 },
      ),
      fallthrough: serve,
    })
    .map((members) => newFlagData({ ...members, key: `f${index}` }));
const segment = (index: number) =>
  fc
    .record({
      included: keys,
      excluded: keys,
      includedContexts: fc.array(fc.record({ contextKind: kinds, values: keys }), { maxLength: 1 }),
      rules: fc.array(
        fc
          .tuple(
            clausesFrom(index),
            fc.constantFrom({}, { weight: 50_000 }, { weight: 50_000, bucketBy: 'plan' }),
          )
          .map(([clauses, members]) => ({ id: 'r', clauses, ...members })),
        { maxLength: 2 },
      ),
    })
    .map((members) => newSegmentData({ ...members, key: `s${index}` }));

test('flags and segments of every shape come to the same', async () => {
  const flags = fc.tuple(flag(0), flag(1), flag(2));
  const segments = fc.tuple(segment(0), segment(1), segment(2));
  await fc.assert(
    fc.asyncProperty(context, flags, segments, (given, someFlags, someSegments) =>
      compare(given, someFlags, someSegments),
    ),
    { numRuns: 400 },
  );
});
