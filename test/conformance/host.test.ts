// The host's rate-limit status and the budgets behind it, on a running server: rules H1 to H5 and row 1 of the catalogue.
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createMember } from '../../src/kernel/identity/members.ts';
import { secretOf } from '../../src/kernel/identity/secret.ts';
import { createToken } from '../../src/kernel/identity/tokens.ts';
import { onEachEngine } from '../engines.ts';
import { startServer, type Answer, type TestServer } from '../server.ts';

const CATEGORIES = ['core', 'search', 'graphql', 'integration_manifest', 'code_scanning_upload'];
const OLD = { 'x-host-api-version': '2022-11-28' };
const NEW = { 'x-host-api-version': '2026-03-10' };

/** The five headers that tell what is left, as one object. */
function budgetOf({ headers }: Answer) {
  const read = (name: string) => headers.get(`x-ratelimit-${name}`);
  return {
    limit: read('limit'),
    remaining: read('remaining'),
    used: read('used'),
    reset: read('reset'),
    resource: read('resource'),
  };
}

async function usedOf({ call }: TestServer, token?: string | null): Promise<Record<string, number>> {
  const { json } = await call('/rate_limit', token === undefined ? {} : { token });
  return Object.fromEntries(
    Object.entries(json['resources'] as Record<string, { used: number }>).map(([name, { used }]) => [name, used]),
  );
}

/** Another member with a token of their own. */
async function join({ app: { kernel } }: TestServer, username: string): Promise<string> {
  const now = kernel.clock.now();
  const { id } = await createMember(
    kernel.db,
    { username, email: `${username}@example.com`, role: 'reader' },
    null,
    now,
  );
  const token = { memberId: id, isService: false, name: '', description: '', customRoles: [] };
  const secret = `api-token-of-${username}`;
  await createToken(kernel.db, { ...token, role: 'reader' }, secretOf(secret), now);
  return secret;
}

