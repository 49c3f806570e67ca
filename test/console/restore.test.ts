// Which instructions bring a flag back to an earlier version.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FlagVersion } from '../../console/flags/history/flag-version.ts';
import { neededFlags, restoreIn, restoreWhole } from '../../console/flags/history/restore.ts';

interface Parts {
  variations?: string[];
  config?: Record<string, unknown>;
  details?: Record<string, unknown>;
}

function version({ variations = ['a', 'b'], config = {}, details = {} }: Parts = {}): FlagVersion {
  return {
    _version: 1,
    name: 'Banner',
    description: '',
    tags: ['x'],
    temporary: true,
    archived: false,
    deprecated: false,
    clientSideAvailability: { usingEnvironmentId: false, usingMobileKey: true },
    customProperties: {},
    variations: variations.map((_id) => ({ _id, value: _id })),
    environments: {
      test: {
        on: true,
        targets: [],
        contextTargets: [],
        rules: [],
        fallthrough: { variation: 0 },
        offVariation: 1,
        prerequisites: [],
        trackEvents: false,
        trackEventsFallthrough: false,
        ...config,
      },
    },
    ...details,
  };
}

test('the switch and the default rule are brought back', () => {
  const now = version({ config: { on: false, fallthrough: { variation: 1 } } });
  assert.deepEqual(restoreIn(now, version(), 'test').instructions, [
    { kind: 'turnFlagOn' },
    { kind: 'updateFallthroughVariationOrRollout', variationId: 'a' },
  ]);
});

test('what is already as it was is said to be so', () => {
  const { instructions, reason } = restoreIn(version(), version(), 'test');
  assert.deepEqual(instructions, []);
  assert.match(reason ?? '', /already/);
  assert.match(restoreIn(version(), version(), 'gone').reason ?? '', /no longer there/);
});

test('variations are found by their ids where their order is another one now', () => {
  const now = version({ variations: ['b', 'a'], config: { fallthrough: { variation: 0 }, offVariation: 0 } });
  assert.deepEqual(restoreIn(now, version(), 'test').instructions, [
    { kind: 'updateFallthroughVariationOrRollout', variationId: 'a' },
  ]);
});

test('a variation that is gone and was served cannot be brought back', () => {
  const now = version({ variations: ['b', 'c'], config: { fallthrough: { variation: 0 }, offVariation: 0 } });
  const { instructions, reason } = restoreIn(now, version(), 'test');
  assert.deepEqual(instructions, []);
  assert.match(reason ?? '', /gone/);
});

test('a prerequisite comes back with the id of its variation', () => {
  const earlier = version({ config: { prerequisites: [{ key: 'other', variation: 1 }] } });
  assert.deepEqual(neededFlags(version(), earlier, 'test'), ['other']);
  assert.deepEqual(neededFlags(earlier, earlier, 'test'), []);
  const { instructions } = restoreIn(version(), earlier, 'test', new Map([['other', ['o1', 'o2']]]));
  assert.deepEqual(instructions, [{ kind: 'addPrerequisite', key: 'other', variationId: 'o2' }]);
});

test('names, tags, maintainers and properties are brought back, and variations are not', () => {
  const earlier = version({
    details: {
      name: 'Old',
      tags: ['y'],
      maintainerId: 'm1',
      customProperties: { jira: { name: 'Jira', value: ['1'] } },
    },
  });
  const now = version({ variations: ['a', 'b', 'c'], details: { archived: true } });
  const { instructions, missing } = restoreWhole(now, earlier);
  assert.deepEqual(instructions, [
    { kind: 'updateName', value: 'Old' },
    { kind: 'addTags', values: ['y'] },
    { kind: 'removeTags', values: ['x'] },
    { kind: 'restoreFlag' },
    { kind: 'updateMaintainerMember', value: 'm1' },
    { kind: 'replaceCustomProperties', key: 'jira', name: 'Jira', values: ['1'] },
  ]);
  assert.match(missing ?? '', /Variations/);
});
