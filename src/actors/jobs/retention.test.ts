// Which finished runs and builds the retention removes, and which it keeps.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { insertRunRow } from '../../../test/run-rows.ts';
import type { Json, TestServer } from '../../../test/server.ts';
import { startServerOn } from '../../../test/suites.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { setTag } from '../actors/store-tags.ts';
import { NEW_BUILD } from '../builds/fixture.ts';
import { buildRetention } from '../builds/change-build.ts';
import { insertBuild } from '../builds/store.ts';
import { insertLog } from '../logs/store.ts';
import { runRetention } from '../runs/change-run.ts';
import { ensureAccountRecord, updateAccountLimits } from '../users/store.ts';

const DAY = 24 * 60 * 60 * 1000;

onEachEngine((engine) => {
  let server: TestServer;
  let kernel: Kernel;
  let userId: string;
  before(async () => {
    // Without background work: the test says when it runs.
    server = await startServerOn(engine, { limits: 'off', role: 'api' });
    ({ kernel } = server.app);
    userId = (await read('/users/me'))['id'];
  });
  after(() => server.stop());

  async function read(path: string): Promise<Json> {
    return (await server.call(`/v2${path}`)).json['data'] as Json;
  }

  const signal = new AbortController().signal;

  /** The first is the oldest. */
  async function insertRuns(owner: string, count: number): Promise<string[]> {
    const now = kernel.clock.now();
    const ids: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const clock = { ...kernel.clock, now: () => now + at };
      ids.push(await insertRunRow({ ...kernel, clock }, { userId: owner, finishedAt: now + at }));
    }
    return ids;
  }

  async function runsOf(owner: string): Promise<string[]> {
    const runs = kernel.db.selectFrom('runs').select('id').where('user_id', '=', owner);
    return (await runs.orderBy('started_at').execute()).map(({ id }) => id);
  }

  async function buildsOf(actorId: string): Promise<string[]> {
    const builds = kernel.db.selectFrom('builds').select('id').where('actor_id', '=', actorId);
    return (await builds.orderBy('started_at').execute()).map(({ id }) => id);
  }

  test('runs older than the retention go, except unfinished ones and the ten newest of each Actor', async () => {
    const datasets = [await server.call('/v2/datasets', { method: 'POST' })];
    datasets.push(await server.call('/v2/datasets', { method: 'POST' }));
    const [unused, used] = datasets.map(({ json }) => json['data'].id as string);
    const ids = await insertRuns(userId, 16);
    const few = await insertRuns('another', 3);
    const { db } = kernel;
    await db.updateTable('runs').set({ finished_at: null }).where('id', '=', ids[0]!).execute();
    await db.updateTable('runs').set({ dataset_id: unused! }).where('id', '=', ids[1]!).execute();
    await db.updateTable('runs').set({ dataset_id: used! }).where('id', '=', ids[2]!).execute();
    const sweep = () => runRetention(kernel).run(signal);

    await sweep();
    assert.deepEqual(await runsOf(userId), ids);
    server.clock.ahead += 8 * DAY;
    await read(`/datasets/${used}`);
    await ensureAccountRecord(db, userId);
    await updateAccountLimits(db, userId, { dataRetentionDays: 30 });
    await sweep();
    assert.deepEqual(await runsOf(userId), ids);
    await updateAccountLimits(db, userId, { dataRetentionDays: 5 });
    await sweep();
    assert.deepEqual(await runsOf(userId), [ids[0], ...ids.slice(6)]);
    assert.deepEqual(await runsOf('another'), few);
    assert.equal((await read('/actor-runs'))['total'], 11);
    assert.equal((await server.call(`/v2/logs/${ids[1]}`)).status, 404);
    // A storage that was used since has a retention of its own.
    assert.equal((await server.call(`/v2/datasets/${unused}`)).status, 404);
    assert.equal((await server.call(`/v2/datasets/${used}`)).status, 200);
  });

  test('builds go with the last run that names them, except those with a tag and the ten newest', async () => {
    const created = await server.call('/v2/actors', { method: 'POST', body: { name: 'built' } });
    const actorId = created.json['data'].id as string;
    await server.call(`/v2/actors/${actorId}`, {
      method: 'PUT',
      body: { defaultRunOptions: { build: '0.1.2' } },
    });
    const now = kernel.clock.now();
    const ids: string[] = [];
    for (let at = 0; at < 16; at += 1) {
      const id = `${actorId}-${at}`;
      const times = { startedAt: now + at, finishedAt: at === 3 ? null : now + at };
      await insertBuild(kernel.db, {
        ...NEW_BUILD,
        id,
        actorId,
        userId,
        buildNumber: `0.1.${at}`,
        ...times,
      });
      await insertLog(kernel.db, { id, userId }, now);
      ids.push(id);
    }
    await setTag(kernel.db, actorId, 'old', ids[0]!);
    for (const named of [{ options: { build: '0.1.4' } }, { actorStandby: { build: '0.1.5' } }]) {
      const body = { actId: actorId, ...named };
      assert.equal((await server.call('/v2/actor-tasks', { method: 'POST', body })).status, 201);
    }
    const [run] = await insertRuns('third', 1);
    await kernel.db.updateTable('runs').set({ build_id: ids[1]! }).where('id', '=', run!).execute();
    const sweep = () => buildRetention(kernel).run(signal);

    await sweep();
    assert.deepEqual(await buildsOf(actorId), ids);
    server.clock.ahead += 8 * DAY;
    await sweep();
    assert.deepEqual(await buildsOf(actorId), ids, 'tasks name the others');
    for (const { id } of (await read('/actor-tasks'))['items'] as { id: string }[])
      await server.call(`/v2/actor-tasks/${id}`, { method: 'DELETE' });
    await sweep();
    // By its tag, by its run, by its number, and because it has not finished.
    assert.deepEqual(await buildsOf(actorId), [...ids.slice(0, 4), ...ids.slice(6)]);
    assert.equal((await server.call(`/v2/logs/${ids[4]}`)).status, 404);
    await kernel.db.deleteFrom('runs').where('id', '=', run!).execute();
    await sweep();
    assert.ok(!(await buildsOf(actorId)).includes(ids[1]!));
  });
});
