// The fields of flags and segments that SDKs get.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clause, Flag, FlagConfig } from '../../feature-flags/flag.ts';
import { newSegment } from '../../segments/fixture.ts';
import { toFlagData, toSegmentData } from './sdk-data.ts';

const clause: Clause = {
  _id: 'c',
  attribute: 'plan',
  op: 'in',
  values: ['gold'],
  contextKind: 'user',
  negate: true,
};
const sent = { attribute: 'plan', op: 'in', values: ['gold'], contextKind: 'user', negate: true };

const config: FlagConfig = {
  on: true,
  salt: 'salt',
  sel: 'sel',
  lastModified: 1,
  version: 3,
  targets: [],
  contextTargets: [],
  rules: [],
  fallthrough: { variation: 0 },
  prerequisites: [{ key: 'p', variation: 1 }],
  trackEvents: true,
  trackEventsFallthrough: false,
};

const flag: Omit<Flag, 'environments'> = {
  id: 'id',
  projectId: 'project',
  key: 'flag',
  name: 'Secret plans',
  description: 'of the company',
  version: 7,
  createdAt: 1,
  variations: [
    { _id: 'a', value: true, name: 'Yes' },
    { _id: 'b', value: false },
  ],
  defaults: { onVariation: 0, offVariation: 1 },
  clientSideAvailability: { usingEnvironmentId: true, usingMobileKey: false },
  includeInSnippet: true,
  temporary: true,
  tags: ['internal'],
  customProperties: {},
  archived: false,
  deprecated: false,
};

test('a flag is sent with its own version, its values, and nothing that only people read', () => {
  assert.deepEqual(toFlagData(flag, config), {
    key: 'flag',
    version: 7,
    on: true,
    prerequisites: [{ key: 'p', variation: 1 }],
    targets: [],
    contextTargets: [],
    rules: [],
    fallthrough: { variation: 0 },
    offVariation: null,
    variations: [true, false],
    clientSide: true,
    clientSideAvailability: { usingEnvironmentId: true, usingMobileKey: false },
    salt: 'salt',
    trackEvents: true,
    trackEventsFallthrough: false,
    debugEventsUntilDate: null,
    deleted: false,
  });
});

test('rules are sent by their ids, and those that are disabled are not', () => {
  const rule = { clauses: [clause], variation: 1, trackEvents: true, description: 'why', ref: 'r' };
  const { rules } = toFlagData(flag, {
    ...config,
    rules: [
      { ...rule, _id: 'off', disabled: true },
      { ...rule, _id: 'on', disabled: false },
    ],
  });
  assert.deepEqual(rules, [{ id: 'on', clauses: [sent], variation: 1, trackEvents: true }]);
});

test('a rollout is sent as SDKs spell it', () => {
  const variations = [
    { variation: 0, weight: 1, _untracked: true },
    { variation: 1, weight: 99_999, _untracked: false },
  ];
  const rollout = { variations, bucketBy: 'plan', contextKind: 'org', seed: 3 };
  assert.deepEqual(toFlagData(flag, { ...config, fallthrough: { rollout } }).fallthrough, {
    rollout: {
      kind: 'rollout',
      variations: [
        { variation: 0, weight: 1, untracked: true },
        { variation: 1, weight: 99_999 },
      ],
      bucketBy: 'plan',
      contextKind: 'org',
      seed: 3,
    },
  });
});

test('a migration says how often to compare', () => {
  const migrating = { ...config, migrationSettings: { checkRatio: 2 } };
  assert.deepEqual(toFlagData({ ...flag, purpose: 'migration' }, migrating).migration, { checkRatio: 2 });
});

test('a segment is sent with its lists and rules', () => {
  const rules = [
    {
      _id: 'r',
      clauses: [clause],
      weight: 5,
      bucketBy: 'plan',
      rolloutContextKind: 'org',
      description: 'why',
    },
  ];
  const includedContexts = [{ contextKind: 'org', values: ['o'] }];
  assert.deepEqual(toSegmentData(newSegment({ included: ['u'], includedContexts, rules, version: 4 })), {
    key: 'beta',
    version: 4,
    included: ['u'],
    excluded: [],
    includedContexts,
    excludedContexts: [],
    salt: 'salt',
    rules: [{ id: 'r', clauses: [sent], weight: 5, bucketBy: 'plan', rolloutContextKind: 'org' }],
    unbounded: false,
    deleted: false,
  });
});

test('a big segment says so, and of which kind and generation it is', () => {
  const { unbounded, unboundedContextKind, generation } = toSegmentData(
    newSegment({ unbounded: true, unboundedContextKind: 'org', generation: 2 }),
  );
  assert.deepEqual([unbounded, unboundedContextKind, generation], [true, 'org', 2]);
});
