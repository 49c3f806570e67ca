// Rate limits of the host: they are drawn from, exceeded, reset, and survive a restart. Rule H5.
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join } from '../../../people.ts';
import { startServer, type TestServer } from '../../../server.ts';

/** Another member with a token of their own. */
async function tokenOf(server: TestServer, username: string): Promise<string> {
  const { value } = await giveToken(server, await join(server, username), { role: 'reader' });
  return value;
}

describe('small quotas', () => {
  const limit = {
    'host.core': { known: 3, anonymous: 2, seconds: 60 },
    'host.search': { known: 1, anonymous: 1, seconds: 30 },
    'host.graphql': { known: 2, anonymous: 0, seconds: 60 },
  };
  let server: TestServer;
  before(async () => (server = await startServer({ limit })));
  after(() => server.stop());

  test('H5 a spent budget is 403 with remaining 0, a time to come back, and does not touch the others', async () => {
    const token = await tokenOf(server, 'subject');
    for (let call = 0; call < 3; call += 1) assert.equal((await server.call('/user', { token })).status, 200);
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
      assert.ok(wait >= 1 && wait <= 60, `${wait}`);
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

  test('H5 who needs a token is told so, also where callers without one have no budget at all', async () => {
    server.clock.ahead += 3_600_000;
    const upload = { method: 'POST', token: null, body: {} };
    for (const path of ['/repos/a/b/code-scanning/sarifs', '/graphql']) {
      const { status, headers, json } = await server.call(path, upload);
      assert.deepEqual([status, json['message']], [401, 'Requires authentication'], path);
      assert.equal(headers.get('x-ratelimit-resource'), 'core', path);
    }
    // Invalid calls count, too.
    const { status, json } = await server.call('/repos/a/b/code-scanning/sarifs', upload);
    assert.equal(status, 403);
    assert.match(json['message'], /^API rate limit exceeded for 127\.0\.0\.1\./);
    const { json: left } = await server.call('/rate_limit', { token: null });
    assert.equal(left['resources'].code_scanning_upload.used, 0);
  });

  test('H5 the tokens of one member share one budget, and each member has their own', async () => {
    const [ada, bob] = [await tokenOf(server, 'ada'), await tokenOf(server, 'bob')];
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
    const token = await tokenOf(server, 'patient');
    for (let call = 0; call < 3; call += 1) await server.call('/user', { token });
    const spent = await server.call('/user', { token });
    assert.equal(spent.status, 403);
    const reset = Number(spent.headers.get('x-ratelimit-reset'));
    server.clock.goTo((reset - 20) * 1000);
    assert.equal((await server.call('/user', { token })).status, 403);
    server.clock.goTo(reset * 1000);
    const { status, headers } = await server.call('/user', { token });
    assert.equal(status, 200);
    assert.equal(headers.get('x-ratelimit-used'), '1');
    assert.ok(Number(headers.get('x-ratelimit-reset')) >= reset + 60);
    server.clock.ahead = 0;
  });

  test('H5 a spent GraphQL budget is HTTP 200 with the type RATE_LIMITED and remaining 0', async () => {
    const token = await tokenOf(server, 'asker');
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
    // The window of searches is a minute, and a restart may take as long.
    first.clock.stop();
    for (let call = 0; call < 4; call += 1) await first.call('/user');
    await first.call('/search/users?q=a', { token: null });
    const { json: earlier } = await first.call('/rate_limit');
    await first.stop();

    const limit = { 'host.core': { known: 5, anonymous: 1, seconds: 3600 } };
    const second = await startServer({ ...place, limit });
    second.clock.goTo(first.clock.now());
    const { json } = await second.call('/rate_limit');
    assert.deepEqual(json['rate'], { limit: 5, used: 4, remaining: 1, reset: earlier['rate'].reset });
    const { json: nobody } = await second.call('/rate_limit', { token: null });
    assert.equal(nobody['resources'].search.used, 1);
    assert.equal((await second.call('/user')).status, 200);
    assert.equal((await second.call('/user')).status, 403);
    await second.stop();
  });
});
