// Errors and limits of the flags API, on a running server: rules F13, F33 and F34.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startServer, type CallInit, type TestServer } from '../../server.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UNKNOWN = '/api/v2/tokens/0123456789abcdef01234567';

describe('errors', () => {
  let server: TestServer;
  let one: string;
  before(async () => {
    server = await startServer();
    const { json } = await server.call('/api/v2/tokens', { method: 'POST', body: { name: 'unharmed' } });
    one = `/api/v2/tokens/${json['_id'] as string}`;
  });
  after(() => server.stop());

  test('F13 an error is code, message and id; the id stands in the log line of the call', async () => {
    const ids = new Set<string>();
    for (const path of [UNKNOWN, UNKNOWN, '/api/v2/nothing', '/api/v2/tokens?limit=none']) {
      const { json, headers } = await server.call(path);
      const { code, message, id } = json as Record<string, string>;
      assert.deepEqual(Object.keys(json), ['code', 'message', 'id']);
      assert.match(code!, /^[a-z_]+$/);
      assert.notEqual(message, '');
      assert.match(id!, UUID);
      assert.equal(headers.get('x-request-id'), id);
      const lines = server.log.filter((line) => line['call'] === id);
      assert.ok(
        lines.some((line) => line['msg'] === message && line['api'] === 'flags'),
        message,
      );
      ids.add(id!);
    }
    assert.equal(ids.size, 4);
  });

  test('F13 a mistake of the server is told without its insides, and logged with them', async (context) => {
    const { identity } = server.app.kernel;
    const mock = context.mock.method(identity, 'identify', () => Promise.reject(new Error('secret insides')));
    const { status, json, text } = await server.call('/api/v2/tokens');
    mock.mock.restore();
    assert.deepEqual([status, json['code']], [500, 'internal_error']);
    assert.doesNotMatch(text, /insides/);
    const line = server.log.find((entry) => entry['call'] === json['id'] && entry['err'] !== undefined);
    assert.match(JSON.stringify(line), /secret insides/);
  });

  test('F33 each status has its code and its meaning', async () => {
    const patch = (body: unknown): CallInit => ({ method: 'PATCH', body });
    const table: [status: number, code: string, path: string, init: CallInit][] = [
      [400, 'invalid_request', '/api/v2/tokens', { method: 'POST', body: '{"name":' }],
      [400, 'invalid_request', one, patch('[')],
      [400, 'invalid_request', '/api/v2/tokens', { method: 'POST', body: { role: 'king' } }],
      [401, 'unauthorized', '/api/v2/tokens', { token: null }],
      [401, 'unauthorized', '/api/v2/tokens', { token: 'api-nobody' }],
      [404, 'not_found', UNKNOWN, {}],
      [404, 'not_found', UNKNOWN, patch([])],
      [404, 'not_found', UNKNOWN, { method: 'DELETE' }],
      [404, 'not_found', `${UNKNOWN}/reset`, { method: 'POST' }],
      [404, 'not_found', '/api/v2/no-such-thing', {}],
      [405, 'method_not_allowed', '/api/v2/tokens', { method: 'DELETE' }],
      [405, 'method_not_allowed', one, { method: 'POST', body: {} }],
      [409, 'optimistic_locking_error', one, patch([{ op: 'test', path: '/name', value: 'other' }])],
      [422, 'patch_failed', one, patch([{ op: 'improve', path: '/name' }])],
      [422, 'patch_failed', one, patch([{ op: 'remove', path: '/nowhere' }])],
      [422, 'patch_failed', one, patch({ name: 'a merge patch' })],
      [422, 'patch_failed', one, patch('"text"')],
    ];
    for (const [status, code, path, init] of table) {
      const answer = await server.call(path, init);
      assert.deepEqual(
        [answer.status, answer.json['code']],
        [status, code],
        `${init.method ?? 'GET'} ${path}`,
      );
    }
    assert.equal((await server.call(one)).json['name'], 'unharmed');
  });

  test('F33 a wrong verb is told which ones there are, even without a token', async () => {
    const allowed = [
      ['/api/v2/tokens', 'PUT', 'OPTIONS, HEAD, GET, POST'],
      [one, 'PUT', 'OPTIONS, HEAD, GET, PATCH, DELETE'],
      [`${one}/reset`, 'GET', 'OPTIONS, POST'],
      ['/api/v2/auditlog/counts?after=1', 'GET', 'OPTIONS, POST'],
      ['/api/v2/tokens', 'PROPFIND', 'OPTIONS, HEAD, GET, POST'],
      [`${one}/reset`, 'LOCK', 'OPTIONS, POST'],
    ] as const;
    for (const [path, method, allow] of allowed) {
      const { status, headers } = await server.call(path, { method, token: null });
      assert.deepEqual([status, headers.get('allow')], [405, allow], path);
    }
  });

  test('F33 an unknown caller is told so before anything else is looked at', async () => {
    const { status } = await server.call('/api/v2/tokens', { method: 'POST', token: null, body: '{' });
    assert.equal(status, 401);
    assert.equal((await server.call('/api/v2/tokens?limit=none', { token: null })).status, 401);
  });
});

