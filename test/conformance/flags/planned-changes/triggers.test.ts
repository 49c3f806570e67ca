// Triggers on the flags API, on a running server with each engine: the URLs that change a flag.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { startServer, type CallInit, type Json, type TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import {
  allow,
  assertError,
  expect,
  giveMember,
  OFF,
  ON,
  openFlagProject,
  SEMANTIC,
  type FlagProject,
} from '../control-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let setup: FlagProject;
  onServer(engine, { limits: 'off' }, async (started) => {
    server = started;
    setup = await openFlagProject(server);
  });

  const path = (environment = 'test') => `flags/${setup.project}/banner/triggers/${environment}`;
  const usual = { integrationKey: 'generic-trigger', instructions: [ON] };
  const post = (body: object = {}, init: CallInit = {}) =>
    setup.call(path(), { method: 'POST', body: { ...usual, ...body }, ...init });
  const read = async (id: string) => (await expect(200, setup.call(`${path()}/${id}`))).json;
  const patch = (id: string, instructions: object[], init?: CallInit) =>
    setup.instruct(`${path()}/${id}`, instructions, init);

  async function make(body: object = {}): Promise<Json> {
    return (await expect(201, post(body))).json;
  }

  /** A call by a program that knows only the URL. */
  async function fire(
    url: string,
    init: RequestInit = {},
  ): Promise<{ status: number; text: string; type: string }> {
    const answer = await fetch(url, { method: 'POST', ...init });
    return {
      status: answer.status,
      text: await answer.text(),
      type: answer.headers.get('content-type') ?? '',
    };
  }

  describe('as they are shown', () => {
    test('F5 one is made with its URL, which is never shown again', async () => {
      const answer = await expect(201, post({ comment: 'for alerts' }));
      const { triggerURL, ...shown } = answer.json;
      assert.match(
        triggerURL as string,
        new RegExp(`^${server.url}/api/v2/webhook/triggers/${shown['_id']}/\\w{40,}$`),
      );
      const { _id, _creationDate, _maintainerId, _links, ...rest } = shown;
      assert.deepEqual(rest, {
        _version: 1,
        _integrationKey: 'generic-trigger',
        enabled: true,
        instructions: [ON],
        comment: 'for alerts',
        _triggerCount: 0,
      });
      assert.equal(_links.self.href, `/api/v2/${path()}/${_id}`);
      assert.deepEqual(await read(_id), shown);
      const list = (await expect(200, setup.call(path()))).json;
      assert.deepEqual([list['items'], list['totalCount']], [[shown], 1]);
      const secret = (triggerURL as string).split('/').at(-1)!;
      const row = await server.app.kernel.db
        .selectFrom('flag_triggers')
        .selectAll()
        .where('id', '=', _id)
        .execute();
      assert.ok(!JSON.stringify([row, await setup.events(), server.log]).includes(secret));
    });

    test('all that programs of every sort are called is taken', async () => {
      for (const integrationKey of ['datadog', 'dynatrace', 'honeycomb', 'new-relic-apm', 'signalfx'])
        assert.equal((await make({ integrationKey }))['_integrationKey'], integrationKey);
    });
  });

  describe('called', () => {
    test('F3 the flag changes, without a token and with any JSON, and the calls are counted', async () => {
      const { _id, triggerURL: url } = await make();
      const { _version } = await setup.readFlag();
      const text = { headers: { 'content-type': 'text/plain' }, body: 'alert!' };
      assert.equal((await fire(url, text)).status, 400);
      const alert = { headers: { 'content-type': 'application/json' }, body: '{"alert":true}' };
      const first = await fire(url, alert);
      assert.deepEqual([first.status, first.text, first.type], [204, '', 'application/json']);
      assert.equal(await setup.isOn(), true);
      for (const init of [
        {},
        { headers: { 'content-type': 'application/json' }, body: '{not json' },
        { headers: { authorization: 'Basic YTpi' } },
        { headers: { authorization: 'sdk-123' } },
      ])
        assert.equal((await fire(url, init)).status, 204);
      const trigger = await read(_id);
      assert.equal(trigger['_triggerCount'], 5);
      assert.ok(Math.abs(trigger['_lastTriggeredAt'] - server.clock.now()) < 60_000);
      // The flag was already on for all calls but one.
      assert.equal((await setup.readFlag())['_version'], _version + 1);
      const made = (await setup.events()).filter(({ action }) => action === 'updateOn');
      assert.equal(made.length, 1);
      assert.equal(made[0]!.member_id, null);
      assert.match(made[0]!.comment!, new RegExp(_id as string));
    });

    test('many at once are all counted, and change the flag once', async () => {
      const { _id, triggerURL: url } = await make();
      const answers = await Promise.all(Array.from({ length: 10 }, () => fire(url)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204]));
      assert.equal((await read(_id))['_triggerCount'], 10);
      assert.equal((await setup.events()).filter(({ action }) => action === 'updateOn').length, 1);
    });

    test('a wrong secret and an unknown trigger look the same', async () => {
      const { triggerURL: url } = await make();
      const shorter = (url as string).slice(0, -1);
      const elsewhere = (url as string).replace(/triggers\/\w{24}/, `triggers/${'0'.repeat(24)}`);
      const answers = await Promise.all([shorter, elsewhere, `${url}x`].map((one) => fire(one)));
      for (const { status, text } of answers) {
        assert.equal(status, 404);
        assert.deepEqual({ ...JSON.parse(text), id: 0 }, { ...JSON.parse(answers[0]!.text), id: 0 });
      }
      assert.equal((await fetch(url as string)).status, 405);
      assert.ok(!JSON.stringify(server.log).includes(shorter.split('/').at(-1)!), 'no secret is logged');
      assert.equal(await setup.isOn(), false);
    });

    test('it works where approval is required since', async () => {
      const { triggerURL: url } = await make();
      await setup.setApprovals({ required: true });
      assert.equal((await fire(url)).status, 204);
      assert.equal(await setup.isOn(), true);
    });

    test('it works where comments are required', async () => {
      const { triggerURL: url } = await make();
      const body = [{ op: 'replace', path: '/requireComments', value: true }];
      await expect(200, setup.call(`projects/${setup.project}/environments/test`, { method: 'PATCH', body }));
      assert.equal((await fire(url)).status, 204);
    });

    test('of a flag that was deleted, it is gone', async () => {
      const { triggerURL: url } = await make();
      await expect(204, setup.call(`flags/${setup.project}/banner`, { method: 'DELETE' }));
      assert.equal((await fire(url)).status, 404);
    });
  });

  describe('changed', () => {
    test('disabled it does nothing, and enabled it works again', async () => {
      const { _id, triggerURL: url } = await make();
      const { json } = await expect(200, patch(_id, [{ kind: 'disableTrigger' }]));
      assert.deepEqual([json['enabled'], json['_version'], json['triggerURL']], [false, 2, undefined]);
      const refused = await fire(url);
      assert.equal(refused.status, 403);
      assert.match(refused.text, /disabled/);
      assert.equal(await setup.isOn(), false);
      assert.equal((await expect(200, patch(_id, [{ kind: 'disableTrigger' }]))).json['_version'], 2);
      await expect(200, patch(_id, [{ kind: 'enableTrigger' }]));
      assert.equal((await fire(url)).status, 204);
      assert.equal((await read(_id))['_triggerCount'], 1);
    });

    test('F32 with a new URL the old one is no longer good', async () => {
      const { _id, triggerURL: old } = await make();
      const { json } = await expect(200, patch(_id, [{ kind: 'cycleTriggerUrl' }]));
      assert.notEqual(json['triggerURL'], old);
      assert.equal((await fire(old)).status, 404);
      assert.equal((await fire(json['triggerURL'])).status, 204);
      assert.equal((await read(_id))['triggerURL'], undefined);
    });

    test('with new instructions it does those', async () => {
      const { _id, triggerURL: url } = await make();
      await expect(200, setup.patchFlag([ON]));
      await expect(200, patch(_id, [{ kind: 'replaceTriggerActionInstructions', value: [OFF] }]));
      assert.equal((await fire(url)).status, 204);
      assert.equal(await setup.isOn(), false);
    });

    test('F19 one bad instruction changes nothing', async () => {
      const { triggerURL: _url, ...before_ } = await make();
      for (const unread of [
        { kind: 'explode' },
        { kind: 'replaceTriggerActionInstructions' },
        { kind: 'replaceTriggerActionInstructions', value: [{ kind: 'flip' }] },
        { kind: 'enableTrigger', now: true },
      ])
        assertError(
          await expect(422, patch(before_['_id'], [{ kind: 'disableTrigger' }, unread])),
          'patch_failed',
        );
      for (const bad of [
        { kind: 'replaceTriggerActionInstructions', value: [] },
        { kind: 'replaceTriggerActionInstructions', value: [{ kind: 'deleteFlag' }] },
      ])
        assertError(
          await expect(400, patch(before_['_id'], [{ kind: 'disableTrigger' }, bad])),
          'invalid_request',
        );
      await expect(
        422,
        setup.call(`${path()}/${before_['_id']}`, { method: 'PATCH', body: { instructions: [] } }),
      );
      await expect(
        422,
        setup.call(`${path()}/${before_['_id']}`, { method: 'PATCH', headers: SEMANTIC, body: {} }),
      );
      assert.deepEqual(await read(before_['_id']), before_);
    });

    test('F36 deleted it is gone; each step is recorded', async () => {
      const { _id, triggerURL: url } = await make();
      await expect(200, patch(_id, [{ kind: 'disableTrigger' }]));
      await expect(204, setup.call(`${path()}/${_id}`, { method: 'DELETE' }));
      await expect(404, setup.call(`${path()}/${_id}`));
      assert.equal((await fire(url)).status, 404);
      const actions = (await setup.events()).map(({ action }) => action);
      assert.deepEqual(actions.slice(-3), ['createTriggers', 'updateTriggers', 'deleteTriggers']);
    });
  });

  test('F33 bad input makes nothing', async () => {
    const bad: unknown[] = [
      {},
      { instructions: [ON] },
      { integrationKey: 7 },
      { integrationKey: 'not a key' },
      { integrationKey: '' },
      { ...usual, instructions: [] },
      { ...usual, instructions: [{ kind: 'flip' }] },
      { ...usual, instructions: [{ kind: 'archiveFlag' }] },
      { ...usual, instructions: [{ kind: 'removeRule' }] },
      { ...usual, comment: 'a\0b' },
      '{',
      [],
    ];
    for (const body of bad)
      assertError(await expect(400, setup.call(path(), { method: 'POST', body })), 'invalid_request');
    assert.equal((await setup.call(path())).json['totalCount'], 0);
    const { _id } = await make();
    await expect(404, setup.call(`${path('production')}/${_id}`));
    await expect(404, setup.call(path('moon')));
    await expect(404, setup.call(`${path()}/${'0'.repeat(24)}`));
  });

  test('F31 it takes the permission of each call, and what the instructions take', async () => {
    const { _id } = await make();
    const at = `${path()}/${_id}`;
    const tokenOf = async (...actions: string[]) =>
      (await giveMember(server, { inlinePolicy: allow(actions) })).token;
    const reader = (await giveMember(server, { role: 'reader' })).token;
    for (const token of [
      reader,
      await tokenOf('createTriggers'),
      await tokenOf('updateOn', 'updateTriggers'),
    ])
      assertError(await expect(401, post({}, { token })), 'unauthorized');
    await expect(201, post({}, { token: await tokenOf('createTriggers', 'updateOn') }));
    // Everyone who has the URL can make the change.
    const updater = await tokenOf('updateTriggers');
    await expect(401, patch(_id, [{ kind: 'cycleTriggerUrl' }], { token: updater }));
    await expect(
      401,
      patch(_id, [{ kind: 'replaceTriggerActionInstructions', value: [OFF] }], { token: updater }),
    );
    await expect(200, patch(_id, [{ kind: 'disableTrigger' }], { token: updater }));
    await expect(401, patch(_id, [{ kind: 'enableTrigger' }], { token: updater }));
    await expect(401, setup.call(at, { method: 'DELETE', token: updater }));
    await expect(204, setup.call(at, { method: 'DELETE', token: await tokenOf('deleteTriggers') }));
    await expect(200, setup.call(path(), { token: reader }));
    await expect(401, setup.call(path(), { token: null }));
    await setup.setApprovals({ required: true });
    assertError(await expect(405, post()), 'method_not_allowed');
  });
});

test('F34 calls of trigger URLs are limited', async () => {
  const server = await startServer();
  // The window would end before a slow machine has used it up.
  server.clock.stop();
  try {
    const setup = await openFlagProject(server);
    const at = `flags/${setup.project}/banner/triggers/test`;
    const body = { integrationKey: 'generic-trigger', instructions: [ON] };
    const { json } = await expect(201, setup.call(at, { method: 'POST', body }));
    const statuses = new Set<number>();
    for (let count = 0; count < 101; count += 1)
      statuses.add((await fetch(json['triggerURL'] as string, { method: 'POST' })).status);
    assert.deepEqual(statuses, new Set([204, 429]));
  } finally {
    await server.stop();
  }
});
