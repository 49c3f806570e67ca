// The example that `--demo` creates, on both engines: once, complete, and owned by the administrator.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { onEachEngine } from './engines.ts';
import { eventually } from './eventually.ts';
import { startServer, type Json, type TestServer } from './server.ts';
import { startServerOn } from './suites.ts';

/** The alerts are there some time after the start. */
async function checkHost({ call }: TestServer): Promise<void> {
  const listOf = async (path: string) => (await call(path)).json as unknown as Json[];
  const { text: source } = await call('/repos/admin/demo-shop/contents/src/checkout.ts', {
    headers: { accept: 'application/vnd.github.raw+json' },
  });
  const { json: references } = await call('/api/v2/code-refs/repositories/demo-shop/branches/main');
  const [{ hunks }] = references['references'] as [
    { hunks: [{ startingLineNumber: number; lines: string }] },
  ];
  assert.equal(source.split('\n')[hunks[0].startingLineNumber - 1]!.trim(), hunks[0].lines);
  await eventually(async () => {
    const alerts = await listOf('/repos/admin/demo-shop/code-scanning/alerts');
    const states = alerts.map(({ rule, state }) => `${rule.id} ${state}`).toSorted();
    return states.join() === 'js/html-injection open,js/sql-injection fixed';
  });
  const [secret, open] = await listOf('/gists');
  assert.deepEqual([secret!['public'], open!['public'], open!['comments']], [false, true, 1]);
  assert.equal((await listOf(`/gists/${open!['id']}/commits`)).length, 2);
  assert.deepEqual(
    (await listOf('/gists/starred')).map(({ id }) => id),
    [open!['id']],
  );
  const { json: installed } = await call('/user/installations');
  const [installation] = installed['installations'] as [Json];
  assert.equal(installation['app_slug'], 'demo-deployer');
  const { json: reached } = await call(`/user/installations/${installation['id']}/repositories`);
  assert.deepEqual(
    reached['repositories'].map((one: Json) => one['full_name']),
    ['admin/demo-shop'],
  );
}

onEachEngine((engine) => {
  test('an example of everything is created at the first start with it, and not again', async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-demo-'));
    t.after(() => rmSync(data, { recursive: true, force: true }));
    const database = engine.kind === 'postgres' ? { database: await engine.migratedDatabase() } : {};
    const start = () => startServer({ data, ...database, demo: true });
    const counts = async ({ call }: TestServer) => [
      (await call('/api/v2/flags/demo')).json['totalCount'],
      Object.keys((await call('/api/v2/code-refs/statistics/demo')).json['flags']).length,
      (await call('/v2/datasets/admin~demo-products')).json['data'].itemCount,
      (await call('/v2/request-queues/admin~demo-pages')).json['data'].totalRequestCount,
      (await call('/repos/admin/demo-shop/commits')).json['length'],
      (await call('/gists')).json['length'],
    ];
    const whole = [3, 1, 100, 20, 4, 2];

    const first = await start();
    assert.deepEqual(await counts(first), whole);
    const evaluate = async (key: string) => {
      const { json } = await first.call('/api/v2/projects/demo/environments/production/flags/evaluate', {
        method: 'POST',
        body: { kind: 'user', key },
      });
      const items = json['items'] as { key: string; _value: unknown }[];
      return Object.fromEntries(items.map((item) => [item.key, item._value]));
    };
    const { 'new-checkout': forAda } = await evaluate('ada');
    const { 'banner-colour': forGrace } = await evaluate('grace');
    assert.deepEqual([forAda, forGrace], [true, 'green']);
    const { json: log } = await first.call('/api/v2/auditlog?spec=proj/demo&limit=1');
    assert.equal(log['items'][0].member.email, 'admin@signalbox.example');
    const { json: tokens } = await first.call('/api/v2/tokens?showAll=true');
    assert.equal(tokens['totalCount'], 1, 'the token that made it is gone');
    await checkHost(first);
    await first.stop();

    const second = await start();
    assert.deepEqual(await counts(second), whole);
    assert.equal((await second.call('/api/v2/projects/demo', { method: 'DELETE' })).status, 204);
    assert.equal((await second.call('/repos/admin/demo-shop', { method: 'DELETE' })).status, 204);
    await second.stop();

    const third = await start();
    assert.deepEqual(await counts(third), whole);
    await third.stop();
  });

  test('without the setting there is none', async () => {
    const server = await startServerOn(engine);
    assert.equal((await server.call('/api/v2/projects/demo')).status, 404);
    await server.stop();
  });
});
