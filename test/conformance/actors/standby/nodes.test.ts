// Standby mode on several nodes: one node counts the requests of a program, wherever they come in.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { WebSocket } from 'ws';
import type { Config } from '../../../../src/app/config.ts';
import { createActor, finishedRun, startRun } from '../../../actors.ts';
import { script } from '../../../actor-sources.ts';
import { onEngine } from '../../../engines.ts';
import { eventually, inTime } from '../../../eventually.ts';
import { fixedPort } from '../../../fixed-port.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../../../server.ts';
import { createStandby, openHttpRequest, runOf, runsOf } from './calls.ts';

onEngine('postgres', (engine) => {
  const running: TestServer[] = [];
  /** All nodes need the sources of builds. */
  const blobs = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  after(async () => {
    await Promise.all(running.map((node) => node.stop()));
    rmSync(blobs, { recursive: true });
  });

  async function start(database: string, settings: Partial<Config>, isReachable = true): Promise<TestServer> {
    const port = await fixedPort();
    const nodeUrl = `http://127.0.0.1:${port}`;
    const publicUrl = 'http://signalbox.example';
    const node = await startServer({
      database,
      limits: 'off',
      blobs,
      port,
      publicUrl,
      ...(isReachable && { nodeUrl }),
      ...settings,
    });
    running.push(node);
    return node;
  }

  /** Until each has announced itself, and the others have seen it. */
  async function settled(node: TestServer, count: number): Promise<void> {
    await eventually(async () => {
      const rows = await node.app.kernel.db.selectFrom('actor_nodes').selectAll().execute();
      return rows.length === count;
    }, 'all nodes');
  }

  test('eight requests at two nodes share as many runs as at one, on one node', async () => {
    const database = await engine.migratedDatabase();
    const one = await start(database, {});
    const two = await start(database, {});
    await settled(one, 2);
    const actor = await createStandby(one, { desiredRequestsPerActorRun: 3, maxRequestsPerActorRun: 4 });
    const path = `/standby/${actor['id']}/shared?x=1`;
    const open = Array.from({ length: 8 }, (_, index) => openHttpRequest(index % 2 === 0 ? one : two, path));
    await eventually(async () => (await runsOf(one, actor['id'] as string)).length >= 3, 'three runs');
    const answers = await Promise.all(open.map((request) => request.end()));
    for (const { status, json } of answers) {
      assert.equal(status, 200, JSON.stringify(json));
      assert.equal(json['url'], '/shared?x=1');
      assert.ok((json['most'] as number) <= 4);
      assert.equal(json['headers'].authorization, undefined);
      assert.equal(json['headers']['x-forwarded-for'], '127.0.0.1');
      assert.equal(json['headers']['x-forwarded-host'], 'signalbox.example');
      assert.equal(json['headers']['x-signalbox-hop'], undefined);
    }
    assert.equal((await runsOf(one, actor['id'] as string)).length, 3);
    const nodes = await one.app.kernel.db.selectFrom('jobs').select('owner').execute();
    assert.equal(new Set(nodes.map(({ owner }) => owner?.split('/')[0])).size, 1);
    for (const node of [one, two]) {
      const socket = new WebSocket(`${node.url.replace('http', 'ws')}/standby/${actor['id']}/head`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      });
      const [seen] = (await inTime(once(socket, 'message'))) as [Buffer];
      assert.ok(!seen.toString().includes(ADMIN_TOKEN));
      socket.close();
      await inTime(once(socket, 'close'));
    }
  });

  test('a node that only answers calls passes them on to one that executes, which nobody else can call', async () => {
    const database = await engine.migratedDatabase();
    const worker = await start(database, { role: 'worker', actorsUnsandboxed: true });
    const api = await start(database, { role: 'api' });
    await settled(api, 1);
    const actor = await createStandby(api);
    const { status, json, text } = await api.call(`/standby/${actor['id']}/there`, {
      method: 'POST',
      body: { a: 1 },
    });
    assert.equal(status, 200, text);
    assert.deepEqual([json['url'], json['length']], ['/there', 7]);
    assert.equal((await worker.call(`/standby/${actor['id']}/`)).status, 404);
    const forged = await worker.call(`/standby/${actor['id']}/`, {
      headers: { 'x-signalbox-hop': `${Date.now()}.a.b` },
    });
    assert.equal(forged.status, 400);
    const view = await api.call(`/container/${json['run']}/view`);
    assert.deepEqual([view.status, view.json['url']], [200, '/view']);
    await eventually(
      async () => (await runOf(api, json['run'] as string))['isContainerServerReady'] === true,
      'it is saved that the run is ready',
    );
  });

  test('without --node-url each node serves its own runs, and one that executes none says what is missing', async () => {
    const database = await engine.migratedDatabase();
    const one = await start(database, {}, false);
    const api = await start(database, { role: 'api' }, false);
    const two = await start(database, {}, false);
    const actor = await createStandby(one);
    const path = `/standby/${actor['id']}/`;
    const runs = await Promise.all([one.call(path), two.call(path)]);
    assert.notEqual(runs[0].json['run'], runs[1].json['run']);
    const refused = await api.call(path);
    assert.deepEqual([refused.status, refused.json['error'].type], [403, 'platform-feature-disabled']);
    assert.match(refused.json['error'].message as string, /--node-url/);
    const view = await api.call(`/container/${runs[0].json['run']}/`);
    assert.match(view.json['error'].message as string, /--node-url/);
  });

  test('when a node is gone, its programs get runs on another', async () => {
    const database = await engine.migratedDatabase();
    const nodes = [await start(database, {}), await start(database, {})] as const;
    await settled(nodes[0], 2);
    const actor = await createStandby(nodes[0]);
    const path = `/standby/${actor['id']}/`;
    const { json, text, status } = await nodes[0].call(path);
    assert.equal(status, 200, text);
    const [row] = await nodes[0].app.kernel.db
      .selectFrom('jobs')
      .select('owner')
      .where('id', '=', json['run'] as string)
      .execute();
    const home = nodes.find((node) => row!.owner!.startsWith(`${node.app.kernel.services.thisNode.name}/`))!;
    const other = nodes.find((node) => node !== home)!;
    running.splice(running.indexOf(home), 1);
    await home.stop();
    await eventually(async () => (await other.call(path)).status === 200, 'an answer of the other node');
    // What the other one had begun goes on here, or has ended.
    other.clock.ahead += 40_000;
    await eventually(async () => {
      const [job] = await other.app.kernel.db
        .selectFrom('jobs')
        .select('owner')
        .where('id', '=', json['run'] as string)
        .execute();
      return (
        job === undefined || (job.owner?.startsWith(`${other.app.kernel.services.thisNode.name}/`) ?? false)
      );
    }, 'the run of the other node');
  });

  test('an ordinary run is at its container URL on every node', async () => {
    const database = await engine.migratedDatabase();
    const api = await start(database, { role: 'api' });
    await start(database, {});
    await settled(api, 1);
    const actor = await createActor(
      api,
      script(`const { createServer } = await import('node:http');
        createServer((request, response) => response.end('live')).listen(Number(env.ACTOR_WEB_SERVER_PORT));`),
    );
    const { id } = await startRun(api, actor['id'] as string);
    await eventually(async () => (await api.call(`/container/${id}/`)).text === 'live', 'the web server');
    await api.call(`/v2/actor-runs/${id}/abort`, { method: 'POST' });
    await finishedRun(api, id as string);
  });
});
