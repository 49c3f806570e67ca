// Webhooks of the scraping platform that start runs of the same server: without a call, and with the permissions of their maker.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createActor, finishedRun, runActor, startRun } from '../../../actors.ts';
import { OBEDIENT, script } from '../../../actor-sources.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { giveToken, join } from '../../../people.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const ECHO = script(`await setValue('OUTPUT', await getInput());`);

onEachEngine((engine) => {
  let server: TestServer;
  let first: string;
  let second: string;
  before(async () => {
    // Loopback is out of reach: these webhooks work although no call could get through.
    server = await startServerOn(engine, { limits: 'off' });
    first = (await createActor(server, OBEDIENT))['id'] as string;
    second = (await createActor(server, ECHO, { name: 'second' }))['id'] as string;
  });
  after(() => server.stop());

  const call = (path: string, init?: CallInit) => server.call(`/v2${path}`, init);
  const post = (path: string, body?: unknown, init: CallInit = {}) =>
    call(path, { method: 'POST', ...(body !== undefined && { body }), ...init });
  const create = async (path: string, more: Json = {}, init: CallInit = {}): Promise<string> => {
    const body = {
      requestUrl: server.url + path,
      condition: { actorId: first },
      eventTypes: ['ACTOR.RUN.SUCCEEDED'],
      ...more,
    };
    const answer = await post('/webhooks', body, init);
    assert.equal(answer.status, 201, answer.text);
    return answer.json['data'].id as string;
  };
  const test1 = async (webhook: string, init: CallInit = {}): Promise<Json> => {
    const { id } = (await post(`/webhooks/${webhook}/test`, undefined, init)).json['data'];
    let dispatch: Json = {};
    await eventually(async () => {
      dispatch = (await call(`/webhook-dispatches/${id}`, init)).json['data'] as Json;
      return dispatch['calls'].length > 0;
    }, 'the call');
    return dispatch;
  };
  const remove = (webhook: string) => call(`/webhooks/${webhook}`, { method: 'DELETE' });

  test('A30 an Actor is started with the payload as its input, the parameters of the URL and the origin WEBHOOK', async () => {
    const webhook = await create('/v2/acts/~second/runs?memory=256&timeout=77', {
      payloadTemplate: '{"came": "from", "run": {{resource.id}}}',
    });
    const { id } = await runActor(server, first);
    let run: Json | undefined;
    await eventually(async () => {
      run = (await call(`/actors/${second}/runs?desc=1&limit=1`)).json['data'].items[0] as Json | undefined;
      return run !== undefined;
    }, 'the second run');
    const done = await finishedRun(server, run!['id'] as string);
    assert.equal(done['meta'].origin, 'WEBHOOK');
    assert.deepEqual(Object.keys(done['meta']), ['origin']);
    assert.deepEqual([done['options'].memoryMbytes, done['options'].timeoutSecs], [256, 77]);
    const output = await call(`/key-value-stores/${done['defaultKeyValueStoreId']}/records/OUTPUT`);
    assert.deepEqual(output.json, { came: 'from', run: id });
    const { items } = (await call(`/webhooks/${webhook}/dispatches`)).json['data'];
    const [made] = items[0].calls;
    assert.deepEqual([items[0].status, made.responseStatus, made.errorMessage], ['SUCCEEDED', 201, null]);
    assert.match(made.responseBody, new RegExp(`"id":"${done['id']}"`));
    await remove(webhook);
  });

  test('A30 a task is started as well, and ad-hoc webhooks of the URL do not matter', async () => {
    const task = (await post('/actor-tasks', { actId: second, name: 'started', input: { a: 1 } })).json[
      'data'
    ];
    const webhook = await create('/v2/actor-tasks/~started/runs', { payloadTemplate: '{"b": 2}' });
    const dispatch = await test1(webhook);
    assert.equal(dispatch['status'], 'SUCCEEDED');
    const { items } = (await call(`/actor-tasks/${task.id}/runs`)).json['data'];
    assert.equal(items.length, 1);
    assert.equal(items[0].meta.origin, 'WEBHOOK');
    const done = await finishedRun(server, items[0].id as string);
    const output = await call(`/key-value-stores/${done['defaultKeyValueStoreId']}/records/OUTPUT`);
    assert.deepEqual(output.json, { a: 1, b: 2 });
    await remove(webhook);
  });

  test('A30 no other URL of the server is called, with or without credentials', async () => {
    for (const path of [
      '/v2/users/me',
      `/v2/actors/${second}/builds`,
      `/v2/actors/${second}/runs/last`,
      '/api/v2/tokens',
    ]) {
      const answer = await post('/webhooks', {
        requestUrl: server.url + path,
        condition: { actorId: first },
        eventTypes: ['TEST'],
      });
      assert.deepEqual([answer.status, answer.json['error'].type], [400, 'schema-validation'], path);
    }
  });

  test('A30 what cannot be started is a call with the status of the reply', async () => {
    for (const [path, status, type] of [
      ['/v2/acts/nothing-there/runs', 404, 'record-not-found'],
      ['/v2/actor-tasks/nothing-there/runs', 404, 'record-not-found'],
      ['/v2/acts/~second/runs?build=none', 400, 'unknown-build-tag'],
      ['/v2/acts/~second/runs?memory=lots', 400, 'invalid-input'],
      ['/v2/acts/~second/runs?token=none', 401, 'invalid-token'],
    ] as const) {
      const webhook = await create(path);
      const { calls, status: state } = await test1(webhook);
      assert.equal(calls[0].responseStatus, status, path);
      assert.equal(calls[0].errorMessage, `Endpoint responded with HTTP status code ${status}`);
      assert.equal(JSON.parse(calls[0].responseBody).error.type, type);
      assert.equal(state, status === 401 ? 'FAILED' : 'ACTIVE');
      await remove(webhook);
    }
  });

  test('A30 it has the permissions of the token that saved it last, while that token is valid', async () => {
    const member = await join(server, 'maker', { role: 'writer' });
    const strong = await giveToken(server, member, { role: 'writer' });
    const own = (await createActor(server, ECHO, { token: strong.value }))['id'] as string;
    const inlinePolicy = [
      { effect: 'allow' as const, actions: ['*'], resources: ['*'] },
      { effect: 'deny' as const, actions: ['runActor'], resources: ['*'] },
    ];
    const weak = await giveToken(server, member, { inlinePolicy });
    const short = await giveToken(server, member, { role: 'writer', expiresAt: server.clock.now() + 60_000 });
    const init = { token: strong.value };
    const more = { condition: { actorId: own } };
    const webhook = await create(`/v2/acts/${own}/runs`, more, { token: weak.value });
    assert.equal((await test1(webhook, init))['calls'][0].responseStatus, 403);
    const update = (token: string) => call(`/webhooks/${webhook}`, { method: 'PUT', body: {}, token });
    assert.equal((await update(strong.value)).status, 200);
    assert.equal((await test1(webhook, init))['calls'][0].responseStatus, 201);
    assert.equal((await update(weak.value)).status, 200);
    assert.equal((await test1(webhook, init))['calls'][0].responseStatus, 403);
    assert.equal((await update(short.value)).status, 200);
    assert.equal((await test1(webhook, init))['calls'][0].responseStatus, 201);
    server.clock.ahead += 61_000;
    const expired = await test1(webhook, init);
    assert.deepEqual([expired['status'], expired['calls'][0].responseStatus], ['FAILED', 401]);
    await update(weak.value);
    await server.app.kernel.db.deleteFrom('tokens').where('id', '=', weak.id).execute();
    assert.equal((await test1(webhook, init))['calls'][0].responseStatus, 401);
  });

  test('A30 a webhook that a program has added has no more permissions than the program', async () => {
    const adding = script(`
      const requestUrl = (await getInput()).url;
      await api('/webhooks', { method: 'POST', body: { isAdHoc: true, condition: { actorRunId: env.ACTOR_RUN_ID },
        eventTypes: ['ACTOR.RUN.SUCCEEDED'], requestUrl } });
    `);
    const { id } = await createActor(server, adding);
    const url = `${server.url}/v2/acts/~second/runs`;
    for (const [level, status] of [
      ['LIMITED_PERMISSIONS', 403],
      ['FULL_PERMISSIONS', 201],
    ] as const) {
      const { id: runId } = await startRun(server, id as string, {
        input: { url },
        query: `forcePermissionLevel=${level}`,
      });
      await finishedRun(server, runId as string);
      let dispatch: Json | undefined;
      await eventually(async () => {
        const { items } = (await call('/webhook-dispatches?desc=1&limit=20')).json['data'];
        dispatch = items.find((one: Json) => one['webhook'].condition.actorRunId === runId);
        return (dispatch?.['calls'].length ?? 0) > 0;
      }, 'the dispatch');
      assert.equal(dispatch!['calls'][0].responseStatus, status, level);
    }
  });

  test('A30 a chain of runs that start each other ends after ten', async () => {
    const { id } = await createActor(server, OBEDIENT, { name: 'chained' });
    const webhook = await create('/v2/acts/~chained/runs?memory=128', {
      condition: { actorId: id },
      eventTypes: ['ACTOR.RUN.CREATED'],
      payloadTemplate: '{}',
    });
    await startRun(server, id as string, { query: 'memory=128' });
    const dispatches = async (): Promise<Json[]> =>
      (await call(`/webhooks/${webhook}/dispatches`)).json['data'].items as Json[];
    await eventually(
      async () => (await dispatches()).some(({ status }) => status === 'FAILED'),
      'the end of the chain',
    );
    const all = await dispatches();
    assert.deepEqual(
      all.map(({ status }) => status),
      [...Array.from({ length: 10 }, () => 'SUCCEEDED'), 'FAILED'],
    );
    assert.match(all.at(-1)!['calls'][0].errorMessage, /10 runs in a row/);
    assert.equal((await call(`/actors/${id}/runs`)).json['data'].total, 11);
    for (const { id: runId } of (await call(`/actors/${id}/runs`)).json['data'].items)
      await finishedRun(server, runId as string);
  });
});
