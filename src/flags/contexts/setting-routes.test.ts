// The instructions for a setting.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Flag, FlagConfig, Json } from '../feature-flags/flag.ts';
import { instructionsFor } from './setting-routes.ts';

const values: Json[] = [true, { color: 'red', sizes: [1, 2] }, null, 'false'];

/** Variation `v0` has the first of the values, and so on. Ada gets the first, the organisation acme the second. */
const flag = {
  variations: values.map((value, index) => ({ _id: `v${index}`, value })),
  environments: {
    test: {
      targets: [{ contextKind: 'user', variation: 0, values: ['ada'] }],
      contextTargets: [
        { contextKind: 'user', variation: 0, values: [] },
        { contextKind: 'org', variation: 1, values: ['acme'] },
      ],
    } as Partial<FlagConfig>,
  },
} as unknown as Flag;

const instructed = (setting: unknown, contextKind: string, contextKey: string) =>
  instructionsFor(flag, setting, { environmentKey: 'test', contextKind, contextKey }).map(
    ({ kind, variationId, contextKind: of, values: keys }) => [kind, variationId, of, ...keys].join(' '),
  );

test('who is not targeted yet is added', () => {
  assert.deepEqual(instructed(true, 'user', 'bob'), ['addTargets v0 user bob']);
  assert.deepEqual(instructed('false', 'org', 'ada'), ['addTargets v3 org ada']);
});

test('who is targeted at another variation moves', () =>
  assert.deepEqual(instructed(true, 'org', 'acme'), ['removeTargets v1 org acme', 'addTargets v0 org acme']));

test('a value is compared whole, whatever the order of its members', () => {
  assert.deepEqual(instructed({ sizes: [1, 2], color: 'red' }, 'org', 'acme'), []);
  assert.deepEqual(instructed({ sizes: [1, 2], color: 'red' }, 'user', 'bob'), ['addTargets v1 user bob']);
});

test('null and nothing erase, even where null is a value', () => {
  for (const setting of [null, undefined]) {
    assert.deepEqual(instructed(setting, 'user', 'ada'), ['removeTargets v0 user ada']);
    assert.deepEqual(instructed(setting, 'user', 'acme'), []);
  }
});

test('what no variation has is refused by its name', () => {
  for (const setting of [false, 1, '', 'true', [], {}, { color: 'red' }])
    assert.throws(() => instructed(setting, 'user', 'ada'), { kind: 'invalid', message: /^setting / });
});
