// What the token of a run may do: its own run, its owner's Actors and storages, and nothing else.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { findMember } from '../../../../src/kernel/identity/store-members.ts';
import { createActor, finishedRun, runActor, startRun } from '../../../actors.ts';
import { script } from '../../../actor-sources.ts';
import { onEngine } from '../../../engines.ts';
import { eventually, inTime } from '../../../eventually.ts';
import { giveToken, join } from '../../../people.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';

/** Tells its token and where it reaches the API, and waits until a record END is there. */
const TALKATIVE =
  script(`await setValue('TOKEN', JSON.stringify({ token: env.APIFY_TOKEN, base: env.APIFY_API_BASE_URL, env }));
while ((await api(record('END'))).status === 404) await sleep(50);
`);

onEngine('sqlite', (engine) => {
  let server: TestServer;
  onServer(engine, { limits: 'off' }, async (started) => {
    server = started;
  });

  const call = (path: string, init?: CallInit) => server.call(path, init);

  interface Talk {
    run: Json;
    token: string;
    base: string;
    env: Record<string, string>;
    end(): Promise<Json>;
  }

  async function talk(actorId: string, token?: string, query = ''): Promise<Talk> {
    const who = token === undefined ? {} : { token };
    const run = await startRun(server, actorId, { ...who, query });
    const records = `/v2/key-value-stores/${run['defaultKeyValueStoreId']}/records`;
    await eventually(async () => (await call(`${records}/TOKEN`, who)).status === 200);
    const told = (await call(`${records}/TOKEN`, who)).json;
    return {
      run,
      token: told['token'] as string,
      base: told['base'] as string,
      env: told['env'] as Record<string, string>,
      async end() {
        await call(`${records}/END`, { ...who, method: 'PUT', body: '1' });
        return await finishedRun(server, run['id'] as string, who);
      },
    };
  }

  test('the environment of a process has the variables of the contract, and none of the server', async () => {
    const actor = await createActor(server, TALKATIVE, {
      name: 'contract',
      envVars: [{ name: 'MINE', value: 'yes' }],
    });
    process.env['SERVER_SECRET_OF_THE_TEST'] = 'hidden';
    const { run, env, end } = await talk(actor['id'] as string, undefined, 'memory=256');
    delete process.env['SERVER_SECRET_OF_THE_TEST'];
    assert.equal(env['SERVER_SECRET_OF_THE_TEST'], undefined);
    assert.equal(env['MINE'], 'yes');
    const expected: Record<string, string> = {
      ACTOR_ID: actor['id'] as string,
      APIFY_ACTOR_ID: actor['id'] as string,
      ACTOR_RUN_ID: run['id'] as string,
      APIFY_ACT_RUN_ID: run['id'] as string,
      ACTOR_DEFAULT_DATASET_ID: run['defaultDatasetId'] as string,
      APIFY_DEFAULT_KEY_VALUE_STORE_ID: run['defaultKeyValueStoreId'] as string,
      ACTOR_DEFAULT_REQUEST_QUEUE_ID: run['defaultRequestQueueId'] as string,
      ACTOR_MEMORY_MBYTES: '256',
      ACTOR_INPUT_KEY: 'INPUT',
      ACTOR_BUILD_NUMBER: '0.1.1',
      ACTOR_BUILD_TAGS: 'latest',
      ACTOR_FULL_NAME: 'admin/contract',
      APIFY_IS_AT_HOME: '1',
      APIFY_META_ORIGIN: 'API',
    };
    for (const [name, value] of Object.entries(expected)) assert.equal(env[name], value, name);
    assert.match(env['ACTOR_EVENTS_WEBSOCKET_URL']!, /^ws:\/\/127\.0\.0\.1:\d+\//);
    await end();
  });

  test('a run reads and changes its own run, uses the storages of its owner, and starts the Actors of its owner', async () => {
    const actor = await createActor(server, TALKATIVE, { name: 'own' });
    const { run, token, end } = await talk(actor['id'] as string);
    const ask = (path: string, init: CallInit = {}) => call(`/v2${path}`, { ...init, token });
    const me = (await ask('/users/me')).json.data;
    assert.equal(me.username, 'admin');
    assert.deepEqual([me.email, me.profile, me.plan], [undefined, undefined, undefined]);
    assert.equal((await ask(`/actor-runs/${run['id']}`)).status, 200);
    const told = await ask(`/actor-runs/${run['id']}`, { method: 'PUT', body: { statusMessage: 'half' } });
    assert.equal(told.json.data.statusMessage, 'half');
    const named = await ask('/datasets?name=of-the-run', { method: 'POST' });
    assert.equal(named.status, 201);
    assert.equal(named.json.data.actRunId, run['id']);
    assert.equal(
      (await ask(`/datasets/${named.json.data.id}/items`, { method: 'POST', body: { a: 1 } })).status,
      201,
    );
    const { data: foreign } = (await call('/v2/key-value-stores?name=of-the-owner', { method: 'POST' })).json;
    assert.equal((await ask(`/key-value-stores/${foreign.id}`)).status, 200);
    const child = await ask('/actors/~own/runs', { method: 'POST' });
    assert.equal(child.status, 201, child.text);
    assert.equal(child.json.data.meta.origin, 'ACTOR');
    assert.equal((await ask(`/actor-runs/${child.json.data.id}/abort`, { method: 'POST' })).status, 200);
    await end();
  });

  test('the process of a run that a narrowed token started has its own things, and no secret of the account', async () => {
    const actor = await createActor(server, TALKATIVE, { name: 'narrow' });
    const resources = ['actor/*', 'actor-run/*'];
    const inlinePolicy = [{ effect: 'allow' as const, actions: ['*'], resources }];
    const admin = (await findMember(server.app.kernel.db, { username: 'admin' }))!;
    const { value } = await giveToken(server, admin, { inlinePolicy });
    const { id: foreign } = (await call('/v2/key-value-stores', { method: 'POST' })).json.data as Json;
    for (const [starter, status] of [
      [value, 403],
      [undefined, 200],
    ] as const) {
      const run = await startRun(
        server,
        actor['id'] as string,
        starter === undefined ? {} : { token: starter },
      );
      const records = `/v2/key-value-stores/${run['defaultKeyValueStoreId']}/records`;
      await eventually(async () => (await call(`${records}/TOKEN`)).status === 200);
      const { token, env } = (await call(`${records}/TOKEN`)).json;
      assert.equal(env['APIFY_PROXY_PASSWORD'] === undefined, status === 403);
      assert.equal((await call(`/v2/key-value-stores/${foreign}`, { token })).status, status);
      await call(`${records}/END`, { method: 'PUT', body: '1' });
      assert.equal((await finishedRun(server, run['id'] as string))['status'], 'SUCCEEDED');
    }
  });

  test('a run has no tokens, members, versions, environment variables, and no other API', async () => {
    const actor = await createActor(server, TALKATIVE, { name: 'curious' });
    const other = await runActor(
      server,
      (await createActor(server, script(''), { name: 'bystander' }))['id'] as string,
    );
    const { token, end } = await talk(actor['id'] as string);
    for (const [path, method] of [
      ['/v2/actors/~curious/versions', 'GET'],
      ['/v2/actors/~curious/versions/0.1/env-vars', 'GET'],
      ['/v2/actors/~curious/versions/0.1', 'PUT'],
      ['/v2/actors/~curious/builds?version=0.1', 'POST'],
      ['/v2/actors', 'POST'],
      ['/v2/actors/~curious', 'DELETE'],
      [`/v2/actor-runs/${other['id']}/abort`, 'POST'],
      [`/v2/actor-runs/${other['id']}`, 'DELETE'],
      ['/v2/users/me/limits', 'PUT'],
      ['/v2/users/me/limits', 'GET'],
      ['/v2/users/me/usage/monthly', 'GET'],
      ['/v2/tools/encode-and-sign', 'POST'],
    ] as const) {
      const body =
        method === 'PUT' || ['/v2/actors', '/v2/tools/encode-and-sign'].includes(path) ? { body: {} } : {};
      const answer = await call(path, { method, token, ...body });
      assert.ok([403, 404].includes(answer.status), `${method} ${path}: ${answer.status} ${answer.text}`);
    }
    for (const path of ['/api/v2/projects', '/api/v2/tokens', '/user', '/api/v3/user'])
      assert.equal((await call(path, { token })).status, 401, path);
    await end();
  });

  test('the token ends with the run', async () => {
    const actor = await createActor(server, TALKATIVE, { name: 'mortal' });
    const { run, token, end } = await talk(actor['id'] as string);
    assert.equal((await call(`/v2/actor-runs/${run['id']}`, { token })).status, 200);
    await end();
    assert.equal((await call(`/v2/actor-runs/${run['id']}`, { token })).status, 401);
  });

  test('the listener of runs accepts tokens of runs alone, and has no other API', async () => {
    const actor = await createActor(server, TALKATIVE, { name: 'local' });
    const { token, base, end } = await talk(actor['id'] as string);
    const ask = async (path: string, secret: string) =>
      (await fetch(base + path, { headers: { authorization: `Bearer ${secret}` } })).status;
    assert.equal(await ask('v2/users/me', token), 200);
    assert.equal(await ask('v2/users/me', 'api-test-administrator-token'), 401);
    assert.equal(await ask('api/v2/projects', token), 404);
    assert.equal(await ask('rate_limit', token), 404);
    await end();
  });

  test('a broken message on the events socket closes it, whether the token was valid or not', async () => {
    const actor = await createActor(server, TALKATIVE, { name: 'broken' });
    const { env, end } = await talk(actor['id'] as string);
    const url = env['ACTOR_EVENTS_WEBSOCKET_URL']!;
    for (const address of [url, `${url}x`, `${new URL(url).origin}/elsewhere`]) {
      const socket = new WebSocket(address);
      const closed = once(socket, 'close');
      socket.on('open', () => {
        // Longer than the server reads, and then frames that are none.
        socket.send('x'.repeat(10_000));
        (socket as unknown as { _socket: Socket })._socket.write(Buffer.alloc(100, 0xff));
      });
      socket.on('error', () => {});
      await inTime(closed, 'the end of the connection');
    }
    assert.equal((await end())['status'], 'SUCCEEDED');
  });

  test('an Actor of others sees only its own run and what it made, unless the caller gives it more', async () => {
    const { value: token } = await giveToken(
      server,
      await join(server, 'user-of-others', { role: 'writer' }),
      { role: 'writer' },
    );
    const actor = await createActor(server, TALKATIVE, { name: 'shared', fields: { isPublic: true } });
    const { data: secret } = (
      await call('/v2/key-value-stores?name=private-notes', { method: 'POST', token })
    ).json;
    const limited = await talk('admin~shared', token);
    const ask = (path: string, init: CallInit = {}) => call(`/v2${path}`, { ...init, token: limited.token });
    assert.equal(limited.env['ACTOR_PERMISSION_LEVEL'], 'LIMITED_PERMISSIONS');
    assert.equal((await ask(`/actor-runs/${limited.run['id']}`)).status, 200);
    assert.equal((await ask(`/key-value-stores/${secret.id}`)).status, 403);
    assert.equal((await ask('/key-value-stores?name=private-notes', { method: 'POST' })).status, 403);
    assert.equal((await ask('/key-value-stores')).status, 403);
    assert.equal((await ask('/actor-runs')).status, 403);
    assert.equal((await ask(`/actors/${actor['id']}/runs`, { method: 'POST' })).status, 403);
    const made = await ask('/key-value-stores?name=made-by-it', { method: 'POST' });
    assert.equal(made.status, 201);
    assert.equal(
      (await ask(`/key-value-stores/${made.json.data.id}/records/a`, { method: 'PUT', body: '1' })).status,
      201,
    );
    assert.equal((await limited.end())['userId'], secret.userId);

    const full = await talk('admin~shared', token, 'forcePermissionLevel=FULL_PERMISSIONS');
    assert.equal((await call(`/v2/key-value-stores/${secret.id}`, { token: full.token })).status, 200);
    await full.end();
  });
});
