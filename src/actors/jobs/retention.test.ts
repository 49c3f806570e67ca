// Which finished runs and builds the retention removes, and which it keeps.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { inTime } from '../../../test/eventually.ts';
import { letStandIdle } from '../../../test/lock-waiters.ts';
import { insertRunRow } from '../../../test/run-rows.ts';
import type { Json, TestServer } from '../../../test/server.ts';
import { startServerOn } from '../../../test/suites.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { findMember } from '../../kernel/identity/store-members.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import { findActorById } from '../actors/store.ts';
import { setTag } from '../actors/store-tags.ts';
import { NEW_BUILD } from '../builds/fixture.ts';
import { buildRetention } from '../builds/change-build.ts';
import { insertBuild } from '../builds/store.ts';
import { insertLog } from '../logs/store.ts';
import { runRetention } from '../runs/change-run.ts';
import { startRun } from '../runs/start-run.ts';
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

  /** An Actor with this many builds, the first of which is the oldest. */
  async function insertBuilds(name: string, count: number): Promise<{ actorId: string; ids: string[] }> {
    const created = await server.call('/v2/actors', { method: 'POST', body: { name } });
    const actorId = created.json['data'].id as string;
    const now = kernel.clock.now();
    const ids: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const id = `${actorId}-${at}`;
      const times = { startedAt: now + at, finishedAt: now + at };
      await insertBuild(kernel.db, { ...NEW_BUILD, id, actorId, userId, buildNumber: `0.1.${at}`, ...times });
      await insertLog(kernel.db, { id, userId }, now);
      ids.push(id);
    }
    return { actorId, ids };
  }

  /** With the first build. `within` gets the work of the transaction, and does it. */
  async function startWith(
    { actorId }: { actorId: string },
    within: (work: (tx: Db) => Promise<unknown>) => Promise<unknown>,
  ): Promise<void> {
    // Another object for the same database: the transactions of the server stay as they are.
    const db = Object.assign(kernel.db.withTables<Pick<Tables, 'builds'>>(), {
      transaction: () => ({ execute: within }),
    });
    const actor = (await findActorById(db, actorId))!;
    const member = (await findMember(db, { id: userId }))!;
    const caller: KnownCaller = { kind: 'session', member, grants: [] };
    const meta = { origin: 'API', initiator: { memberId: userId } } as const;
    const query = { build: '0.1.0' };
    await startRun({ ...kernel, db }, { actor, caller, meta, query, input: 'none' }, kernel.clock.now());
  }

  test('a build with which a run is just being started is kept', async () => {
    const built = await insertBuilds('starting', 11);
    server.clock.ahead += 8 * DAY;
    let sweep: Promise<void> | undefined;
    await startWith(built, (work) =>
      kernel.db.transaction().execute(async (tx) => {
        await work(tx);
        sweep = buildRetention(kernel).run(signal);
        // It does not wait for the start. On SQLite no transaction begins before this one has ended.
        if (engine.kind !== 'postgres') return;
        await letStandIdle(tx);
        await inTime(sweep, 'the end of the sweep');
      }),
    );
    await sweep;
    assert.deepEqual(await buildsOf(built.actorId), built.ids);
  });

  test('no run is started with a build that is deleted just before', async () => {
    const built = await insertBuilds('late', 11);
    server.clock.ahead += 8 * DAY;
    const started = startWith(built, async (work) => {
      await buildRetention(kernel).run(signal);
      await kernel.db.transaction().execute(work);
    });
    await assert.rejects(started, { kind: 'conflict', message: 'The build was deleted meanwhile.' });
  });

  test('builds go with the last run that names them, except those with a tag and the ten newest', async () => {
    const { actorId, ids } = await insertBuilds('built', 16);
    await server.call(`/v2/actors/${actorId}`, {
      method: 'PUT',
      body: { defaultRunOptions: { build: '0.1.2' } },
    });
    await kernel.db.updateTable('builds').set({ finished_at: null }).where('id', '=', ids[3]!).execute();
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
