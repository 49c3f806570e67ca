// The basics of the Actors API, on a running server with each engine: parts of rules A1 to A4 and A28.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findMember, type Member } from '../../../src/kernel/identity/store-members.ts';
import { onEachEngine } from '../../engines.ts';
import { giveToken, join, openBrowser } from '../../people.ts';
import { ADMIN_TOKEN, type Answer, type TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

onEachEngine((engine) => {
  let server: TestServer;
  let ada: Member;
  before(async () => {
    server = await startServerOn(engine);
    ada = await join(server, 'ada-l', { firstName: 'Ada', lastName: 'Lovelace' });
  });
  after(() => server.stop());

  function assertFailed(
    { status, json, headers }: Answer,
    expected: [status: number, type: string],
    label?: string,
  ) {
    assert.deepEqual([status, json['error'].type], expected, label);
    assert.deepEqual(Object.keys(json), ['error'], label);
    assert.deepEqual(Object.keys(json['error']), ['type', 'message'], label);
    assert.notEqual(json['error'].message, '', label);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8', label);
  }

  const me = (token: string | null, headers: Record<string, string> = {}, query = '') =>
    server.call(`/v2/users/me${query}`, { token, headers });

  test('A1 a reply is JSON under data, with timestamps in ISO 8601', async () => {
    const { status, json, headers } = await server.call('/v2/users/me');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual(Object.keys(json), ['data']);
    const { createdAt } = json['data'] as { createdAt: string };
    assert.match(createdAt, ISO);
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
  });

  test('A1 every time in a reply is such a timestamp, or null', async () => {
    const { json } = await server.call('/v2/users/me');
    const times: unknown[] = [];
    JSON.stringify(json, (key, value: unknown) => {
      if (key.endsWith('At')) times.push(value);
      return value;
    });
    assert.ok(times.length > 1);
    for (const time of times) assert.ok(time === null || ISO.test(time as string), String(time));
  });

  test('A1 an error is a type and a message, under error', async () => {
    assertFailed(await me('api-wrong'), [401, 'invalid-token']);
    assertFailed(await server.call('/v2/nothing'), [404, 'page-not-found']);
  });

  test('A2 the token comes after Bearer in the header, or in the URL', async () => {
    for (const authorization of [`Bearer ${ADMIN_TOKEN}`, `bearer ${ADMIN_TOKEN}`]) {
      assert.equal((await me(null, { authorization })).status, 200, authorization);
    }
    const { json } = await me(null, {}, `?token=${ADMIN_TOKEN}`);
    assert.equal(json['data'].username, 'admin');
    assert.equal((await me(null, {}, `?desc=1&token=${ADMIN_TOKEN}&limit=5`)).status, 200);
  });

  test('A2 a missing or a wrong token is invalid-token', async () => {
    for (const [label, answer] of [
      ['none', await me(null)],
      ['wrong', await me('api-wrong')],
      ['empty', await me(null, { authorization: 'Bearer ' })],
      ['another scheme', await me(null, { authorization: `Basic ${ADMIN_TOKEN}` })],
      ['wrong in the URL', await me(null, {}, '?token=api-wrong')],
      ['empty in the URL', await me(null, {}, '?token=')],
      ['garbage in the URL', await me(null, {}, '?token=%E0%A4%A')],
      ['under another name', await me(null, {}, `?mytoken=${ADMIN_TOKEN}`)],
      ['NUL', await me(null, {}, '?token=%00')],
    ] as const) {
      assertFailed(answer, [401, 'invalid-token'], label);
    }
  });

  test('A2 the header wins over the URL', async () => {
    const { value } = await giveToken(server, ada, { role: 'reader' });
    const { json } = await me(value, {}, `?token=${ADMIN_TOKEN}`);
    assert.equal(json['data'].username, 'ada-l');
    assertFailed(await me('api-wrong', {}, `?token=${ADMIN_TOKEN}`), [401, 'invalid-token']);
  });

  test('A2 a browser that is logged in may call, from this origin', async () => {
    const browser = await openBrowser(server, ada);
    assert.equal((await me(null, browser)).json['data'].username, 'ada-l');
    const other = await me(null, { ...browser, origin: 'https://evil.example' });
    assertFailed(other, [403, 'insufficient-permissions']);
    assert.equal((await me(ADMIN_TOKEN, browser)).json['data'].username, 'admin', 'a token beats the cookie');
  });

  test('A3 a user is addressed by id or by name', async () => {
    const byName = await server.call('/v2/users/ada-l', { token: null });
    const byId = await server.call(`/v2/users/${ada.id}`, { token: null });
    assert.equal(byName.status, 200);
    assert.deepEqual(byName.json, { data: { username: 'ada-l', profile: { name: 'Ada Lovelace' } } });
    assert.deepEqual(byId.json, byName.json);
  });

  test('A4 users/me is the caller, with what only they may know', async () => {
    const { status, json } = await server.call('/v2/users/me');
    const admin = (await findMember(server.app.kernel.db, { username: 'admin' }))!;
    assert.equal(status, 200);
    const { id, username, email, plan, profile, proxy, ...rest } = json['data'] as Record<string, unknown>;
    assert.deepEqual(
      { id, username, email },
      { id: admin.id, username: 'admin', email: 'admin@signalbox.example' },
    );
    assert.equal(typeof plan, 'object');
    assert.deepEqual(profile, {});
    assert.deepEqual(Object.keys(proxy as object), ['password', 'groups']);
    assert.doesNotMatch(JSON.stringify({ plan, profile, rest }), /password|hash|api-/);
  });

  test('A28 what is not there is told by its own type', async () => {
    for (const name of [
      'nobody',
      '0123456789abcdef01234567',
      'ADA-L~x',
      '%F0%9F%98%80',
      '%',
      '%ff',
      'x'.repeat(5000),
    ]) {
      assertFailed(await server.call(`/v2/users/${name}`), [404, 'user-not-found'], name.slice(0, 30));
    }
    for (const path of [
      '/v2',
      '/v2/',
      '/v2/nothing',
      '/v2/users',
      '/v2/users/a/b',
      '/v2/%00',
      '/v2/%',
      '/v2//users/me',
    ]) {
      assertFailed(await server.call(path), [404, 'page-not-found'], path);
      assertFailed(await server.call(path, { token: null }), [404, 'page-not-found'], path);
    }
  });

  test('A28 a NUL is nobody', async () => {
    const { status, json } = await server.call('/v2/users/a%00b');
    assert.ok(status === 400 || status === 404);
    assert.match(json['error'].type as string, /^(invalid-input|user-not-found)$/);
  });

  test('A28 a verb that is not allowed is told which are, beginning with OPTIONS', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const path of ['/v2/users/me', '/v2/users/ada-l']) {
        const answer = await server.call(path, { method, token: null });
        assertFailed(answer, [405, 'method-not-allowed'], `${method} ${path}`);
        assert.match(answer.json['error'].message as string, /: OPTIONS, HEAD, GET\b/);
        assert.equal(answer.headers.get('allow'), 'OPTIONS, HEAD, GET');
      }
    }
  });

  test('A28 OPTIONS is answered on every route, without a token', async () => {
    const { status, headers, text } = await server.call('/v2/users/me', {
      method: 'OPTIONS',
      token: null,
      headers: { origin: 'https://console.example' },
    });
    assert.deepEqual([status, text], [204, '']);
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.match(headers.get('access-control-allow-methods')!, /PUT/);
    assert.match(headers.get('access-control-expose-headers')!, /X-Apify-Pagination-Total/);
  });

  test('A28 unknown queries are left aside', async () => {
    for (const query of ['?unknown=1', '?limit=1&limit=2', '?__proto__=1', '?%', '?a=%00']) {
      assert.equal((await me(ADMIN_TOKEN, {}, query)).status, 200, query);
    }
  });

  test('A28 over the limit is 429, and works again when it says so', async () => {
    const small = await startServerOn(engine, {
      limit: { 'actors.global': { known: 2, anonymous: 1, seconds: 60 } },
    });
    for (let call = 0; call < 2; call += 1) {
      const { status, headers } = await small.call('/v2/users/me');
      assert.deepEqual([status, headers.get('x-ratelimit-limit')], [200, '2']);
    }
    const answer = await small.call('/v2/users/me');
    assertFailed(answer, [429, 'rate-limit-exceeded']);
    const seconds = Number(answer.headers.get('retry-after'));
    assert.ok(seconds > 0 && seconds <= 61);
    small.clock.ahead += seconds * 1000;
    assert.equal((await small.call('/v2/users/me')).status, 200);
    assert.equal((await small.call('/v2/users/admin', { token: null })).status, 200);
    assertFailed(await small.call('/v2/users/admin', { token: null }), [429, 'rate-limit-exceeded']);
    await small.stop();
  });
});
