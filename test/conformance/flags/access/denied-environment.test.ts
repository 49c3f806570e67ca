// Callers who are denied an environment, on a running server with each engine: they change nothing there by what a flag has in common everywhere.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { PolicyStatement } from '../../../../src/kernel/identity/policy.ts';
import { onEachEngine } from '../../../engines.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import {
  expect,
  giveMember,
  MINUTE,
  ON,
  openFlagProject,
  SEMANTIC,
  type FlagProject,
} from '../control-calls.ts';

const ALLOW: PolicyStatement = { effect: 'allow', actions: ['*'], resources: ['*'] };
const DENY: PolicyStatement = {
  effect: 'deny',
  actions: ['*'],
  resources: ['proj/*:env/production:flag/*'],
};

onEachEngine((engine) => {
  let server: TestServer;
  let setup: FlagProject;
  let denied: string;
  let sdkKey: string;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    denied = await tokenOf([ALLOW, DENY]);
  });
  after(() => server.stop());
  beforeEach(async () => {
    setup = await openFlagProject(server);
    const at = `projects/${setup.project}/environments/production`;
    sdkKey = (await expect(200, setup.call(at))).json['apiKey'] as string;
  });

  const tokenOf = async (inlinePolicy: PolicyStatement[]) =>
    (await giveMember(server, { inlinePolicy }, 'admin')).token;
  const flagPath = () => `flags/${setup.project}/banner`;
  const patch = (body: unknown, token = denied, headers?: Record<string, string>) =>
    setup.call(flagPath(), { method: 'PATCH', token, body, ...(headers && { headers }) });
  const instruct = (instruction: object, token = denied) =>
    patch({ environmentKey: 'test', instructions: [instruction] }, token, SEMANTIC);
  /** What SDKs of production get, but for the version, which every change raises. */
  const delivered = async () => {
    const { json } = await server.call('/sdk/latest-all', { token: sdkKey });
    const flags = Object.entries(json['flags'] as Record<string, Json>);
    return flags.map(([key, flag]) => [key, { ...flag, version: 0 }]);
  };
  function assertDenied({ status, json }: Answer, action: string, what: string): void {
    assert.equal(status, 401, what);
    assert.match(String(json['message']), /in Production/, what);
    assert.equal(json['access'].action, action, what);
    assert.match(json['access'].resource as string, /:env\/production:flag\//, what);
  }

  test('F35 what is delivered everywhere is not changed by any kind of patch', async () => {
    const [first, second] = (await setup.readFlag())['variations'] as Json[];
    const available = { usingEnvironmentId: true, usingMobileKey: true };
    const [clients, variations, archived] = [
      'updateClientSideFlagAvailability',
      'updateFlagVariations',
      'updateGlobalArchived',
    ];
    const third = { value: 'third' };
    const tries: [action: string, call: () => Promise<Answer>][] = [
      [clients, () => patch([{ op: 'replace', path: '/clientSideAvailability', value: available }])],
      [
        clients,
        () => patch([{ op: 'replace', path: '/clientSideAvailability/usingMobileKey', value: false }]),
      ],
      [clients, () => patch([{ op: 'replace', path: '/includeInSnippet', value: true }])],
      [clients, () => patch({ clientSideAvailability: available })],
      [clients, () => patch({ comment: 'why', merge: { includeInSnippet: true } })],
      [clients, () => instruct({ kind: 'turnOnClientSideAvailability', value: 'usingEnvironmentId' })],
      [clients, () => instruct({ kind: 'turnOffClientSideAvailability', value: 'usingMobileKey' })],
      [variations, () => patch([{ op: 'replace', path: '/variations/0/value', value: 'other' }])],
      [variations, () => patch([{ op: 'add', path: '/variations/-', value: third }])],
      [variations, () => patch([{ op: 'add', path: '/variations/0', value: third }])],
      [variations, () => patch({ variations: [first, second, third] })],
      [variations, () => instruct({ kind: 'addVariation', value: 'third' })],
      [
        variations,
        () => instruct({ kind: 'updateVariation', variationId: first!['_id'] as string, value: 'other' }),
      ],
      [archived, () => patch([{ op: 'replace', path: '/archived', value: true }])],
      [archived, () => patch({ archived: true })],
      [archived, () => instruct({ kind: 'archiveFlag' })],
      ['deleteFlag', () => instruct({ kind: 'deleteFlag' })],
      ['deleteFlag', () => setup.call(flagPath(), { method: 'DELETE', token: denied })],
    ];
    const original = await delivered();
    for (const [index, [action, call]] of tries.entries()) {
      const answer = await call();
      const what = `${index}: ${action}`;
      if (what !== '9: updateFlagVariations') assertDenied(answer, action, what);
      // Variations in use do not move, whoever asks.
      else assert.equal(answer.status, 400, answer.text);
    }
    assert.deepEqual(await delivered(), original);
    assert.equal((await setup.readFlag())['version'], 1);
  });

  test('F35 a variation that nobody uses is not removed, and an archived flag not restored', async () => {
    const added = { kind: 'addVariation', value: 'third' };
    const { json } = await expect(200, setup.patchFlag([added]));
    const [, , third] = json['variations'] as Json[];
    const original = await delivered();
    const remove = { kind: 'removeVariation', variationId: third!['_id'] as string };
    assertDenied(await instruct(remove), 'updateFlagVariations', 'by an instruction');
    const removed = await patch([{ op: 'remove', path: '/variations/2' }]);
    assertDenied(removed, 'updateFlagVariations', 'by a JSON patch');
    assert.deepEqual(await delivered(), original);
    await expect(200, setup.patchFlag([{ kind: 'archiveFlag' }]));
    assertDenied(await instruct({ kind: 'restoreFlag' }), 'updateGlobalArchived', 'by an instruction');
    assertDenied(await patch({ archived: false }), 'updateGlobalArchived', 'by a merge patch');
    assert.deepEqual(await delivered(), []);
  });

  test('F35 what is not delivered is changed, and the other environments too', async () => {
    const original = await delivered();
    const { member } = await giveMember(server);
    const fields = {
      name: 'Renamed',
      description: 'Why',
      tags: ['new'],
      temporary: false,
      deprecated: true,
      maintainerId: member.id,
      customProperties: { team: { name: 'Team', value: ['web'] } },
      defaults: { onVariation: 1, offVariation: 0 },
    };
    for (const [name, value] of Object.entries(fields)) {
      const { json } = await expect(200, patch([{ op: 'replace', path: `/${name}`, value }]));
      assert.deepEqual(json[name], value, name);
    }
    await expect(200, patch([{ op: 'add', path: '/variations/0/name', value: 'Yes' }]));
    await expect(200, instruct({ kind: 'updateName', value: 'Again' }));
    await expect(200, instruct(ON));
    assert.deepEqual([await setup.isOn('test'), await setup.isOn('production')], [true, false]);
    assert.deepEqual(await delivered(), original);
  });

  test('F35 no planned change does it either', async () => {
    const client = { kind: 'turnOnClientSideAvailability', value: 'usingEnvironmentId' };
    const executionDate = server.clock.now() + MINUTE;
    const scheduled = await setup.call(`${setup.place}/scheduled-changes`, {
      method: 'POST',
      token: denied,
      body: { executionDate, instructions: [client] },
    });
    assertDenied(scheduled, 'updateClientSideFlagAvailability', 'a scheduled change');
    const requests = `${setup.place}/approval-requests`;
    const body = { description: 'please', instructions: [{ kind: 'archiveFlag' }] };
    const refused = await setup.call(requests, { method: 'POST', token: denied, body });
    assertDenied(refused, 'updateGlobalArchived', 'a request');
    const token = await tokenOf([ALLOW]);
    const asked = await expect(201, setup.call(requests, { method: 'POST', token, body }));
    const at = `${requests}/${asked.json['_id'] as string}`;
    await expect(200, setup.call(`${at}/reviews`, { method: 'POST', body: { kind: 'approve' } }));
    const applied = await setup.call(`${at}/apply`, { method: 'POST', token: denied, body: {} });
    assertDenied(applied, 'updateGlobalArchived', 'an approved request');
    assert.equal((await setup.readFlag())['archived'], false);
    await expect(200, setup.call(`${at}/apply`, { method: 'POST', body: {} }));
    assert.equal((await setup.readFlag())['archived'], true, 'who is not denied may apply it');
  });

  test('F35 a change that was scheduled before the denial fails when it is due', async () => {
    const key = `${setup.project}-role`;
    const role = { key, name: key, basePermissions: 'no_access', policy: [ALLOW] };
    await expect(201, setup.call('roles', { method: 'POST', body: role }));
    const { member } = await giveMember(server, {}, 'admin');
    const body = [
      { op: 'add', path: '/customRoles', value: [key] },
      { op: 'replace', path: '/role', value: 'no_access' },
    ];
    await expect(200, setup.call(`members/${member.id}`, { method: 'PATCH', body }));
    const made = await setup.call('tokens', { method: 'POST', body: { name: 'x', customRoleIds: [key] } });
    const executionDate = server.clock.now() + MINUTE;
    const changes = `${setup.place}/scheduled-changes`;
    const { json } = await expect(
      201,
      setup.call(changes, {
        method: 'POST',
        token: made.json['token'] as string,
        body: { executionDate, instructions: [{ kind: 'addVariation', value: 'third' }] },
      }),
    );
    await expect(200, setup.call(`roles/${key}`, { method: 'PATCH', body: { policy: [ALLOW, DENY] } }));
    server.clock.goTo(executionDate + 1);
    const read = async () => (await setup.call(`${changes}/${json['_id'] as string}`)).json;
    await setup.settle(async () => (await read())['status'] === 'failed');
    assert.match(JSON.stringify((await read())['conflicts']), /denied updateFlagVariations in Production/);
    assert.equal(((await setup.readFlag())['variations'] as Json[]).length, 2);
  });

  test('F35 a configuration is copied neither to the environment nor from it', async () => {
    for (const [source, target] of [
      ['test', 'production'],
      ['production', 'test'],
    ]) {
      const body = { source: { key: source }, target: { key: target } };
      const { status } = await setup.call(`${flagPath()}/copy`, { method: 'POST', token: denied, body });
      assert.equal(status, 401, `${source} to ${target}`);
    }
  });

  test('F35 a new flag may come, and be on only where that is not denied', async () => {
    const post = (body: object, query = '', token = denied) =>
      setup.call(`flags/${setup.project}${query}`, { method: 'POST', token, body });
    await expect(201, post({ key: 'off', name: 'Off' }));
    assertDenied(await post({ key: 'on', name: 'On', isFlagOn: true }), 'updateOn', 'a new flag');
    await expect(200, setup.patchFlag([ON], { body: { environmentKey: 'production', instructions: [ON] } }));
    assertDenied(await post({ key: 'twin', name: 'Twin' }, '?clone=banner'), 'updateOn', 'a clone');
    await expect(201, post({ key: 'twin', name: 'Twin', isFlagOn: false }, '?clone=banner'));
    const keys = (await delivered()).map(([key]) => key as string);
    assert.deepEqual(keys, ['banner', 'off', 'twin']);
  });

  test('F35 a denial by tags is not lifted by changing them', async () => {
    const critical: PolicyStatement = { ...DENY, resources: ['proj/*:env/production:flag/*;critical'] };
    const open: PolicyStatement = { ...ALLOW, resources: ['proj/*:env/*:flag/*;open'] };
    const byTag = await tokenOf([ALLOW, critical]);
    await expect(200, patch({ tags: ['critical'] }, await tokenOf([ALLOW])));
    for (const answer of [
      await instruct({ kind: 'removeTags', values: ['critical'] }, byTag),
      await patch([{ op: 'replace', path: '/tags', value: [] }], byTag),
      await patch({ tags: ['other'] }, byTag),
    ]) {
      assert.equal(answer.status, 401, answer.text);
      assert.match(String(answer.json['message']), /tags/);
      assert.equal(answer.json['access'].action, 'updateTags');
    }
    await expect(200, instruct({ kind: 'addTags', values: ['other'] }, byTag));
    for (const [key, policy] of [
      [`${setup.project}-walls`, [ALLOW, DENY]],
      [`${setup.project}-open`, [open]],
    ] as const) {
      const role = { key, name: key, basePermissions: 'no_access', policy };
      await expect(201, setup.call('roles', { method: 'POST', body: role }));
    }
    const customRoleIds = [`${setup.project}-walls`, `${setup.project}-open`];
    const both = await setup.call('tokens', { method: 'POST', body: { name: 'both', customRoleIds } });
    const opened = await instruct({ kind: 'addTags', values: ['open'] }, both.json['token'] as string);
    assert.equal(opened.status, 401, opened.text);
    assert.deepEqual((await setup.readFlag())['tags'], ['critical', 'other']);
  });

  test('F35 who is denied nothing changes it by the permission in any environment', async () => {
    const inTest: PolicyStatement = { ...ALLOW, resources: ['proj/*:env/test:flag/*'] };
    const see: PolicyStatement = { ...ALLOW, actions: ['viewProject'], resources: ['proj/*'] };
    const token = await tokenOf([see, inTest]);
    await expect(200, instruct({ kind: 'turnOnClientSideAvailability', value: 'usingEnvironmentId' }, token));
    await expect(200, instruct({ kind: 'addVariation', value: 'third' }, token));
    await expect(200, instruct({ kind: 'addTags', values: ['critical'] }, token));
    await expect(200, instruct({ kind: 'removeTags', values: ['critical'] }, token));
    await expect(200, instruct({ kind: 'archiveFlag' }, token));
    const body = { key: 'new', name: 'New', isFlagOn: true };
    await expect(201, setup.call(`flags/${setup.project}`, { method: 'POST', token, body }));
    await expect(204, setup.call(flagPath(), { method: 'DELETE', token }));
  });
});
