// Creating and changing context kinds.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  contextKindChanges,
  putKind,
  toContextKind,
  defaultUserKind,
  type ProjectContextKind,
} from './model.ts';

const org: ProjectContextKind = {
  key: 'org',
  name: 'Org',
  description: 'A firm',
  isArchived: true,
  version: 3,
  createdAt: 1,
  modifiedAt: 2,
};

describe('a new kind', () => {
  test('has but a name', () =>
    assert.deepEqual(putKind('org', undefined, { name: 'Org' }, 9), {
      ...org,
      description: '',
      isArchived: false,
      version: 1,
      createdAt: 9,
      modifiedAt: 9,
    }));

  test('begins with the version it is given', () =>
    assert.equal(putKind('org', undefined, { name: 'Org', version: 7 }, 9).version, 7));
});

describe('a kind that is there', () => {
  test('keeps what is left out', () =>
    assert.deepEqual(putKind('org', org, { name: 'Firm' }, 9), {
      ...org,
      name: 'Firm',
      version: 4,
      modifiedAt: 9,
    }));

  test('is changed by who has seen its version', () => {
    assert.equal(putKind('org', org, { name: 'Firm', version: 3 }, 9).version, 4);
    for (const version of [1, 2, 4])
      assert.throws(() => putKind('org', org, { name: 'Firm', version }, 9), { kind: 'conflict' });
  });

  test('is archived by either name', () => {
    const archivedBy = (put: object) => putKind('org', org, { name: 'Org', ...put }, 9).isArchived;
    assert.equal(archivedBy({ archived: false }), false);
    assert.equal(archivedBy({ hideInTargeting: false }), false);
    assert.equal(archivedBy({ hideInTargeting: true, archived: true }), true);
    assert.throws(() => archivedBy({ hideInTargeting: true, archived: false }), {
      message: /hideInTargeting/,
    });
  });

  test('has changed where a field of it differs', () => {
    const changed = (put: object) =>
      contextKindChanges(org, putKind('org', org, { name: 'Org', ...put }, 9)).map(({ words }) => words);
    assert.deepEqual(changed({}), []);
    assert.deepEqual(changed({ description: 'A firm', archived: true }), []);
    assert.deepEqual(changed({ name: 'Firm', description: '', archived: false }), [
      'name',
      'description',
      'archived state',
    ]);
  });
});

test('users are a kind of every project from its beginning', () => {
  const { _links, ...user } = toContextKind(defaultUserKind({ createdAt: 5 }), 'shop');
  assert.deepEqual(user, {
    key: 'user',
    name: 'User',
    description: '',
    version: 1,
    creationDate: 5,
    lastModified: 5,
    createdFrom: 'default',
    hideInTargeting: false,
    archived: false,
  });
  assert.equal(_links['self']!.href, '/api/v2/projects/shop/context-kinds/user');
});
