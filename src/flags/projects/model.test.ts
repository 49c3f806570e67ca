// The representation of projects and flag defaults, and the rules for creating and patching them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fieldAccesses, describeFieldChanges } from './field-changes.ts';
import { patchFlagDefaults, standardFlagDefaults } from './flag-defaults.ts';
import { patchProject, readProjectPost, toProject } from './model.ts';
import type { Project } from './project.ts';

const project: Project = {
  ...readProjectPost({ key: 'shop', name: 'Shop', tags: ['b', 'a', 'b'] }),
  id: '0123456789abcdef01234567',
  version: 3,
  createdAt: 1_800_000_000_000,
};

const set = (path: string, value: unknown) => ({ op: 'replace', path, value });
const patch = (...operations: unknown[]) => patchProject(project, { kind: 'json', operations });
const actionsOf = (...operations: unknown[]) =>
  fieldAccesses(patch(...operations).changes, 'proj/shop').map(({ action }) => action);

describe('a new project', () => {
  test('has its tags once and sorted, and gives flags to mobile apps alone', () => {
    assert.deepEqual(project.tags, ['a', 'b']);
    assert.equal(project.includeInSnippetByDefault, false);
    assert.deepEqual(project.defaultClientSideAvailability, {
      usingEnvironmentId: false,
      usingMobileKey: true,
    });
    assert.deepEqual(project.flagDefaults, standardFlagDefaults());
  });

  test('the default availability is the same under both of its names', () => {
    const old = readProjectPost({ key: 'a', name: 'A', includeInSnippetByDefault: true });
    assert.equal(old.defaultClientSideAvailability.usingEnvironmentId, true);
    const availability = { usingEnvironmentId: true, usingMobileKey: false };
    const made = readProjectPost({ key: 'a', name: 'A', defaultClientSideAvailability: availability });
    assert.equal(made.includeInSnippetByDefault, true);
  });
});

describe('patching one', () => {
  test('each field takes its own permission, and no other', () => {
    const availability = { usingEnvironmentId: true, usingMobileKey: true };
    for (const [operation, action] of [
      [set('/name', 'New'), 'updateProjectName'],
      [set('/tags', ['c']), 'updateTags'],
      [set('/includeInSnippetByDefault', true), 'updateIncludeInSnippetByDefault'],
      [set('/defaultClientSideAvailability', availability), 'updateDefaultClientSideAvailability'],
      [set('/defaultClientSideAvailability/usingMobileKey', false), 'updateDefaultClientSideAvailability'],
      [set('/namingConvention/prefix', 'x-'), 'updateProjectFlagDefaults'],
    ] as const) {
      assert.deepEqual(actionsOf(operation), [action], operation.path);
    }
    assert.deepEqual(actionsOf(set('/name', 'New'), set('/tags', [])), ['updateProjectName', 'updateTags']);
  });

  test('what stays as it was changes nothing', () => {
    assert.deepEqual(actionsOf(set('/name', 'Shop'), set('/tags', ['b', 'a'])), []);
    assert.deepEqual(actionsOf({ op: 'remove', path: '/namingConvention' }), []);
    assert.deepEqual(patch().after, project);
  });

  test('both names of the default availability follow each other', () => {
    const { after } = patch(set('/includeInSnippetByDefault', true));
    assert.equal(after.defaultClientSideAvailability.usingEnvironmentId, true);
    const back = patchProject(after, {
      kind: 'json',
      operations: [set('/defaultClientSideAvailability/usingEnvironmentId', false)],
    });
    assert.equal(back.after.includeInSnippetByDefault, false);
  });

  test('key, id and version cannot be changed', () => {
    for (const path of ['/key', '/_id', '/_version', '/_links/self/href', '/environments', '/other']) {
      assert.throws(() => patch({ op: 'add', path, value: 'x' }), { kind: 'invalid' }, path);
    }
  });

  test('what it tells is what changed, with Markdown as text', () => {
    const { changes } = patch(set('/name', 'a `b` [c](d)'), set('/tags', []));
    assert.deepEqual(describeFieldChanges(changes, 'project'), {
      verb: 'updated the project',
      description: "- Changed the name from `Shop` to `a 'b' [c](d)`\n- Changed the tags from `a, b` to none",
    });
    assert.equal(
      describeFieldChanges(changes.slice(0, 1), 'project').verb,
      'changed the name of the project',
    );
  });

  test('the whole thing may be sent back', () => {
    const value = { ...toProject(project), name: 'back' };
    assert.equal(patch({ op: 'replace', path: '', value }).after.name, 'back');
  });
});

describe('patching the flag defaults', () => {
  test('a merge patch changes what it names, and null makes it as usual again', () => {
    const merge = (from: Project, fields: Record<string, unknown>) =>
      patchFlagDefaults(from, { kind: 'merge', fields });
    const { after } = merge(project, { temporary: false, booleanDefaults: { trueDisplayName: 'Yes' } });
    assert.deepEqual(after.flagDefaults, {
      tags: [],
      temporary: false,
      booleanDefaults: { ...standardFlagDefaults().booleanDefaults, trueDisplayName: 'Yes' },
    });
    assert.deepEqual(merge(after, { temporary: null, booleanDefaults: null }).after, project);
  });

  test('availability takes its own permission', () => {
    const { changes } = patchFlagDefaults(project, {
      kind: 'json',
      operations: [set('/temporary', false), set('/defaultClientSideAvailability/usingMobileKey', false)],
    });
    assert.deepEqual(
      fieldAccesses(changes, 'proj/shop').map(({ action }) => action),
      ['updateProjectFlagDefaults', 'updateDefaultClientSideAvailability'],
    );
  });

  test('unknown members and variations that there are not are refused', () => {
    for (const operation of [
      set('/booleanDefaults/onVariation', 2),
      { op: 'add', path: '/booleanDefaults/other', value: 1 },
      { op: 'add', path: '/other', value: 1 },
      set('/key', 'x'),
    ]) {
      const operations = [operation];
      assert.throws(() => patchFlagDefaults(project, { kind: 'json', operations }), { kind: 'invalid' });
    }
  });
});
