// Whether SDKs have connected to an environment lately, over HTTP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { EventReader } from '../../../event-stream.ts';
import type { Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { HOUR, inBase64, openProject, USER, type KeyProject } from './keys-calls.ts';

const DAY = 24 * HOUR;
const agent = (name: string, more: Record<string, string> = {}) => ({ 'user-agent': name, ...more });

onEachEngine((engine) => {
  let server: TestServer;
  let home: KeyProject;
  onServer(engine, {}, async (started) => {
    server = started;
    home = await openProject(server);
  });

  const read = (query = '', environment = 'test'): Promise<Json> =>
    home.rest(`projects/${home.project}/environments/${environment}/sdk-active${query}`);
  const isActive = async (query = '', environment = 'test') => (await read(query, environment))['active'];
  const poll = (headers: Record<string, string>, key = home.keys.sdk) =>
    home.ask('/sdk/latest-all', key, headers);

  test('F5 an environment is not active until an SDK has connected to it', async () => {
    assert.equal(await isActive(), false);
    assert.equal((await poll(agent('NodeJSClient/9.13.7'))).status, 200);
    const shown = await read();
    assert.equal(shown['active'], true);
    assert.equal(shown['_links'].self.href, `/api/v2/projects/${home.project}/environments/test/sdk-active`);
    assert.equal(await isActive('', 'production'), false);
  });

  test('a key that is refused activates nothing', async () => {
    assert.equal((await poll(agent('NodeJSClient/9.13.7'), 'sdk-wrong')).status, 401);
    assert.equal((await home.ask(`/sdk/evalx/${'0'.repeat(24)}/contexts/${inBase64(USER)}`)).status, 404);
    assert.equal(await isActive(), false);
  });

  test('by the name of the SDK, as it names itself or as its package is called, and by its wrapper', async () => {
    await poll(agent('NodeJSClient/9.13.7'));
    await poll(agent('GoClient/7.10.0', { 'x-launchdarkly-wrapper': 'Echo/1.2.3' }));
    for (const name of ['node-server-sdk', 'NodeJSClient', 'nodejsclient', 'go-server-sdk'])
      assert.equal(await isActive(`?sdk_name=${name}`), true, name);
    assert.equal(await isActive('?sdk_name=python-server-sdk'), false);
    assert.equal(await isActive('?sdk_wrapper_name=Echo'), true);
    assert.equal(await isActive('?sdk_wrapper_name=echo&sdk_name=go-server-sdk'), true);
    assert.equal(await isActive('?sdk_wrapper_name=Echo&sdk_name=node-server-sdk'), false);
  });

  test('SDKs in browsers and mobile apps count, by polls, streams, events and diagnostics', async () => {
    const { client, mobile } = home.keys;
    const ofBrowser = { 'x-launchdarkly-user-agent': 'JSClient/3.9.5', 'user-agent': 'Mozilla/5.0' };
    await home.ask(`/sdk/evalx/${client}/contexts/${inBase64(USER)}`, undefined, ofBrowser);
    assert.equal(await isActive('?sdk_name=js-client-sdk'), true);
    const stream = await EventReader.open(`${server.url}/meval/${inBase64(USER)}`, {
      headers: { authorization: mobile, 'user-agent': 'AndroidClient/5.0.0' },
    });
    await stream.next();
    stream.close();
    assert.equal(await isActive('?sdk_name=android-client-sdk'), true);
    const diagnostic = { kind: 'diagnostic-init', sdk: { name: 'lua-server-sdk', wrapperName: 'nginx' } };
    await home.ask(
      '/diagnostic',
      home.keys.sdk,
      { 'content-type': 'application/json' },
      {
        method: 'POST',
        body: diagnostic,
      },
    );
    assert.equal(await isActive('?sdk_name=lua-server-sdk&sdk_wrapper_name=nginx'), true);
  });

  test('seven days after its last connection an SDK is no longer active', async () => {
    await poll(agent('NodeJSClient/9.13.7'));
    assert.equal(await isActive(), true);
    server.clock.ahead += 6 * DAY;
    assert.equal(await isActive(), true);
    server.clock.ahead += DAY + HOUR;
    assert.equal(await isActive(), false);
    await poll(agent('NodeJSClient/9.13.7'));
    assert.equal(await isActive(), true);
  });

  test('names that are made up with a public key do not hide the SDKs of servers', async () => {
    const path = `/sdk/evalx/${home.keys.client}/contexts/${inBase64(USER)}`;
    for (let number = 0; number < 60; number += 1)
      await home.ask(path, undefined, { 'x-launchdarkly-user-agent': `Made${number}/1` });
    await poll(agent('NodeJSClient/9.13.7'));
    assert.equal(await isActive('?sdk_name=Made0'), true);
    assert.equal(await isActive('?sdk_name=Made59'), false);
    assert.equal(await isActive('?sdk_name=node-server-sdk'), true);
    const { db } = server.app.kernel;
    const { count } = await db
      .selectFrom('sdk_activity')
      .innerJoin('environments', 'environments.id', 'sdk_activity.environment_id')
      .where('environments.client_id', '=', home.keys.client)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    assert.ok(count <= 52, String(count));
  });

  test('F31 F33 of an environment that is not there, or must not be seen, nothing is said', async () => {
    const at = `/api/v2/projects/${home.project}/environments`;
    assert.equal((await server.call(`${at}/nowhere/sdk-active`)).status, 404);
    assert.equal((await server.call(`${at}/test/sdk-active`, { token: null })).status, 401);
  });
});
