// Followers and links of flags on the flags API, on a running server with each engine.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import {
  allow,
  assertError,
  expect,
  giveMember,
  openFlagProject,
  type FlagProject,
} from '../control-calls.ts';

const BETA = { 'ld-api-version': 'beta' };

onEachEngine((engine) => {
  let server: TestServer;
  let setup: FlagProject;
  onServer(engine, { limits: 'off' }, async (started) => {
    server = started;
    setup = await openFlagProject(server);
  });

  describe('followers', () => {
    const path = () => `${setup.place}/followers`;
    const set = (id: string, method: 'PUT' | 'DELETE', init: CallInit = {}) =>
      setup.call(`${path()}/${id}`, { method, ...init });
    const followers = async () =>
      (await expect(200, setup.call(path()))).json['items'].map(({ _id }: Json) => _id as string) as string[];

    test('a member follows a flag in one environment, once, until no longer', async () => {
      const { member } = await giveMember(server);
      for (let count = 0; count < 2; count += 1) await expect(204, set(member.id, 'PUT'));
      const { json } = await expect(200, setup.call(path()));
      const [{ _links, ...shown }] = json['items'];
      assert.deepEqual(shown, { _id: member.id, role: 'writer', email: member.email });
      assert.equal(_links.self.href, `/api/v2/members/${member.id}`);
      assert.equal(json['_links'].self.href, `/api/v2/${path()}`);
      const elsewhere = await expect(200, setup.call(path().replace('/test/', '/production/')));
      assert.deepEqual(elsewhere.json['items'], []);
      const all = await expect(200, setup.call(`projects/${setup.project}/environments/test/followers`));
      assert.deepEqual(
        all.json['items'].map(({ flagKey, followers: who }: Json) => [flagKey, who.length]),
        [['banner', 1]],
      );
      const { href } = all.json['items'][0]._links.self;
      assert.equal(href, `/api/v2/${path()}`);
      for (let count = 0; count < 2; count += 1) await expect(204, set(member.id, 'DELETE'));
      assert.deepEqual(await followers(), []);
      const recorded = (await setup.events()).filter(({ action }) => action === 'manageFlagFollowers');
      assert.equal(recorded.length, 2);
    });

    test('F31 everybody may follow for themselves, and needs the permission for others', async () => {
      const reader = await giveMember(server, { role: 'reader' });
      const other = await giveMember(server);
      await expect(204, set(reader.member.id, 'PUT', { token: reader.token }));
      assertError(await expect(401, set(other.member.id, 'PUT', { token: reader.token })), 'unauthorized');
      await expect(401, set(other.member.id, 'DELETE', { token: reader.token }));
      const { token } = await giveMember(server, { inlinePolicy: allow(['manageFlagFollowers']) });
      await expect(204, set(other.member.id, 'PUT', { token }));
      assert.deepEqual(await followers(), [reader.member.id, other.member.id]);
      await expect(401, set(other.member.id, 'PUT', { token: null }));
    });

    test('who is removed follows no longer; who is unknown cannot', async () => {
      const { member } = await giveMember(server);
      await expect(204, set(member.id, 'PUT'));
      await expect(204, setup.call(`members/${member.id}`, { method: 'DELETE' }));
      assert.deepEqual(await followers(), []);
      for (const id of [member.id, '0'.repeat(24), 'me2']) await expect(404, set(id, 'PUT'));
    });
  });

  describe('links', () => {
    const path = () => `flag-links/projects/${setup.project}/flags/banner`;
    const call = (at: string, init: CallInit = {}) =>
      setup.call(path() + at, { ...init, headers: { ...BETA, ...init.headers } });
    const post = (body: object = {}, init: CallInit = {}) =>
      call('', { method: 'POST', body: { deepLink: 'https://example.com/1', ...body }, ...init });

    test('F5 one is made, listed, changed and deleted', async () => {
      const body = {
        key: 'ticket',
        integrationKey: 'tickets',
        timestamp: 1_700_000_000_000,
        title: 'One',
        description: 'First',
        metadata: { state: 'open' },
      };
      const answer = await expect(201, post(body));
      const { _id, _links, _member, _createdAt, ...rest } = answer.json;
      assert.deepEqual(rest, {
        _key: 'ticket',
        _integrationKey: 'tickets',
        _deepLink: 'https://example.com/1',
        _timestamp: {
          milliseconds: 1_700_000_000_000,
          seconds: 1_700_000_000,
          rfc3339: '2023-11-14T22:13:20.000Z',
          simple: '2023-11-14 22:13:20',
        },
        title: 'One',
        description: 'First',
        _metadata: { state: 'open' },
      });
      assert.equal(_links.self.href, `/api/v2/${path()}/${_id}`);
      assert.equal(_links.self.href, answer.headers.get('location'));
      assert.deepEqual((await expect(200, call(''))).json['items'], [answer.json]);
      for (const name of [_id, 'ticket'])
        assert.deepEqual((await expect(200, call(`/${name}`))).json, answer.json);
      await expect(404, call('/none'));
      const operations = [
        { op: 'replace', path: '/title', value: 'Two' },
        { op: 'remove', path: '/description' },
      ];
      const patched = await expect(200, call(`/${_id}`, { method: 'PATCH', body: operations }));
      assert.deepEqual([patched.json['title'], patched.json['description']], ['Two', undefined]);
      await expect(204, call('/ticket', { method: 'DELETE' }));
      await expect(404, call('/ticket', { method: 'DELETE' }));
      // Changes that concern all environments are recorded under one of them.
      const recorded = await server.app.kernel.db
        .selectFrom('events')
        .select('action')
        .where('resource', 'like', `proj/${setup.project}:env/%:flag/banner`)
        .where('action', 'like', '%FlagLink')
        .orderBy('seq')
        .execute();
      assert.deepEqual(
        recorded.map(({ action }) => action),
        ['createFlagLink', 'updateFlagLink', 'deleteFlagLink'],
      );
    });

    test('F33 bad input changes nothing', async () => {
      const { _id } = (await expect(201, post({ key: 'taken' }))).json;
      assertError(await expect(409, post({ key: 'taken' })), 'key_exists');
      for (const body of [
        { deepLink: undefined },
        { deepLink: 'javascript:alert(1)' },
        { deepLink: 7 },
        { key: 'not a key' },
        { timestamp: 'now' },
        { timestamp: 1e300 },
        { title: 'a\0b' },
        { metadata: { a: 1 } },
      ])
        assertError(await expect(400, post(body)), 'invalid_request');
      const { json } = await expect(200, call(''));
      for (const [status, body] of [
        [400, [{ op: 'add', path: '/title', value: 7 }]],
        [400, [{ op: 'replace', path: '/_deepLink', value: 'https://example.com' }]],
        [409, [{ op: 'test', path: '/title', value: 'x' }]],
      ] as const)
        await expect(status, call(`/${_id}`, { method: 'PATCH', body }));
      assert.deepEqual((await call('')).json, json);
      await expect(403, setup.call(path()));
    });

    test('F31 each call takes its own permission', async () => {
      const { _id } = (await expect(201, post())).json;
      const reader = (await giveMember(server, { role: 'reader' })).token;
      const body = [{ op: 'add', path: '/title', value: 'x' }];
      assertError(await expect(401, post({}, { token: reader })), 'unauthorized');
      await expect(401, call(`/${_id}`, { method: 'PATCH', body, token: reader }));
      await expect(401, call(`/${_id}`, { method: 'DELETE', token: reader }));
      await expect(200, call('', { token: reader }));
      const tokenOf = async (action: string) =>
        (await giveMember(server, { inlinePolicy: allow([action]) })).token;
      await expect(201, post({}, { token: await tokenOf('createFlagLink') }));
      await expect(200, call(`/${_id}`, { method: 'PATCH', body, token: await tokenOf('updateFlagLink') }));
      await expect(204, call(`/${_id}`, { method: 'DELETE', token: await tokenOf('deleteFlagLink') }));
    });
  });
});
