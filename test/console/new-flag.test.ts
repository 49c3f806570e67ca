// Keys of new flags, and what the form of one sends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyFrom, keyProblem, type KeyCase } from '../../console/flags/new-flag/flag-key.ts';
import {
  checkNewFlag,
  newDraft,
  newFlagBody,
  placeNewFlagError,
  type FlagDefaults,
} from '../../console/flags/new-flag/new-flag-draft.ts';
import { ApiError } from '../../console/api/error.ts';

const DEFAULTS: FlagDefaults = {
  tags: ['web'],
  temporary: true,
  booleanDefaults: {
    trueDisplayName: 'Yes',
    falseDisplayName: '',
    trueDescription: '',
    falseDescription: '',
    onVariation: 0,
    offVariation: 1,
  },
  defaultClientSideAvailability: { usingEnvironmentId: false, usingMobileKey: true },
};

test('a key follows the name in the case that the project wants, and passes its own check', () => {
  const cases: [KeyCase, string][] = [
    ['none', 'adas-2nd-cafe'],
    ['kebabCase', 'adas-2nd-cafe'],
    ['snakeCase', 'adas_2nd_cafe'],
    ['constantCase', 'ADAS_2ND_CAFE'],
    ['camelCase', 'adas2ndCafe'],
    ['upperCamelCase', 'Adas2ndCafe'],
  ];
  for (const [wanted, key] of cases) {
    assert.equal(keyFrom('Ada’s  2nd: Café!', { case: wanted }), key);
    assert.equal(keyProblem(`ops.${key}`, { case: wanted, prefix: 'ops.' }), undefined, wanted);
  }
  assert.equal(keyFrom('新しい'), '');
  assert.equal(keyFrom('x '.repeat(400)).length <= 100, true);
});

test('a key that the server would refuse is refused while it is typed', () => {
  for (const key of ['', '-a', 'a b', 'ä', 'a/b', 'x'.repeat(257)])
    assert.notEqual(keyProblem(key), undefined, key);
  assert.notEqual(keyProblem('newFlag', { case: 'kebabCase' }), undefined);
  assert.notEqual(keyProblem('flag', { prefix: 'web-' }), undefined);
});

test('values are sent in their type, and what is no value is said at its field', () => {
  const draft = { ...newDraft(DEFAULTS, 'me'), name: 'Limit', type: 'number' as const };
  const variations = ['12', ' ', '0x10', 'ten', '12.0'].map((value) => ({
    value,
    name: '',
    description: '',
  }));
  assert.deepEqual(Object.keys(checkNewFlag({ ...draft, variations }, undefined)), [
    'variations.1',
    'variations.3',
    'variations.4',
  ]);
  const body = newFlagBody({ ...draft, variations: [variations[0]!, variations[2]!] }, undefined);
  assert.deepEqual((body as { variations: unknown }).variations, [{ value: 12 }, { value: 16 }]);
});

test('a copy sends nothing that it takes from the other flag', () => {
  const draft = { ...newDraft(DEFAULTS, 'me'), name: 'Copy', source: 'other', tags: 'not a tag!' };
  assert.deepEqual(checkNewFlag(draft, undefined), {});
  assert.deepEqual(newFlagBody(draft, undefined), { key: 'copy', name: 'Copy', maintainerId: 'me' });
});

test('errors of the API are placed at the field that they begin with', () => {
  const errorOf = (message: string, code = 'invalid_request') =>
    placeNewFlagError(new ApiError(400, { code, message }, new Headers()));
  assert.equal(errorOf('Duplicate flag key: "a" is taken.', 'key_exists')?.[0], 'key');
  assert.equal(
    errorOf('variations.1.value must differ from that of every other variation.')?.[0],
    'variations.1',
  );
  assert.equal(errorOf('tags.0 must match pattern "x".')?.[0], 'tags');
  assert.equal(errorOf('maintainerId names no member: "0".')?.[0], 'maintainerId');
  assert.equal(errorOf('The server is full.'), undefined);
});
