// Rate limits as they stand, and the calls that versions change, over HTTP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../engines.ts';
import { eventually } from '../../eventually.ts';
import { giveToken, join, openBrowser } from '../../people.ts';
import type { Json } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

const LIMITS = '/signalbox/v1/me/limits';
const CALLS = '/signalbox/v1/versioned-calls';

onEachEngine((engine) => {
  test('limits say what the tokens of a member have used, apart from their browsers', async (t) => {
    const server = await startServerOn(engine, {
      limit: { 'host.core': { known: 10, anonymous: 10, seconds: 3600 } },
    });
    t.after(() => server.stop());
    for (let calls = 0; calls < 3; calls += 1) await server.call('/user');
    const { status, json, text } = await server.call(LIMITS);
    assert.equal(status, 200, text);
    assert.equal(json['isEnabled'], true);
    const core = (json['items'] as Json[]).find(({ api, category }) => api === 'host' && category === 'core');
    assert.deepEqual(
      [core!['budget'], core!['limit'], core!['used'], core!['remaining'], core!['seconds']],
      ['tokens', 10, 3, 7, 3600],
    );
    assert.ok((core!['resetAt'] as number) > server.clock.now());

    const ada = await join(server, 'ada', { role: 'reader' });
    const headers = await openBrowser(server, ada);
    await server.call('/user', { token: null, headers });
    const own = (await server.call(LIMITS, { token: null, headers })).json['items'] as Json[];
    assert.deepEqual([...new Set(own.map(({ budget }) => budget))], ['browser'], 'she has no token');
    assert.equal((await server.call(LIMITS, { token: null })).status, 401);

    // What spends: ten calls of her token are within the limit, and the eleventh is not.
    const { value: token } = await giveToken(server, ada, { role: 'reader' });
    let refused = await server.call('/user', { token });
    for (let calls = 1; calls < 10; calls += 1) await server.call('/user', { token });
    refused = await server.call('/rate_limit', { token });
    assert.equal(refused.status, 200, 'it counts against nothing');
    refused = await server.call('/user', { token });
    assert.equal(refused.status, 403);
    const spending = (path: string, query = '', caller: string = token) =>
      server.call(`/signalbox/v1/limits/${path}${query}`, { token: caller });
    await eventually(async () => {
      const items = (await spending('routes')).json['items'] as Json[];
      return items.some((item) => item['operation'] === 'users/get-authenticated' && item['refused'] === 1);
    });
    const routes = (await spending('routes')).json['items'] as Json[];
    assert.deepEqual(
      routes.find(({ path }) => path === '/user'),
      {
        api: 'host',
        category: 'core',
        operation: 'users/get-authenticated',
        method: 'GET',
        path: '/user',
        calls: 11,
        refused: 1,
      },
    );
    const [call, ...others] = (await spending('refusals')).json['items'] as [Json];
    assert.deepEqual(others, []);
    assert.equal(call['requestId'], refused.headers.get('x-github-request-id'));
    assert.deepEqual([call['api'], call['category'], call['path']], ['host', 'core', '/user']);
    assert.equal((call['token'] as Json)['ending'], token.slice(-4));

    server.clock.ahead += 2 * 3_600_000;
    await server.app.kernel.limits.sync();
    const windows = (await spending('peaks')).json['items'] as Json[];
    const peaks = windows.find(({ api }) => api === 'host')!;
    assert.deepEqual(
      [
        (peaks['member'] as Json)['username'],
        peaks['api'],
        peaks['category'],
        peaks['limit'],
        peaks['seconds'],
      ],
      ['ada', 'host', 'core', 10, 3600],
    );
    assert.deepEqual(
      (peaks['hours'] as Json[]).map(({ most }) => most),
      [11],
      'with the one that was refused',
    );

    for (const path of ['routes', 'refusals', 'peaks']) {
      assert.equal((await spending(path, '?all=true')).status, 403, path);
      const all = (await server.call(`/signalbox/v1/limits/${path}?all=true`)).json['items'] as Json[];
      assert.ok(all.length > 0, path);
      assert.equal((await spending(path, '?all=perhaps')).status, 422, path);
      assert.equal((await server.call(`/signalbox/v1/limits/${path}`, { token: null })).status, 401, path);
    }
    const other = await giveToken(server, await join(server, 'bob', { role: 'reader' }), { role: 'reader' });
    for (const path of ['refusals', 'peaks'])
      assert.deepEqual((await spending(path, '', other.value)).json['items'], [], path);
    const isNarrow = [{ effect: 'deny' as const, actions: ['viewAccessToken'], resources: ['*'] }];
    const narrow = await giveToken(server, ada, { inlinePolicy: isNarrow });
    assert.equal((await spending('routes', '', narrow.value)).status, 403);
  });

  test('a server without limits says so, and calls that versions change name the change', async (t) => {
    const server = await startServerOn(engine, { limits: 'off' });
    t.after(() => server.stop());
    assert.deepEqual((await server.call(LIMITS)).json, { isEnabled: false, items: [] });

    const { status, json, text } = await server.call(`${CALLS}?q=rate_limit`);
    assert.equal(status, 200, text);
    const [rate, ...more] = json['items'] as [Json];
    assert.deepEqual(more, []);
    assert.equal(rate['operation'], 'rate-limit/get');
    assert.deepEqual([rate['path'], rate['parameters']], ['/rate_limit', []]);
    const [change] = rate['changes'] as Json[];
    assert.match(change!['title'], /^Property `rate` removed/);
    assert.match(change!['page'], /^\/docs\/host\/versions\/2026-03-10#property-rate-removed/);
    assert.equal((await server.call(change!['page'])).status, 200);
    const all = (await server.call(CALLS)).json['items'] as Json[];
    assert.ok((all[0]!['changes'] as Json[]).length > 0, 'those that change come first');
    for (const { operation, changes } of all) {
      const pages = (changes as Json[]).map(({ page }) => page as string);
      assert.equal(new Set(pages).size, pages.length, `${operation} names each change once`);
    }
    assert.deepEqual(all.find(({ operation }) => operation === 'meta/get-zen')!['changes'], []);
    assert.deepEqual((await server.call(`${CALLS}?q=nothing-like-it`)).json['items'], []);
    assert.equal((await server.call(CALLS, { token: null })).status, 401);
  });
});
