// Runs that are interrupted at awkward moments: while their dependencies are installed, after a crash, while they are resurrected.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { after, before, test } from 'node:test';
import type { ActorPricing } from '../../../../src/actors/actors/pricing.ts';
import { findActorById } from '../../../../src/actors/actors/store.ts';
import { startRun as startRunOf } from '../../../../src/actors/runs/start-run.ts';
import type { KnownCaller } from '../../../../src/kernel/identity/caller.ts';
import { createActor, finishedRun, startRun, statusOf } from '../../../actors.ts';
import { OBEDIENT, script } from '../../../actor-sources.ts';
import { onEachEngine, onEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { giveToken, join } from '../../../people.ts';
import { insertRunRow } from '../../../run-rows.ts';
import { startServer, type CallInit, type Json, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const hasNpm = spawnSync('npm', ['--version']).status === 0;

onEngine('sqlite', (engine) => {
  let server: TestServer;
  let gate: Server;
  let isOpen = true;
  let asked = 0;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    gate = createServer((_request, response) => {
      asked += 1;
      if (isOpen) response.end('go');
    });
    await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    gate.closeAllConnections();
    gate.close();
    await server.stop();
  });

  const call = (path: string, init?: CallInit) => server.call(`/v2${path}`, init);

  /** Its installation waits for the gate. */
  async function createSlow(name: string): Promise<Json> {
    const { port } = gate.address() as AddressInfo;
    isOpen = true;
    const preinstall = `node -e "fetch('http://127.0.0.1:${port}')"`;
    const scripts = { start: 'node main.js', preinstall };
    const actor = await createActor(
      server,
      { ...OBEDIENT, 'package.json': JSON.stringify({ name, version: '1.0.0', type: 'module', scripts }) },
      { name },
    );
    isOpen = false;
    rmSync(joinPath(server.app.kernel.settings.execution.work, 'dependencies'), {
      recursive: true,
      maxRetries: 10,
    });
    return actor;
  }

  const skip = hasNpm ? false : 'needs npm';

  test('an abort and a time-out end a run whose dependencies are being installed', { skip }, async () => {
    const actor = await createSlow('slow');
    asked = 0;
    const [first, second] = [
      await startRun(server, actor['id'] as string),
      await startRun(server, actor['id'] as string, { query: 'timeout=3000' }),
    ];
    await eventually(() => asked === 1, 'the installation');
    await eventually(async () => (await statusOf(server, second['id'] as string)) === 'RUNNING');
    await call(`/actor-runs/${first['id']}/abort?gracefully=true`, { method: 'POST' });
    assert.equal((await finishedRun(server, first['id'] as string))['status'], 'ABORTED');
    server.clock.ahead += 3_000_000;
    const { status, statusMessage } = await finishedRun(server, second['id'] as string);
    assert.deepEqual([status, statusMessage], ['TIMED-OUT', 'Actor run timed out']);
  });

  test('a metamorph does not wait for the installation of the Actor before it', { skip }, async () => {
    const actor = await createSlow('slower');
    await createActor(server, OBEDIENT, { name: 'target' });
    asked = 0;
    const { id } = await startRun(server, actor['id'] as string);
    await eventually(() => asked === 1, 'the installation');
    const answer = await call(`/actor-runs/${id}/metamorph?targetActorId=~target`, {
      method: 'POST',
      body: { output: 'from the target' },
    });
    assert.equal(answer.status, 200, answer.text);
    const run = await finishedRun(server, id as string);
    assert.equal(run['status'], 'SUCCEEDED', JSON.stringify(run));
    const { metamorph, restartCount, migrationCount } = run['stats'] as Json;
    assert.deepEqual([metamorph, restartCount, migrationCount], [1, 0, 0]);
  });

  test('a server removes the working folders that an earlier one has left', async () => {
    const work = mkdtempSync(joinPath(tmpdir(), 'left-'));
    const left = joinPath(work, 'runs', 'dead');
    mkdirSync(left, { recursive: true });
    writeFileSync(joinPath(left, 'file'), 'x');
    const next = await startServer({ work, limits: 'off' });
    await eventually(() => readdirSync(work).every((name) => !name.startsWith('runs')), 'the removal');
    await next.stop();
    rmSync(work, { recursive: true });
  });

  test('a run that was timing out when its server died starts no process again', async () => {
    const { db } = server.app.kernel;
    const actor = await createActor(
      server,
      script(`await pushData({ pid: process.pid }); await sleep(600_000);`),
      { name: 'sleeper' },
    );
    for (const changes of [{ status: 'TIMING-OUT' }, { timeout_at: 1 }]) {
      const run = await startRun(server, actor['id'] as string);
      const items = `/datasets/${run['defaultDatasetId']}/items`;
      await eventually(async () => (await call(items)).json.length === 1);
      // As if the server had died then: another claim while the run is not ready.
      await db
        .updateTable('runs')
        .set(changes)
        .where('id', '=', run['id'] as string)
        .execute();
      await db.updateTable('jobs').set({ owner: null, lease_until: null }).execute();
      const ended = await finishedRun(server, run['id'] as string);
      assert.equal(ended['status'], 'TIMED-OUT');
      assert.equal((await call(items)).json.length, 1);
    }
  });

  test('a run that does not start leaves no storages and no input behind', async () => {
    const { kernel } = server.app;
    const actor = await createActor(server, OBEDIENT, { name: 'storeless' });
    const countOf = async () => (await kernel.db.selectFrom('storages').select('id').execute()).length;
    const listRecordBlobs = async () =>
      (await Array.fromAsync(kernel.blobs.list())).filter(({ key }) => key.startsWith('kv/'));
    const earlier = await countOf();
    const blobs = await listRecordBlobs();
    const refused = await call('/actors/~storeless/runs?memory=32768', {
      method: 'POST',
      body: { large: 'x'.repeat(1_000_000) },
    });
    assert.deepEqual([refused.status, refused.json.error.type], [402, 'actor-memory-limit-exceeded']);
    assert.equal(await countOf(), earlier);
    assert.deepEqual(await listRecordBlobs(), blobs);
    // Its token was deleted after the call was admitted.
    const account = { id: 'gone', isService: true };
    await assert.rejects(
      startRunOf(
        kernel,
        {
          actor: (await findActorById(kernel.db, actor['id'] as string))!,
          caller: { account } as KnownCaller,
          meta: { origin: 'API', initiator: { memberId: 'gone' } },
          query: {},
          input: {},
        },
        kernel.clock.now(),
      ),
    );
    assert.equal(await countOf(), earlier);
  });

  test('a run of a deleted service token can be resurrected, and then acts for the member who did that', async () => {
    const owner = await join(server, 'maker', { role: 'admin' });
    const { id, value: token } = await giveToken(server, owner, {
      isService: true,
      name: 'leaver',
      role: 'writer',
    });
    const actor = await createActor(
      server,
      script(`process.exit((await api('/users/me')).status === 200 ? 0 : 9);`),
      { name: 'asks', token },
    );
    const run = await startRun(server, actor['id'] as string, { token });
    assert.equal((await finishedRun(server, run['id'] as string, { token }))['exitCode'], 0);
    assert.equal((await server.call(`/api/v2/tokens/${id}`, { method: 'DELETE' })).status, 204);
    const again = await call(`/actor-runs/${run['id']}/resurrect`, { method: 'POST' });
    assert.equal(again.status, 200, again.text);
    assert.equal((await finishedRun(server, run['id'] as string))['exitCode'], 0);
  });
});

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off', role: 'api' });
  });
  after(() => server.stop());

  test('an abort that meets a resurrection, or an unfinished run without a job, ends the run', async () => {
    const { kernel } = server.app;
    const { id: userId } = (await server.call('/v2/users/me')).json.data;
    const runId = await insertRunRow(kernel, { userId, finishedAt: 1 });
    const path = `/v2/actor-runs/${runId}`;
    for (let n = 0; n < 10; n += 1) {
      const [resurrected, aborted] = await Promise.all([
        server.call(`${path}/resurrect`, { method: 'POST' }),
        server.call(`${path}/abort`, { method: 'POST' }),
      ]);
      assert.deepEqual([resurrected.status, aborted.status], [200, 200], resurrected.text + aborted.text);
      const { status } = (await server.call(path)).json.data;
      const jobs = await kernel.db.selectFrom('jobs').select('id').execute();
      assert.equal(jobs.length, status === 'READY' ? 1 : 0, status);
      const { json } = await server.call(`${path}/abort`, { method: 'POST' });
      assert.equal(json.data.status, 'ABORTED');
    }
    await server.call(`${path}/resurrect`, { method: 'POST' });
    await kernel.db.deleteFrom('jobs').execute();
    const { json } = await server.call(`${path}/abort`, { method: 'POST' });
    assert.equal(json.data.status, 'ABORTED');
  });

  test('a charge with a very long idempotency key counts once', async () => {
    const { kernel } = server.app;
    const { id: userId } = (await server.call('/v2/users/me')).json.data;
    const pricing: ActorPricing = {
      pricingModel: 'PAY_PER_EVENT',
      pricingPerEvent: { actorChargeEvents: { page: { eventPriceUsd: 0.01 } } },
    };
    const path = `/v2/actor-runs/${await insertRunRow(kernel, { userId, pricing })}`;
    const key = randomBytes(4000).toString('hex');
    for (let n = 0; n < 2; n += 1) {
      const charged = await server.call(`${path}/charge`, {
        method: 'POST',
        body: { eventName: 'page' },
        headers: { 'idempotency-key': key },
      });
      assert.equal(charged.status, 201, charged.text);
    }
    assert.deepEqual((await server.call(path)).json.data.chargedEventCounts, { page: 1 });
  });
});
