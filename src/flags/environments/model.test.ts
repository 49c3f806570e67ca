// The representation of environments, and the rules for creating and patching them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fieldAccesses } from '../projects/field-changes.ts';
import { readProjectPost } from '../projects/model.ts';
import type { Environment, Project } from '../projects/project.ts';
import { defaultApprovalSettings } from './approval-settings.ts';
import { patchEnvironment, readEnvironmentPost, toEnvironment, maskKeysIn } from './model.ts';

const NOW = 1_800_000_000_000;
const project: Project = {
  ...readProjectPost({ key: 'shop', name: 'Shop' }),
  id: 'p',
  version: 1,
  createdAt: NOW,
};
const SDK_KEY = 'sdk-0b7e8c1e-5f0e-4d9a-9a53-2f9d3c0a1234';
const MOBILE_KEY = 'mob-5f0e8c1e-0b7e-4d9a-9a53-2f9d3c0a5678';
const environment: Environment = {
  ...readEnvironmentPost({ key: 'test', name: 'Test', color: 'aabbcc' }, 'p'),
  id: 'e',
  sdkKey: SDK_KEY,
  mobileKey: MOBILE_KEY,
  clientId: 'c',
  version: 1,
  createdAt: NOW,
};

const set = (path: string, value: unknown) => ({ op: 'replace', path, value });
const unset = (path: string) => ({ op: 'remove', path });
const patch = (...operations: unknown[]) =>
  patchEnvironment(project, environment, { kind: 'json', operations }, true);
const actionsOf = (...operations: unknown[]) =>
  fieldAccesses(patch(...operations).changes, '').map(({ action }) => action);

describe('keys', () => {
  test('are shown whole, or only their last four characters', () => {
    assert.equal(toEnvironment(project, environment, true).apiKey, SDK_KEY);
    const { apiKey, mobileKey } = toEnvironment(project, environment, false);
    assert.match(apiKey, /^\*{36}1234$/);
    assert.match(mobileKey, /^\*{36}5678$/);
  });

  test('a patch by one who may not see them neither copies nor finds them out', () => {
    const blind = (...operations: unknown[]) =>
      patchEnvironment(project, environment, { kind: 'json', operations }, false);
    assert.match(blind({ op: 'copy', from: '/apiKey', path: '/name' }).after.name, /^\*+1234$/);
    assert.throws(() => blind({ op: 'test', path: '/apiKey', value: SDK_KEY }), { kind: 'conflict' });
    assert.equal(blind(set('/name', 'New')).after.sdkKey, SDK_KEY);
  });

  test('cannot be changed by a patch', () => {
    for (const path of ['/apiKey', '/mobileKey', '/key', '/_id', '/_version']) {
      assert.throws(() => patch(set(path, 'sdk-mine')), { kind: 'invalid' }, path);
    }
  });

  test('do not stand in what is kept of a patch', () => {
    const update = { patch: [{ op: 'test', path: '/apiKey', value: SDK_KEY }, set('/name', MOBILE_KEY)] };
    const kept = JSON.stringify(maskKeysIn(update, environment));
    assert.ok(!kept.includes(SDK_KEY) && !kept.includes(MOBILE_KEY));
    assert.match(kept, /\*1234".*\*5678"/);
  });
});

describe('patching one', () => {
  test('each field takes its own permission, and no other', () => {
    for (const [path, value, action] of [
      ['/name', 'New', 'updateName'],
      ['/color', 'fff', 'updateColor'],
      ['/defaultTtl', 5, 'updateTtl'],
      ['/secureMode', true, 'updateSecureMode'],
      ['/defaultTrackEvents', true, 'updateDefaultTrackEvents'],
      ['/requireComments', true, 'updateRequireComments'],
      ['/confirmChanges', true, 'updateConfirmChanges'],
      ['/critical', true, 'updateCritical'],
      ['/tags', ['a'], 'updateTags'],
      ['/approvalSettings/required', true, 'updateApprovalSettings'],
      ['/approvalSettings/serviceConfig', { column: 'x' }, 'updateApprovalSettings'],
      ['/resourceApprovalSettings/segment/minNumApprovals', 2, 'updateApprovalSettings'],
    ] as const) {
      assert.deepEqual(actionsOf(set(path, value)), [action], path);
    }
  });

  test('an unset member may be removed or replaced, at any depth', () => {
    assert.deepEqual(
      actionsOf(
        unset('/approvalSettings/required'),
        unset('/approvalSettings/requiredApprovalTags'),
        unset('/resourceApprovalSettings'),
        unset('/resourceApprovalSettings/segment/required'),
        unset('/tags'),
      ),
      [],
    );
    const { after } = patch(set('/resourceApprovalSettings/segment/required', true));
    assert.deepEqual(after.resourceApprovalSettings, {
      segment: { ...defaultApprovalSettings(), required: true },
    });
  });

  test('what is removed is as usual again', () => {
    const { after } = patch(set('/approvalSettings/minNumApprovals', 3), set('/defaultTtl', 7));
    const operations = [unset('/approvalSettings'), unset('/defaultTtl')];
    const back = patchEnvironment(project, after, { kind: 'json', operations }, true);
    assert.deepEqual(back.after, environment);
  });

  test('approvals are required for all or by tags, not both', () => {
    const tags = set('/approvalSettings/requiredApprovalTags', ['core']);
    const all = set('/approvalSettings/required', true);
    assert.deepEqual(patch(tags).after.approvalSettings.requiredApprovalTags, ['core']);
    assert.throws(() => patch(tags, all), /approvalSettings\.required/);
    for (const place of ['/approvalSettings', '/resourceApprovalSettings/segment']) {
      const both = [set(`${place}/required`, true), set(`${place}/requiredApprovalTags`, ['a'])];
      assert.throws(() => patch(...both), { kind: 'invalid' }, place);
    }
    const byTags = patch(tags).after;
    const operations = [all, unset('/approvalSettings/requiredApprovalTags')];
    const { after } = patchEnvironment(project, byTags, { kind: 'json', operations }, true);
    assert.equal(after.approvalSettings.required, true);
  });

  test('values that make no sense are refused', () => {
    for (const [path, value] of [
      ['/name', ''],
      ['/color', '#aabbcc'],
      ['/color', 'red'],
      ['/defaultTtl', -1],
      ['/defaultTtl', 61],
      ['/defaultTtl', 1.5],
      ['/secureMode', 'yes'],
      ['/tags', ['no spaces']],
      ['/approvalSettings', null],
      ['/approvalSettings/minNumApprovals', 0],
      ['/approvalSettings/minNumApprovals', 6],
      ['/approvalSettings/serviceKind', 'elsewhere'],
      ['/approvalSettings/serviceConfig', 'x'],
      ['/resourceApprovalSettings/segment', []],
    ] as const) {
      assert.throws(() => patch(set(path, value)), { kind: 'invalid' }, path);
    }
    for (const path of ['/approvalSettings/other', '/other']) {
      assert.throws(() => patch({ op: 'add', path, value: true }), { kind: 'invalid' }, path);
    }
    for (const path of ['/resourceApprovalSettings/other/required', '/resourceApprovalSettings/other']) {
      assert.throws(() => patch(set(path, true)), path);
    }
  });
});
