// Targets of one context, set on the flags API, on a running server with each engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../engines.ts';
import type { CallInit, Json, TestServer } from '../../server.ts';
import { onServer } from '../../suites.ts';
import {
  allow,
  assertError,
  expect,
  giveMember,
  MINUTE,
  openFlagProject,
  type FlagProject,
} from './control-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let setup: FlagProject;
  onServer(engine, { limits: 'off' }, async (started) => {
    server = started;
    setup = await openFlagProject(server);
  });

  const at = (context: string, flag = 'banner', environment = 'test') =>
    `projects/${setup.project}/environments/${environment}/contexts/${context}/flags/${flag}`;
  const put = (context: string, body: unknown, init: CallInit = {}) =>
    setup.call(at(context), { method: 'PUT', body, ...init });

  /** The targets in `test`, as `kind:key` by value. */
  async function targets(): Promise<Record<string, string[]>> {
    const { variations, environments } = await setup.readFlag();
    const { targets: users, contextTargets } = environments.test;
    const found: Record<string, string[]> = {};
    for (const { contextKind, variation, values } of [...users, ...contextTargets] as Json[])
      for (const key of values as string[])
        (found[JSON.stringify(variations[variation].value)] ??= []).push(`${contextKind}:${key}`);
    return found;
  }

  test('a context is targeted, moved and erased, and others stay', async () => {
    const answer = await expect(204, put('user/ada', { setting: true }));
    assert.equal(answer.text, '');
    await expect(204, put('user/bob', { setting: true }));
    await expect(204, put('org/ada', { setting: false }));
    assert.deepEqual(await targets(), { true: ['user:ada', 'user:bob'], false: ['org:ada'] });
    await expect(204, put('user/ada', { setting: false }));
    assert.deepEqual(await targets(), { true: ['user:bob'], false: ['user:ada', 'org:ada'] });
    await expect(204, put('user/ada', { setting: null }));
    await expect(204, put('org/ada', {}));
    assert.deepEqual(await targets(), { true: ['user:bob'] });
    const { environments } = await setup.readFlag();
    assert.deepEqual([environments.test.version, environments.production.version], [7, 1]);
  });

  test('a setting is what the evaluation gives', async () => {
    await expect(200, setup.patchFlag([{ kind: 'turnFlagOn' }]));
    const evaluate = async (key: string) => {
      const path = `projects/${setup.project}/environments/test/flags/evaluate`;
      const { json } = await expect(200, setup.call(path, { method: 'POST', body: { kind: 'device', key } }));
      return [json['items'][0]._value, json['items'][0].reason.kind] as unknown[];
    };
    assert.deepEqual(await evaluate('phone 1/ü'), [true, 'FALLTHROUGH']);
    await expect(204, put(`device/${encodeURIComponent('phone 1/ü')}`, { setting: false }));
    assert.deepEqual(await evaluate('phone 1/ü'), [false, 'TARGET_MATCH']);
    assert.deepEqual(await evaluate('phone 2'), [true, 'FALLTHROUGH']);
  });

  test('variations are found by any JSON value', async () => {
    const values = [{ color: 'red', sizes: [1, 2] }, ['a'], 'text', 5];
    const variations = values.map((value) => ({ value }));
    const body = { key: 'many', name: 'Many', variations };
    await expect(201, setup.call(`flags/${setup.project}`, { method: 'POST', body }));
    const set = (setting: unknown) =>
      setup.call(at('user/ada', 'many'), { method: 'PUT', body: { setting } });
    for (const [index, value] of [{ sizes: [1, 2], color: 'red' }, ['a'], 'text', 5].entries()) {
      await expect(204, set(value));
      const { json } = await expect(200, setup.call(`flags/${setup.project}/many`));
      const [target] = json['environments'].test.targets;
      assert.deepEqual([target.variation, target.values], [index, ['ada']]);
    }
    for (const value of ['5', ['b'], {}, true, 'Text']) {
      const answer = await expect(400, set(value));
      assertError(answer, 'invalid_request');
      assert.match(answer.json['message'] as string, /setting/);
    }
  });

  test('F22 F36 it is an entry with its instructions and its comment', async () => {
    await expect(204, put('user/ada', { setting: true }));
    await expect(204, put('user/ada', { setting: false, comment: 'she asked' }));
    const entry = (await setup.events()).at(-1)!;
    assert.deepEqual([entry.action, entry.comment], ['updateTargets', 'she asked']);
    const { json } = await expect(200, setup.call(`auditlog/${entry.id}`));
    assert.deepEqual(
      json['instructions'].map(({ kind, values }: Json) => [kind, values]),
      [
        ['removeTargets', ['ada']],
        ['addTargets', ['ada']],
      ],
    );
  });

  test('what is so already is no change', async () => {
    await expect(204, put('user/ada', { setting: true }));
    const flag = await setup.readFlag();
    const known = (await setup.events()).length;
    await expect(204, put('user/ada', { setting: true, comment: 'again' }));
    await expect(204, put('user/bob', { setting: null }));
    assert.deepEqual(await setup.readFlag(), flag);
    assert.equal((await setup.events()).length, known);
  });

  test('F33 nothing unknown, and no bad key or kind', async () => {
    for (const path of [
      at('user/ada', 'none'),
      at('user/ada', 'banner', 'none'),
      at('user/ada').replace(setup.project, 'none'),
    ])
      assertError(
        await expect(404, setup.call(path, { method: 'PUT', body: { setting: true } })),
        'not_found',
      );
    for (const context of ['kind/ada', 'multi/ada', 'a%20b/ada', 'user/a%00b', `user/${'x'.repeat(513)}`]) {
      const answer = await expect(400, put(context, { setting: true }));
      assertError(answer, 'invalid_request');
      assert.match(answer.json['message'] as string, /path\.context(Kind|Key)|NUL/);
    }
    for (const body of [[], 'null', '{', { setting: true, comment: 5 }, { setting: true, comment: 'a\0' }])
      assertError(await expect(400, put('user/ada', body)), 'invalid_request');
    await expect(405, setup.call(at('user/ada')));
    assert.deepEqual(await targets(), {});
  });

  test('F31 it takes the permission to change targets in the environment', async () => {
    const { token } = await giveMember(server, {
      inlinePolicy: allow(['updateTargets'], ['proj/*:env/production:flag/*']),
    });
    const denied = await expect(401, put('user/ada', { setting: true }, { token }));
    assert.deepEqual(denied.json['access'], { action: 'updateTargets', resource: setup.resource });
    await expect(401, put('user/ada', { setting: null }, { token }));
    const body = { setting: true };
    await expect(204, setup.call(at('user/ada', 'banner', 'production'), { method: 'PUT', body, token }));
    const { token: nobody } = await giveMember(server, { role: 'no_access' });
    await expect(403, put('user/ada', { setting: true }, { token: nobody }));
    await expect(401, put('user/ada', { setting: true }, { token: null }));
    assert.deepEqual(await targets(), {});
  });

  test('an environment that asks for comments or approval asks for them here', async () => {
    const environment = `projects/${setup.project}/environments/test`;
    const require = (value: boolean) => [{ op: 'replace', path: '/requireComments', value }];
    await expect(200, setup.call(environment, { method: 'PATCH', body: require(true) }));
    const refused = await expect(400, put('user/ada', { setting: true }));
    assert.match(refused.json['message'] as string, /comment/);
    await expect(204, put('user/ada', { setting: true, comment: 'why' }));
    await setup.setApprovals({ required: true });
    const { token } = await giveMember(server, { inlinePolicy: allow(['updateTargets']) });
    const denied = await expect(405, put('user/ada', { setting: false, comment: 'why' }, { token }));
    assertError(denied, 'method_not_allowed');
    assert.deepEqual(await targets(), { true: ['user:ada'] });
  });

  test('a target that would expire no longer does once it has moved', async () => {
    await expect(204, put('user/ada', { setting: true }));
    const { variations } = await setup.readFlag();
    const expiring = `flags/${setup.project}/banner/expiring-targets/test`;
    const instruction = {
      kind: 'addExpiringTarget',
      value: server.clock.now() + MINUTE,
      variationId: variations[0]._id,
      contextKind: 'user',
      contextKey: 'ada',
    };
    await expect(200, setup.instruct(expiring, [instruction]));
    await expect(204, put('user/ada', { setting: false }));
    assert.deepEqual((await expect(200, setup.call(expiring))).json['items'], []);
  });

  test('many at once are all kept', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `user-${index}`);
    const answers = await Promise.all(names.map((name) => put(`user/${name}`, { setting: true })));
    assert.ok(
      answers.every(({ status }) => status === 204),
      answers.map(({ text }) => text).join('\n'),
    );
    assert.equal((await targets())['true']!.length, 12);
    const both = await Promise.all([put('user/x', { setting: true }), put('user/x', { setting: false })]);
    assert.ok(both.every(({ status }) => status === 204));
    const all = Object.values(await targets()).flat();
    assert.equal(all.filter((name) => name === 'user:x').length, 1);
  });
});