for (const prefix of ['', '/api/v3']) {
  describe(`below "${prefix}/"`, () => {
    let server: TestServer;
    before(async () => (server = await startServer()));
    after(() => server.stop());

    test('H1 the status has exactly five categories of four integers', async () => {
      const { status, json } = await server.call(`${prefix}/rate_limit`, { headers: NEW });
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(json), ['resources']);
      const resources = json['resources'] as Record<string, Record<string, number>>;
      assert.deepEqual(Object.keys(resources).sort(), CATEGORIES.toSorted());
      for (const counter of Object.values(resources)) {
        assert.deepEqual(Object.keys(counter).sort(), ['limit', 'remaining', 'reset', 'used']);
        for (const value of Object.values(counter)) assert.ok(Number.isInteger(value) && value >= 0);
        assert.equal(counter['used']! + counter['remaining']!, counter['limit']);
      }
    });

    test('H1 reset is in epoch seconds, at the end of the category’s window', async () => {
      const { json } = await server.call(`${prefix}/rate_limit`);
      const now = server.clock.now() / 1000;
      const inSeconds = (name: string) => Number(json['resources'][name].reset) - now;
      for (const name of CATEGORIES) {
        const window = name === 'search' ? 60 : 3600;
        assert.ok(inSeconds(name) > 0 && inSeconds(name) <= window + 1, `${name}: ${inSeconds(name)}`);
      }
    });

    test('H2 H10 rate repeats resources.core in 2022-11-28 and is absent in 2026-03-10', async () => {
      for (const headers of [{}, OLD]) {
        const { json } = await server.call(`${prefix}/rate_limit`, { headers });
        assert.deepEqual(Object.keys(json).sort(), ['rate', 'resources']);
        assert.deepEqual(json['rate'], json['resources'].core);
      }
      const { json, status } = await server.call(`${prefix}/rate_limit`, { headers: NEW });
      assert.equal(status, 200);
      assert.equal('rate' in json, false);
    });

    test('H3 reading the status costs nothing, and its own headers tell of core', async () => {
      await server.call(`${prefix}/meta`);
      const first = await server.call(`${prefix}/rate_limit`);
      const second = await server.call(`${prefix}/rate_limit`);
      assert.deepEqual(second.json, first.json);
      const { core } = second.json['resources'];
      assert.deepEqual(budgetOf(second), {
        limit: String(core.limit),
        remaining: String(core.remaining),
        used: String(core.used),
        reset: String(core.reset),
        resource: 'core',
      });
      assert.ok(core.used > 0);
    });

    const SPENDING = [
      ['core', 'GET', '/user', undefined, 200],
      ['core', 'GET', '/users/nobody-of-that-name', undefined, 404],
      ['core', 'GET', '/nothing/here', undefined, 404],
      ['core', 'DELETE', '/user', undefined, 404],
      ['core', 'GET', '/avatars/1', undefined, 200],
      ['search', 'GET', '/search/users?q=admin', undefined, 200],
      ['search', 'GET', '/search/users', undefined, 422],
      ['graphql', 'POST', '/graphql', { query: '{ viewer { login } }' }, 200],
      ['graphql', 'POST', '/graphql', { query: '{' }, 200],
      ['graphql', 'POST', '/graphql', { nonsense: true }, 422],
      ['integration_manifest', 'POST', '/app-manifests/unknown/conversions', undefined, 404],
      ['code_scanning_upload', 'POST', '/repos/me/mine/code-scanning/sarifs', {}, 422],
    ] as const;
    for (const [category, method, path, body, status] of SPENDING) {
      test(`H3 H5 ${method} ${path} → ${status} costs one of ${category} and nothing else`, async () => {
        const before = await usedOf(server);
        const answer = await server.call(prefix + path, { method, ...(body && { body }) });
        assert.equal(answer.status, status);
        const now = await usedOf(server);
        assert.deepEqual(now, { ...before, [category]: before[category]! + 1 });
        const told = budgetOf(answer);
        assert.equal(told.resource, category);
        assert.equal(told.used, String(now[category]));
        assert.equal(Number(told.used) + Number(told.remaining), Number(told.limit));
      });
    }

    test('H3 wrong versions, wrong Accept headers and wrong tokens are told off with a budget too', async () => {
      const wrong = [
        { headers: { 'x-host-api-version': '1999-01-01' } },
        { headers: { accept: 'text/html' } },
        { token: 'api-nobody-has-this-token' },
        { token: null },
      ];
      for (const init of wrong) {
        const answer = await server.call(`${prefix}/user`, init);
        assert.ok(answer.status >= 400, `${answer.status}`);
        assert.equal(budgetOf(answer).resource, 'core', JSON.stringify(init));
      }
      const { headers } = await server.call(`${prefix}/user`, { token: 'api-nobody-has-this-token' });
      assert.equal(headers.get('x-ratelimit-limit'), '60', 'a wrong token draws on the budget of its address');
    });

    test('H4 a status that did not change is answered 304, also by a weak or listed tag', async () => {
      const first = await server.call(`${prefix}/rate_limit`);
      const etag = first.headers.get('etag')!;
      assert.match(etag, /^"[0-9a-f]+"$/);
      for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await server.call(`${prefix}/rate_limit`, { headers: { 'if-none-match': tag } });
        assert.equal(again.status, 304, tag);
        assert.equal(again.text, '');
        assert.equal(again.headers.get('etag'), etag);
        assert.equal(budgetOf(again).resource, 'core');
      }
      await server.call(`${prefix}/meta`);
      const changed = await server.call(`${prefix}/rate_limit`, { headers: { 'if-none-match': etag } });
      assert.equal(changed.status, 200);
      assert.notEqual(changed.headers.get('etag'), etag);
    });

    test('H4 the tag of one version is not good for the other', async () => {
      const { headers } = await server.call(`${prefix}/rate_limit`, { headers: OLD });
      const etag = headers.get('etag')!;
      const other = await server.call(`${prefix}/rate_limit`, { headers: { ...NEW, 'if-none-match': etag } });
      assert.equal(other.status, 200);
    });

    test('H3 H4 a 304 is given back to a caller with a token and counts without one', async () => {
      for (const token of [undefined, null]) {
        const init = token === null ? { token } : {};
        const { headers } = await server.call(`${prefix}/users/admin`, init);
        const before = await usedOf(server, token);
        const unchanged = { ...init, headers: { 'if-none-match': headers.get('etag')! } };
        const since = { ...init, headers: { 'if-modified-since': headers.get('last-modified')! } };
        for (const conditional of [unchanged, since]) {
          const answer = await server.call(`${prefix}/users/admin`, conditional);
          assert.equal(answer.status, 304);
          assert.notEqual(budgetOf(answer).used, null);
        }
        const spent = (await usedOf(server, token))['core']! - before['core']!;
        assert.equal(spent, token === null ? 2 : 0);
      }
    });
  });
}

