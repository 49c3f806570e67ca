// SIGKILL of a server in the middle of runs: each goes on with the same storages, none is lost, and no process stays.
import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createActor, finishedRun, startRun } from '../actors.ts';
import { script } from '../actor-sources.ts';
import { onEachEngine, onEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startServer, type Json } from '../server.ts';
import { callerOf, settingsOn, startChild, TOKEN, type ChildServer } from './child-server.ts';

const RUNS = 20;
/** Counts its processes, and ends once a record GO is there. */
const PATIENT = script(`console.log('process is up');
await pushData({ pid: process.pid });
while ((await api(record('GO'))).status === 404) await sleep(50);
await setValue('OUTPUT', 'done');
`);

/** The processes on this machine that work in a folder below this one. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      return false;
    }
  });
}

onEachEngine((engine) => {
  test(`${RUNS} runs go on after their server was killed, and no process of it stays`, async (t) => {
    const { settings } = await settingsOn(engine);
    const limits = { SIGNALBOX_NODE_RUNS: String(RUNS), SIGNALBOX_NODE_MEMORY: String(RUNS * 128) };
    let child: ChildServer = await startChild({ ...settings, ...limits });
    t.after(() => child.kill());
    const server = callerOf(() => child.url);
    const actor = await createActor(server, PATIENT, { name: 'patient' });
    const begun = await Promise.all(
      Array.from({ length: RUNS }, () => startRun(server, actor['id'] as string, { query: 'memory=128' })),
    );
    const countOf = async (run: Json) =>
      ((await server.call(`/v2/datasets/${run['defaultDatasetId']}/items`)).json as unknown as unknown[])
        .length;
    const allHave = (count: number) => async () => {
      const counts = await Promise.all(begun.map(countOf));
      return counts.every((n) => n >= count);
    };
    await eventually(allHave(1), 'every run has a process');
    await child.kill();
    await eventually(() => processesIn(settings.SIGNALBOX_DATA).length === 0, 'no process stays');

    child = await startChild({ ...settings, ...limits });
    await eventually(allHave(2), 'every run has its second process');
    for (const run of begun)
      await server.call(`/v2/key-value-stores/${run['defaultKeyValueStoreId']}/records/GO`, {
        method: 'PUT',
        body: '1',
      });
    for (const { id } of begun) {
      const run = await finishedRun(server, id as string);
      assert.deepEqual([run['status'], run['stats'].migrationCount], ['SUCCEEDED', 1], JSON.stringify(run));
      assert.equal(await countOf(run), 2, 'two processes, one after the other');
      const log = await server.call(`/v2/logs/${id}`);
      assert.equal(log.text.match(/process is up/g)?.length, 2, log.text);
    }
    await child.kill();
    await eventually(() => processesIn(settings.SIGNALBOX_DATA).length === 0, 'no process stays');
  });
});

onEngine('postgres', (engine) => {
  test('the runs of a killed node go on at another one, with the same ids and storages', async (t) => {
    const { location, settings } = await settingsOn(engine);
    const key = 'the same secret key for both nodes';
    const blobs = join(settings.SIGNALBOX_DATA, 'shared-blobs');
    const child = await startChild({ ...settings, SIGNALBOX_SECRET_KEY: key, SIGNALBOX_BLOBS: blobs });
    t.after(() => child.kill());
    const first = callerOf(() => child.url);
    const actor = await createActor(first, PATIENT, { name: 'patient' });
    const { id } = await startRun(first, actor['id'] as string, { query: 'memory=128' });
    const run = (await first.call(`/v2/actor-runs/${id}`)).json.data as Json;
    const items = `/v2/datasets/${run['defaultDatasetId']}/items`;
    await eventually(async () => ((await first.call(items)).json as unknown as unknown[]).length === 1);
    const other = await startServer({
      database: location,
      blobs,
      limits: 'off',
      secretKey: key,
      adminToken: TOKEN,
    });
    try {
      await child.kill();
      // Later than the lease of the node that is gone.
      other.clock.ahead += 60_000;
      const second = callerOf(() => other.url);
      await eventually(async () => ((await second.call(items)).json as unknown as unknown[]).length === 2);
      const go = `/v2/key-value-stores/${run['defaultKeyValueStoreId']}/records/GO`;
      await second.call(go, { method: 'PUT', body: '1' });
      const ended = await finishedRun(second, id as string);
      assert.deepEqual([ended['status'], ended['stats'].migrationCount], ['SUCCEEDED', 1]);
    } finally {
      // Before its folders are removed.
      await other.stop();
    }
  });
});
