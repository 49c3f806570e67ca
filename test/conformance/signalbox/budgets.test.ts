// Rate limits as they stand, and the calls that versions change, over HTTP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../engines.ts';
import { join, openBrowser } from '../../people.ts';
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

    const headers = await openBrowser(server, await join(server, 'ada', { role: 'reader' }));
    await server.call('/user', { token: null, headers });
    const own = (await server.call(LIMITS, { token: null, headers })).json['items'] as Json[];
    assert.deepEqual([...new Set(own.map(({ budget }) => budget))], ['browser'], 'she has no token');
    assert.equal((await server.call(LIMITS, { token: null })).status, 401);
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