describe('limits', () => {
  let server: TestServer;
  before(async () => {
    const quota = { known: 5, anonymous: 2, seconds: 10 };
    server = await startServer({ limit: { 'flags.global': quota } });
  });
  after(() => server.stop());

  test('F34 F33 what is over the limit is 429 with when to come back, and works again then', async () => {
    const now = Math.ceil(Date.now() / 1000) * 1000;
    server.clock.goTo(now);
    for (let left = 4; left >= 0; left -= 1) {
      const { status, headers } = await server.call('/api/v2/caller-identity');
      assert.deepEqual([status, headers.get('x-ratelimit-global-remaining')], [200, String(left)]);
      assert.ok(Number(headers.get('x-ratelimit-route-remaining')) >= left);
    }
    const { status, headers, json } = await server.call('/api/v2/caller-identity');
    assert.deepEqual([status, json['code']], [429, 'rate_limited']);
    assert.deepEqual(Object.keys(json), ['code', 'message', 'id']);
    assert.equal(headers.get('x-ratelimit-global-remaining'), '0');
    const resetAt = Number(headers.get('x-ratelimit-reset'));
    assert.ok(resetAt > now && resetAt <= now + 11_000, 'epoch milliseconds within the window');
    const seconds = Number(headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 11);

    server.clock.goTo(resetAt);
    assert.equal((await server.call('/api/v2/caller-identity')).status, 200);
  });

  test('F34 callers have budgets apart, and the unknown a smaller one', async () => {
    server.clock.goTo(Date.now() + 60_000);
    for (let call = 0; call < 2; call += 1) {
      assert.equal((await server.call('/api/v2/versions', { token: null })).status, 200);
    }
    assert.equal((await server.call('/api/v2/versions', { token: null })).status, 429);
    assert.equal((await server.call('/api/v2/versions')).status, 200);
  });

  test('F34 guessing tokens is counted like calling without one', async () => {
    server.clock.goTo(Date.now() + 120_000);
    const guess = async () => (await server.call('/api/v2/tokens', { token: 'api-guess' })).status;
    assert.deepEqual([await guess(), await guess(), await guess()], [401, 401, 429]);
  });

  test('F34 each route has a budget of its own as well, and what it refuses costs nothing elsewhere', async () => {
    const apart = await startServer({
      limit: {
        'flags.route': { known: 2, anonymous: 1, seconds: 10 },
        'flags.global': { known: 4, anonymous: 2, seconds: 10 },
      },
    });
    const ask = async (path: string) => {
      const { status, headers } = await apart.call(`/api/v2/${path}`);
      return [status, ...['global', 'route'].map((of) => Number(headers.get(`x-ratelimit-${of}-remaining`)))];
    };
    assert.deepEqual(await ask('versions'), [200, 3, 1]);
    assert.deepEqual(await ask('versions'), [200, 2, 0]);
    for (let call = 0; call < 5; call += 1) assert.deepEqual(await ask('versions'), [429, 2, 0]);
    assert.deepEqual(await ask('caller-identity'), [200, 1, 1]);
    assert.deepEqual(await ask('tokens'), [200, 0, 1]);
    // In the other direction, too.
    assert.deepEqual(await ask('tokens'), [429, 0, 1]);
    await apart.stop();
  });

  test('F34 limits can be switched off', async () => {
    const free = await startServer({
      limits: 'off',
      limit: { 'flags.global': { known: 1, anonymous: 1, seconds: 10 } },
    });
    for (let call = 0; call < 5; call += 1) {
      const { status, headers } = await free.call('/api/v2/versions');
      assert.deepEqual([status, headers.get('x-ratelimit-reset')], [200, null]);
    }
    await free.stop();
  });
});
