// The example that `--demo` creates, on both engines: once, complete, and owned by the administrator.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { actorsApi } from '../src/actors/api.ts';
import { seedDemo, type DemoServer } from '../src/app/demo.ts';
import { checkActors, checkHost, checkRepository, countsOf, hasOneToken, WHOLE } from './demo-content.ts';
import { onEachEngine } from './engines.ts';
import { eventually } from './eventually.ts';
import { startServer } from './server.ts';
import { startServerOn } from './suites.ts';

onEachEngine((engine) => {
  test('an example of everything is created at the first start with it, and not again', async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-demo-'));
    t.after(() => {
      // Beside the data folder is the work folder, where each program has a user of its own.
      for (const path of [data, `${data}-work`])
        rmSync(path, { recursive: true, force: true, maxRetries: 10 });
    });
    const database = engine.kind === 'postgres' ? { database: await engine.migratedDatabase() } : {};
    const start = () => startServer({ data, ...database, demo: true });
    const first = await start();
    assert.deepEqual(await countsOf(first), WHOLE);
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
    await eventually(async () => {
      const { json } = await first.call('/api/v2/code-refs/repositories/demo-shop');
      return json['sourceLink'] === `${first.url}/admin/demo-shop`;
    }, 'a link from the flag to its code on this server');
    await checkHost(first);
    await checkRepository(first);
    await checkActors(first);
    await eventually(() => hasOneToken(first), 'the token that made it is gone');
    await first.stop();

    const second = await start();
    assert.deepEqual(await countsOf(second), WHOLE);
    await eventually(() => hasOneToken(second), 'the end of what a start does');
    assert.equal((await second.call('/v2/actors/admin~demo-price-check/runs')).json['data'].total, 2);
    assert.equal((await second.call('/api/v2/projects/demo', { method: 'DELETE' })).status, 204);
    assert.equal((await second.call('/repos/admin/demo-shop', { method: 'DELETE' })).status, 204);
    await second.stop();

    const third = await start();
    assert.deepEqual(await countsOf(third), WHOLE);
    await third.stop();
  });

  test('where Actors may not run, there is all of them but builds and runs', async (t) => {
    const server = await startServerOn(engine);
    t.after(() => server.stop());
    const { kernel } = server.app;
    const runner = { ...kernel.services.runner, refusal: 'There is no sandbox.' };
    const refusing = { ...kernel, services: { ...kernel.services, runner } };
    const inject: DemoServer['inject'] = async ({ method, url, headers, payload }) => {
      const { status, text } = await server.call(url, { method, headers, token: null, body: payload });
      return { statusCode: status, payload: text };
    };
    const rest = await seedDemo({ inject }, refusing, [actorsApi]);
    await rest.start();
    const totalOf = async (path: string) => (await server.call(`/v2${path}`)).json['data'].total;
    assert.equal(await totalOf('/actor-tasks'), 1);
    assert.equal(await totalOf('/schedules'), 1);
    assert.equal(await totalOf('/actor-builds'), 0);
  });
});
