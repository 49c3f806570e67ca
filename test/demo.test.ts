// The example that `--demo` creates, on both engines: once, complete, and owned by the administrator.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { onEachEngine } from './engines.ts';
import { startServer, type TestServer } from './server.ts';
import { startServerOn } from './suites.ts';

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
    ];

    const first = await start();
    assert.deepEqual(await counts(first), [3, 1, 100, 20]);
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
    await first.stop();

    const second = await start();
    assert.deepEqual(await counts(second), [3, 1, 100, 20]);
    assert.equal((await second.call('/api/v2/projects/demo', { method: 'DELETE' })).status, 204);
    await second.stop();

    const third = await start();
    assert.deepEqual(await counts(third), [3, 1, 100, 20]);
    await third.stop();
  });

  test('without the setting there is none', async () => {
    const server = await startServerOn(engine);
    assert.equal((await server.call('/api/v2/projects/demo')).status, 404);
    await server.stop();
  });
});
