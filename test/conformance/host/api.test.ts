// The host's rate-limit status and what each call costs, on a running server: rules H1 to H5 and row 1 of the catalogue.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startServer, type Answer, type TestServer } from '../../server.ts';

const CATEGORIES = ['core', 'search', 'graphql', 'integration_manifest', 'code_scanning_upload'];
const OLD = { 'x-host-api-version': '2022-11-28' };
const NEW = { 'x-host-api-version': '2026-03-10' };

/** The five rate-limit headers, as one object. */
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
    Object.entries(json['resources'] as Record<string, { used: number }>).map(([name, { used }]) => [
      name,
      used,
    ]),
  );
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
      ['code_scanning_upload', 'POST', '/repos/me/mine/code-scanning/sarifs', {}, 404],
    ] as const;
    for (const [category, method, path, body, status] of SPENDING) {
      test(`H3 H5 ${method} ${path} → ${status} costs one of ${category} and nothing else`, async () => {
        const earlier = await usedOf(server);
        const answer = await server.call(prefix + path, { method, ...(body && { body }) });
        assert.equal(answer.status, status);
        const now = await usedOf(server);
        assert.deepEqual(now, { ...earlier, [category]: earlier[category]! + 1 });
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
      assert.equal(
        headers.get('x-ratelimit-limit'),
        '60',
        'a wrong token draws on the budget of its address',
      );
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
        const earlier = await usedOf(server, token);
        const unchanged = { ...init, headers: { 'if-none-match': headers.get('etag')! } };
        const since = { ...init, headers: { 'if-modified-since': headers.get('last-modified')! } };
        for (const conditional of [unchanged, since]) {
          const answer = await server.call(`${prefix}/users/admin`, conditional);
          assert.equal(answer.status, 304);
          assert.notEqual(budgetOf(answer).used, null);
        }
        const spent = (await usedOf(server, token))['core']! - earlier['core']!;
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
