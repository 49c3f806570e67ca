// Runs and builds with a network of their own: out of reach for this machine, and yet part of the platform.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test, type TestContext } from 'node:test';
import { machineIsolation, type Isolation } from '../../../../src/actors/runner/isolation/isolation.ts';
import { openRunner } from '../../../../src/actors/runner/open-runner.ts';
import { createActor, finishedRun, startRun } from '../../../actors.ts';
import { script } from '../../../actor-sources.ts';
import { eventually } from '../../../eventually.ts';
import { needsNetwork } from '../../../network-tests.ts';
import { startServer, type TestServer } from '../../../server.ts';
import { createStandby } from '../standby/calls.ts';

async function serveOnLoopback(t: TestContext, answer: Parameters<typeof createServer>[1]): Promise<number> {
  const http = createServer(answer).listen(0, '127.0.0.1');
  await once(http, 'listening');
  t.after(() => http.close().closeAllConnections());
  return (http.address() as AddressInfo).port;
}

suite('with --actor-network private', { skip: needsNetwork }, () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ limits: 'off', actorNetwork: 'private' });
  });
  after(() => server.stop());

  test('a run uses the API, reaches nothing else of this machine, and cannot be reached', async (t) => {
    const other = await serveOnLoopback(t, (_request, response) => response.end('reached'));
    const actor = await createActor(
      server,
      script(`const { createServer } = await import('node:http');
        const { other, own } = await getInput();
        const reach = (url) => fetch(url).then((answer) => answer.status, (error) => String(error.cause?.code));
        const listen = async (port, host) => {
          const thief = createServer((_, response) => response.end('stolen'));
          await new Promise((resolve) => thief.listen(port, host, resolve));
          return thief.address().port;
        };
        const [port, taken] = [await listen(0, '0.0.0.0'), await listen(other, '127.0.0.1')];
        await pushData([{ row: 1 }]);
        await setValue('OUTPUT', { other: await reach('http://10.0.2.2:' + other + '/'), own: await reach(own + '/healthz'), taken, port });
        await sleep(600_000);`),
    );
    const run = await startRun(server, actor['id'] as string, { input: { other, own: server.url } });
    const output = `/v2/key-value-stores/${run['defaultKeyValueStoreId']}/records/OUTPUT`;
    await eventually(async () => (await server.call(output)).status === 200, 'the output');
    const { json } = await server.call(output);
    // Its own server is reached by its URL, as from outside.
    assert.deepEqual([json['own'], json['taken']], [200, other]);
    assert.notEqual(json['other'], 200);
    // Another program of this machine may listen on the same number.
    const seen = await fetch(`http://127.0.0.1:${json['port']}/`, { signal: AbortSignal.timeout(5000) }).then(
      (answer) => answer.text(),
      () => 'nothing',
    );
    assert.notEqual(seen, 'stolen');
    assert.equal(await (await fetch(`http://127.0.0.1:${other}/`)).text(), 'reached');
    assert.deepEqual((await server.call(`/v2/datasets/${run['defaultDatasetId']}/items`)).json, [{ row: 1 }]);
    await server.call(`/v2/actor-runs/${run['id']}/abort`, { method: 'POST' });
    await finishedRun(server, run['id'] as string);
    const log = await server.call(`/v2/logs/${run['id']}`);
    assert.match(log.text, /ACTOR: Starting build 0\.1\.1 with a network of its own\./);
  });

  test('a run in standby mode answers', async () => {
    const actor = await createStandby(server, { idleTimeoutSecs: 60 });
    const { status, json, text } = await server.call(`/standby/${actor['id']}/inside`, {
      method: 'POST',
      body: { a: 1 },
    });
    assert.equal(status, 200, text);
    assert.deepEqual([json['url'], json['length']], ['/inside', 7]);
    await assert.rejects(fetch('http://127.0.0.1:4321/'));
    await server.call(`/v2/actor-runs/${json['run']}/abort`, { method: 'POST' });
  });

  test("a build installs packages from the operator's own registry on loopback, and reaches nothing else there", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'registry-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    let stolen = 0;
    const other = await serveOnLoopback(t, (_request, response) => {
      stolen += 1;
      response.end();
    });
    mkdirSync(join(folder, 'package'));
    const steal = `node -e 'fetch("http://127.0.0.1:${other}").catch(() => {})'`;
    const manifest = { name: 'greeting', version: '1.0.0', main: 'index.js', scripts: { install: steal } };
    writeFileSync(join(folder, 'package/package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'package/index.js'), 'module.exports = "from the registry";');
    assert.equal(spawnSync('tar', ['czf', 'greeting.tgz', 'package'], { cwd: folder }).status, 0);
    const registry = await serveOnLoopback(t, (request, response) => {
      if (request.url?.endsWith('.tgz')) return response.end(readFileSync(join(folder, 'greeting.tgz')));
      const dist = { tarball: `http://localhost:${registry}/greeting.tgz` };
      const versions = { '1.0.0': { ...manifest, hasInstallScript: true, dist } };
      return response.end(JSON.stringify({ name: 'greeting', 'dist-tags': { latest: '1.0.0' }, versions }));
    });
    const earlier = process.env['npm_config_registry'];
    process.env['npm_config_registry'] = `http://localhost:${registry}/`;
    t.after(() => {
      if (earlier === undefined) delete process.env['npm_config_registry'];
      else process.env['npm_config_registry'] = earlier;
    });
    const packaged = {
      type: 'module',
      scripts: { start: 'node main.js' },
      dependencies: { greeting: '1.0.0' },
    };
    const actor = await createActor(
      server,
      script(`await setValue('OUTPUT', { said: (await import('greeting')).default });`, {
        'package.json': JSON.stringify(packaged),
      }),
    );
    const answer = await server.call(`/v2/actors/${actor['id']}/run-sync`, { method: 'POST' });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(answer.json, { said: 'from the registry' });
    assert.equal(stolen, 0);
  });

  test('a run whose network cannot be had fails with a sentence, and has not that of the machine', async (t) => {
    const actor = await createActor(server, script(`await setValue('OUTPUT', 'started');`));
    const { services, settings, log } = server.app.kernel;
    const { runner } = services;
    t.after(() => (services.runner = runner));
    const found = await machineIsolation();
    const isolation = { ...found, tools: { ...found.tools, slirp4netns: '/bin/false' } } as Isolation;
    services.runner = await openRunner(settings.execution, log, { isolation });
    const run = await startRun(server, actor['id'] as string);
    const { status, statusMessage } = await finishedRun(server, run['id'] as string);
    assert.equal(status, 'FAILED');
    assert.match(
      String(statusMessage),
      /cannot have a network of its own: slirp4netns does not work \(.+\)\./,
    );
    const output = `/v2/key-value-stores/${run['defaultKeyValueStoreId']}/records/OUTPUT`;
    assert.equal((await server.call(output)).status, 404);
  });

  test('the node says that runs do not share its network', async () => {
    const { services } = server.app.kernel;
    await eventually(async () => !(await services.networkSharing.doRunsShare()));
    assert.equal((await server.call('/readyz', { token: null })).json['actors'].network, 'private');
  });
});

test('with --actor-network host the node says that runs share it', async (t) => {
  const server = await startServer({ limits: 'off' });
  t.after(() => server.stop());
  assert.equal(await server.app.kernel.services.networkSharing.doRunsShare(), true);
});
