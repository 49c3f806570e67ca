// Which instructions bring a flag back to an earlier version.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FlagVersion } from '../../console/flags/history/flag-version.ts';

interface RestorePlan {
  instructions: object[];
  reason?: string;
  missing?: string;
}

interface Restoring {
  neededFlags: (present: FlagVersion, earlier: FlagVersion, environment: string) => string[];
  restoreIn: (
    present: FlagVersion,
    earlier: FlagVersion,
    environment: string,
    others?: ReadonlyMap<string, string[]>,
  ) => RestorePlan;
  restoreWhole: (present: FlagVersion, versions: { earlier: FlagVersion; later: FlagVersion }) => RestorePlan;
}

/** By its address: it names files that only the console's own types fit. */
const { neededFlags, restoreIn, restoreWhole } = (await import(
  new URL('../../console/flags/history/restore.ts', import.meta.url).href
)) as Restoring;

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

test('names, tags, maintainers and properties are brought back', () => {
  const earlier = version({
    details: {
      name: 'Old',
      tags: ['y'],
      maintainerId: 'm1',
      customProperties: { jira: { name: 'Jira', value: ['1'] } },
    },
  });
  const now = version({ details: { archived: true } });
  const { instructions, missing } = restoreWhole(now, { earlier, later: now });
  assert.deepEqual(instructions, [
    { kind: 'updateName', value: 'Old' },
    { kind: 'addTags', values: ['y'] },
    { kind: 'removeTags', values: ['x'] },
    { kind: 'restoreFlag' },
    { kind: 'updateMaintainerMember', value: 'm1' },
    { kind: 'replaceCustomProperties', key: 'jira', name: 'Jira', values: ['1'] },
  ]);
  assert.equal(missing, undefined);
});

test('what others have changed besides stays as it is', () => {
  const earlier = version({ details: { name: 'Old', tags: ['x', 'y'] } });
  const later = version({ details: { name: 'New', tags: ['x', 'z'] } });
  const now = version({
    variations: ['a', 'b', 'c'],
    details: { name: 'Newest', description: 'By another', tags: ['x', 'z', 'by-another'] },
  });
  assert.deepEqual(restoreWhole(now, { earlier, later }).instructions, [
    { kind: 'updateName', value: 'Old' },
    { kind: 'addTags', values: ['y'] },
    { kind: 'removeTags', values: ['z'] },
  ]);
});

const withVariations = (variations: object[], more: Parts = {}) =>
  version({
    ...more,
    details: { variations, defaults: { onVariation: 0, offVariation: 1 }, ...more.details },
  });

test('values and names of variations are brought back', () => {
  const earlier = withVariations([
    { _id: 'a', value: 1, name: 'One' },
    { _id: 'b', value: 2 },
  ]);
  const now = withVariations([
    { _id: 'a', value: 10 },
    { _id: 'b', value: 2, name: 'Two' },
  ]);
  assert.deepEqual(restoreWhole(now, { earlier, later: now }).instructions, [
    { kind: 'updateVariation', variationId: 'a', value: 1, name: 'One' },
    { kind: 'updateVariation', variationId: 'b', name: '' },
  ]);
});

test('a variation that was removed is added, and one that was added is removed', () => {
  const earlier = withVariations([
    { _id: 'a', value: 'a' },
    { _id: 'b', value: 'b' },
    { _id: 'c', value: 'c', description: 'Third' },
  ]);
  const now = withVariations([
    { _id: 'a', value: 'a' },
    { _id: 'b', value: 'b' },
    { _id: 'd', value: 'd' },
  ]);
  const { instructions, missing } = restoreWhole(now, { earlier, later: now });
  assert.deepEqual(instructions, [
    { kind: 'addVariation', value: 'c', description: 'Third' },
    { kind: 'removeVariation', variationId: 'd' },
  ]);
  assert.equal(missing, undefined);
});

test('a variation that is served somewhere stays, and is named', () => {
  const earlier = withVariations([
    { _id: 'a', value: 'a' },
    { _id: 'b', value: 'b' },
  ]);
  const now = withVariations(
    [
      { _id: 'a', value: 'a' },
      { _id: 'b', value: 'b' },
      { _id: 'c', value: 'c', name: 'Third' },
    ],
    { config: { fallthrough: { variation: 2 } } },
  );
  const { instructions, missing, reason } = restoreWhole(now, { earlier, later: now });
  assert.deepEqual(instructions, []);
  assert.match(missing ?? '', /Third/);
  assert.equal(reason, missing);
});

test('a value that another has now is free before it is given back', () => {
  const earlier = withVariations([
    { _id: 'a', value: 1 },
    { _id: 'b', value: 2 },
  ]);
  const now = withVariations([
    { _id: 'a', value: 2 },
    { _id: 'b', value: 3 },
  ]);
  assert.deepEqual(restoreWhole(now, { earlier, later: now }).instructions, [
    { kind: 'updateVariation', variationId: 'a', value: 1 },
    { kind: 'updateVariation', variationId: 'b', value: 2 },
  ]);
  const swapped = withVariations([
    { _id: 'a', value: 2 },
    { _id: 'b', value: 1 },
  ]);
  assert.match(restoreWhole(swapped, { earlier, later: swapped }).reason ?? '', /1, 2|2, 1/);
});

test('the defaults of new environments come back before what they named is removed', () => {
  const earlier = withVariations([
    { _id: 'a', value: 'a' },
    { _id: 'b', value: 'b' },
  ]);
  const now = withVariations(
    [
      { _id: 'a', value: 'a' },
      { _id: 'b', value: 'b' },
      { _id: 'c', value: 'c' },
    ],
    { details: { defaults: { onVariation: 2, offVariation: 1 } } },
  );
  assert.deepEqual(restoreWhole(now, { earlier, later: now }).instructions, [
    { kind: 'updateDefaultVariation', onVariationValue: 'a', offVariationValue: 'b' },
    { kind: 'removeVariation', variationId: 'c' },
  ]);
});
