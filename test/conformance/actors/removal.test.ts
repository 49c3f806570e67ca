// What becomes of builds and runs when their Actor, or the account that owns it, is deleted.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { insertJob } from '../../../src/actors/jobs/store.ts';
import { insertLog } from '../../../src/actors/logs/store.ts';
import { updateRun } from '../../../src/actors/runs/store.ts';
import { onEachEngine } from '../../engines.ts';
import { eventually } from '../../eventually.ts';
import { giveToken, join } from '../../people.ts';
import type { TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';
import { giveActor, giveBuild, giveRun, giveTask } from './runs/run-rows.ts';

/** More than any node has, so that the job waits for ever. */
const TOO_MUCH_MEMORY = 1_000_000_000;

onEachEngine((engine) => {
  let server: TestServer;
  let other: string;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    const member = await join(server, 'other', { role: 'writer' });
    other = (await giveToken(server, member, { role: 'writer' })).value;
  });
  after(() => server.stop());

  const statusOf = async (path: string, token?: string) =>
    (await server.call(`/v2${path}`, token === undefined ? {} : { token })).status;

  test('a deleted Actor takes its builds, runs, logs and unnamed storages with it', async () => {
    const { db } = server.app.kernel;
    const actor = await giveActor(server, { isPublic: true });
    const build = await giveBuild(server, actor, {});
    const [done, waiting] = [await giveRun(server, actor), await giveRun(server, actor)];
    const foreign = await giveRun(server, actor, { token: other });
    const now = server.clock.now();
    await insertLog(db, { id: done.id, userId: done.userId }, now);
    for (const run of [waiting, foreign]) {
      await db.transaction().execute(async (tx) => {
        await updateRun(tx, run.id, { status: 'READY', finishedAt: null });
        await insertLog(tx, { id: run.id, userId: run.userId }, now);
        const job = { id: run.id, kind: 'run' as const, userId: run.userId };
        await insertJob(tx, { ...job, memoryMbytes: TOO_MUCH_MEMORY }, now);
      });
    }
    await server.call(`/v2/datasets/${done.datasetId}`, { method: 'PUT', body: { name: 'results' } });
    const { status } = await server.call(`/v2/actors/${actor.id}`, { method: 'DELETE' });
    assert.equal(status, 204);
    await eventually(async () => (await statusOf(`/actor-builds/${build}`)) === 404);
    for (const path of [
      `/actor-runs/${done.id}`,
      `/actor-runs/${waiting.id}`,
      `/logs/${done.id}`,
      `/key-value-stores/${done.storeId}`,
      `/request-queues/${waiting.queueId}`,
    ]) {
      assert.equal(await statusOf(path), 404, path);
    }
    assert.equal(await statusOf(`/datasets/${done.datasetId}`), 200);
    const { json } = await server.call(`/v2/actor-runs/${foreign.id}`, { token: other });
    assert.equal(json['data'].status, 'ABORTED');
    assert.equal(await statusOf(`/datasets/${foreign.datasetId}`, other), 200);
    assert.deepEqual(await db.selectFrom('jobs').select('id').execute(), []);
    await eventually(async () => {
      const due = await db.selectFrom('due').select('id').where('kind', '=', 'actors.purge').execute();
      return due.length === 0;
    });
  });

  test('when a service token is deleted, the deleter gets its Actors, builds and runs', async () => {
    const owner = await join(server, 'maker', { role: 'admin' });
    const power = { isService: true, name: 'leaver', role: 'writer' as const };
    const { id, value: token } = await giveToken(server, owner, power);
    const own = await giveActor(server, { name: 'Same' });
    const ownRun = await giveRun(server, own);
    const given = await giveActor(server, { name: 'same', token });
    const build = await giveBuild(server, given, {});
    await giveTask(server, own, { name: 'Nightly' });
    const taskId = await giveTask(server, given, { name: 'nightly', token });
    const taskRun = await giveRun(server, given, { taskId, token });
    const [run, foreign] = [await giveRun(server, given, { token }), await giveRun(server, own, { token })];
    const total = async () => (await server.call('/v2/actor-runs')).json['data'].total as number;
    const earlier = await total();
    const { status } = await server.call(`/api/v2/tokens/${id}`, { method: 'DELETE' });
    assert.equal(status, 204);
    const { json } = await server.call(`/v2/actors/${given.id}`);
    assert.deepEqual([json['data'].name, json['data'].username], ['same-2', 'admin']);
    assert.equal(await statusOf(`/actor-builds/${build}`), 200);
    assert.equal(await statusOf(`/actor-runs/${run.id}`), 200);
    assert.equal(await total(), earlier + 3);
    const task = (await server.call(`/v2/actor-tasks/${taskId}`)).json['data'];
    assert.deepEqual([task.name, task.username, task.userId], ['nightly-1', 'admin', own.userId]);
    assert.equal(task.standbyUrl, `${server.url}/standby/admin~nightly-1`);
    const ofTask = (await server.call(`/v2/actor-tasks/~nightly-1/runs`)).json['data'];
    assert.deepEqual([ofTask.total, ofTask.items[0].id], [1, taskRun.id]);
    const runsOf = async (actorId: string) => {
      const { data } = (await server.call(`/v2/actors/${actorId}/runs`)).json;
      return [data.total, data.items.map((item: { id: string }) => item.id).sort()];
    };
    assert.deepEqual(await runsOf(given.id), [2, [run.id, taskRun.id].sort()]);
    assert.deepEqual(await runsOf(own.id), [2, [ownRun.id, foreign.id].sort()]);
    const entries = await server.call(`/api/v2/auditlog?spec=${encodeURIComponent(`service-token/${id}`)}`);
    const actions = entries.json['items'].map(
      (item: { accesses: { action: string }[] }) => item.accesses[0]!.action,
    );
    assert.ok(actions.includes('transferActors'), String(actions));
    assert.ok(actions.includes('transferTasks'), String(actions));
  });
});