describe('switched off', () => {
  let server: TestServer;
  before(async () => (server = await startServer({ limits: 'off' })));
  after(() => server.stop());

  test('H4 the status is 404 when limiting is switched off, and no reply tells of limits', async () => {
    for (const prefix of ['', '/api/v3']) {
      for (const headers of [OLD, NEW]) {
        const { status, json } = await server.call(`${prefix}/rate_limit`, { headers });
        assert.equal(status, 404);
        assert.equal(json['message'], 'Rate limiting is not enabled.');
        assert.equal(json['status'], '404');
      }
      for (const path of ['/rate_limit', '/user', '/nothing', '/search/users?q=a']) {
        const { headers } = await server.call(prefix + path);
        const told = [...headers.keys()].filter((name) => name.startsWith('x-ratelimit'));
        assert.deepEqual(told, [], path);
      }
    }
    const query = { query: '{ rateLimit { cost } viewer { login } }' };
    const { json } = await server.call('/graphql', { method: 'POST', body: query });
    assert.deepEqual(json, { data: { rateLimit: null, viewer: { login: 'admin' } } });
  });
});

describe('small allowances', () => {
  const limit = {
    'host.core': { known: 3, anonymous: 2, seconds: 60 },
    'host.search': { known: 1, anonymous: 1, seconds: 30 },
    'host.graphql': { known: 2, anonymous: 0, seconds: 60 },
  };
  let server: TestServer;
  before(async () => (server = await startServer({ limit })));
  after(() => server.stop());

  test('H5 a spent budget is 403 with remaining 0, a time to come back, and does not touch the others', async () => {
    const token = await join(server, 'spender');
    for (let call = 0; call < 3; call += 1)
      assert.equal((await server.call('/user', { token })).status, 200);
    for (const path of ['/user', '/nothing', '/api/v3/zen']) {
      const { status, headers, json } = await server.call(path, { token });
      assert.equal(status, 403);
      assert.match(json['message'], /^API rate limit exceeded for user ID \d+\./);
      assert.equal(json['status'], '403');
      assert.match(json['documentation_url'], /^http/);
      assert.equal(headers.get('x-ratelimit-remaining'), '0');
      assert.equal(headers.get('x-ratelimit-used'), '3');
      assert.equal(headers.get('x-ratelimit-limit'), '3');
      assert.equal(headers.get('cache-control'), 'no-store');
      const wait = Number(headers.get('retry-after'));
      assert.ok(wait >= 1 && wait <= 61, `${wait}`);
    }
    assert.equal((await server.call('/rate_limit', { token })).status, 200);
    assert.equal((await server.call('/search/users?q=a', { token })).status, 200);
    assert.equal((await server.call('/search/users?q=a', { token })).status, 403);
    const { json } = await server.call('/rate_limit', { token });
    assert.deepEqual(json['rate'], { ...json['rate'], limit: 3, used: 3, remaining: 0 });
    assert.deepEqual(json['resources'].search, { ...json['resources'].search, used: 1, remaining: 0 });
  });

  test('H5 callers without a token share the budget of their address', async () => {
    const statuses = [];
    for (let call = 0; call < 3; call += 1)
      statuses.push((await server.call('/meta', { token: null })).status);
    assert.deepEqual(statuses, [200, 200, 403]);
    const { json } = await server.call('/meta', { token: null });
    assert.match(json['message'], /^API rate limit exceeded for 127\.0\.0\.1\./);
  });

  test('H5 the tokens of one member share one budget, and each member has their own', async () => {
    const [ada, bob] = [await join(server, 'ada'), await join(server, 'bob')];
    for (let call = 0; call < 4; call += 1) await server.call('/user', { token: ada });
    assert.equal((await server.call('/user', { token: ada })).status, 403);
    assert.equal((await server.call('/user', { token: bob })).status, 200);
    const made = await server.call('/api/v2/tokens', {
      method: 'POST',
      body: { name: 'second', role: 'reader' },
    });
    await server.call('/user');
    const { headers } = await server.call('/user', { token: made.json['token'] });
    assert.equal(headers.get('x-ratelimit-used'), '2');
  });

  test('H1 H5 when its window ends a budget is whole again, with a later reset', async () => {
    const token = await join(server, 'patient');
    for (let call = 0; call < 3; call += 1) await server.call('/user', { token });
    const spent = await server.call('/user', { token });
    assert.equal(spent.status, 403);
    const reset = Number(spent.headers.get('x-ratelimit-reset'));
    server.clock.goTo(reset * 1000 - 500);
    assert.equal((await server.call('/user', { token })).status, 403);
    server.clock.goTo(reset * 1000);
    const { status, headers } = await server.call('/user', { token });
    assert.equal(status, 200);
    assert.equal(headers.get('x-ratelimit-used'), '1');
    assert.ok(Number(headers.get('x-ratelimit-reset')) >= reset + 60);
    server.clock.ahead = 0;
  });

  test('H5 a spent GraphQL budget is HTTP 200 with the type RATE_LIMITED and remaining 0', async () => {
    const token = await join(server, 'asker');
    const ask = () =>
      server.call('/graphql', { method: 'POST', token, body: { query: '{ viewer { login } }' } });
    assert.deepEqual((await ask()).json, { data: { viewer: { login: 'asker' } } });
    await ask();
    const { status, headers, json } = await ask();
    assert.equal(status, 200);
    assert.equal(json['errors'][0].type, 'RATE_LIMITED');
    assert.match(json['errors'][0].message, /^API rate limit exceeded for/);
    assert.equal('data' in json, false);
    assert.equal(headers.get('x-ratelimit-remaining'), '0');
    assert.equal(headers.get('x-ratelimit-resource'), 'graphql');
  });
});

onEachEngine(({ kind, database }) => {
  test('H3 H5 spent budgets survive a restart, and their sizes are settings', async () => {
    const location = await database();
    const place = kind === 'sqlite' ? { data: dirname(location) } : { database: location };
    const first = await startServer(place);
    for (let call = 0; call < 4; call += 1) await first.call('/user');
    await first.call('/search/users?q=a', { token: null });
    const { json: before } = await first.call('/rate_limit');
    await first.stop();

    const limit = { 'host.core': { known: 5, anonymous: 1, seconds: 3600 } };
    const second = await startServer({ ...place, limit });
    const { json } = await second.call('/rate_limit');
    assert.deepEqual(json['rate'], { limit: 5, used: 4, remaining: 1, reset: before['rate'].reset });
    assert.equal((await usedOf(second, null))['search'], 1);
    assert.equal((await second.call('/user')).status, 200);
    assert.equal((await second.call('/user')).status, 403);
    await second.stop();
  });
});
