// The storages of a run below the run, and below the last run of an Actor or a task: the same operations as of the storages themselves.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { actorsApi } from '../../../../src/actors/api.ts';
import type { Actor } from '../../../../src/actors/actors/model.ts';
import type { RunOrigin } from '../../../../src/actors/jobs/job-meta.ts';
import { requestIdOf } from '../../../../src/actors/request-queues/request.ts';
import type { Run } from '../../../../src/actors/runs/model.ts';
import type { RouteShape } from '../../../../src/kernel/http/route.ts';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join } from '../../../people.ts';
import type { TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { giveActor, giveRun, giveTask } from './run-rows.ts';

const shapes = actorsApi.routes.map(({ shape }) => shape);
const aliases = shapes.filter(({ aliasOf }) => aliasOf !== undefined);
const BASES = ['/actor-runs/{runId}', '/actors/{actorId}/runs/last', '/actor-tasks/{actorTaskId}/runs/last'];
const WORDS: Record<string, string> = {
  datasets: 'dataset',
  'key-value-stores': 'key-value-store',
  'request-queues': 'request-queue',
};

test('A21 every operation of a storage exists below a run and below the last run', () => {
  const originals = shapes.filter(({ path }) => path.includes('{storageId}'));
  assert.ok(originals.length > 25, `${originals.length}`);
  const ofStorages = aliases.filter(({ path }) =>
    /\/(dataset|key-value-store|request-queue)(\/|$)/.test(path),
  );
  const there = new Map(ofStorages.map((shape) => [`${shape.method} ${shape.path}`, shape]));
  for (const original of originals) {
    const [, kind, , ...rest] = original.path.split('/');
    for (const base of BASES) {
      const place = `${original.method} ${[base, WORDS[kind!], ...rest].join('/')}`;
      const alias = there.get(place);
      assert.equal(alias?.aliasOf, original.id, place);
      assert.deepEqual(alias?.reply, original.reply);
      assert.equal(alias?.body, original.body);
      assert.equal(alias?.streams, original.streams);
      for (const name of Object.keys(original.query?.properties ?? {}))
        assert.ok(Object.hasOwn(alias.query!.properties, name), `${place} ${name}`);
      there.delete(place);
    }
  }
  assert.deepEqual([...there.keys()], []);
});

interface Fixture {
  actor: Actor;
  taskId: string;
  run: Run;
}

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  const begin = async (as: { token?: string } = {}): Promise<Fixture> => {
    const actor = await giveActor(server, as);
    const taskId = await giveTask(server, actor, as);
    return { actor, taskId, run: await giveRun(server, actor, { taskId, ...as }) };
  };
  const call: TestServer['call'] = (path, init) => server.call(`/v2${path}`, init);

  for (const kind of ['Actor', 'task'])
    test(`A21 the queue of the last run of ${kind === 'task' ? 'a task' : 'an Actor'} takes and changes requests`, async () => {
      const { actor, taskId, run } = await begin();
      const base = `${kind === 'task' ? `/actor-tasks/${taskId}` : `/actors/${actor.id}`}/runs/last/request-queue`;
      const request = { url: 'https://a.test/', uniqueKey: 'a' };
      const added = await call(`${base}/requests`, { method: 'POST', body: request });
      assert.equal(added.status, 201);
      const id = requestIdOf('a');
      assert.equal(added.json['data'].requestId, id);
      const put = await call(`${base}/requests/${id}?forefront=true&clientKey=me`, {
        method: 'PUT',
        body: { id, ...request, handledAt: '2026-01-01T00:00:00.000Z' },
      });
      assert.equal(put.status, 200);
      assert.deepEqual(put.json['data'], {
        requestId: id,
        wasAlreadyPresent: true,
        wasAlreadyHandled: false,
      });
      const { json } = await call(`/request-queues/${run.queueId}/requests/${id}`);
      assert.equal(json['data'].handledAt, '2026-01-01T00:00:00.000Z');
      const removed = await call(`${base}/requests/batch`, { method: 'DELETE', body: [{ uniqueKey: 'a' }] });
      assert.deepEqual(
        [removed.status, removed.json['data'].processedRequests],
        [200, [{ uniqueKey: 'a', id }]],
      );
      const locked = await call(`${base}/head/lock?lockSecs=10`, { method: 'POST' });
      assert.equal(locked.status, 201);
      const missing = await call(`${base}/requests/${id}?clientKey=${'x'.repeat(33)}`, { method: 'DELETE' });
      assert.deepEqual([missing.status, missing.json['error'].type], [400, 'invalid-client-key']);
    });

  test('A21 the dataset of a run has its items, formats and headers', async () => {
    const { actor, taskId, run } = await begin();
    const pushed = await call(`/actor-runs/${run.id}/dataset/items`, {
      method: 'POST',
      body: [{ a: 1 }, { a: 2 }],
    });
    assert.equal(pushed.status, 201);
    assert.ok(pushed.headers.get('location')!.endsWith(`/v2/datasets/${run.datasetId}/items`));
    for (const base of [
      `/actor-runs/${run.id}`,
      `/actors/${actor.id}/runs/last`,
      `/acts/~${actor.name}/runs/last`,
      `/actor-tasks/${taskId}/runs/last`,
      `/actor-tasks/~${actor.name}-task/runs/last`,
    ]) {
      const csv = await call(`${base}/dataset/items?format=csv&bom=0&desc=1&limit=1`);
      assert.equal(csv.status, 200);
      assert.match(csv.text, /^"?a"?\r?\n"?2"?\s*$/);
      assert.equal(csv.headers.get('x-apify-pagination-total'), '2');
      assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
      const { json } = await call(`${base}/dataset`);
      assert.deepEqual([json['data'].id, json['data'].itemCount], [run.datasetId, 2]);
      assert.equal((await call(`${base}/dataset/items`, { method: 'HEAD' })).status, 200);
    }
    const wrong = await call(`/actor-runs/${run.id}/dataset/items?format=tiff`);
    assert.equal(wrong.status, 400);
  });

  test('A21 records of a run are written, read and deleted byte for byte', async () => {
    const { actor, run } = await begin();
    const base = `/actors/${actor.id}/runs/last/key-value-store`;
    const body = Buffer.from('OUTPUT \u00fc');
    const put = await call(`${base}/records/OUTPUT`, {
      method: 'PUT',
      body,
      headers: { 'content-type': 'text/x-own' },
    });
    assert.equal(put.status, 201);
    const got = await call(`/actor-runs/${run.id}/key-value-store/records/OUTPUT`);
    assert.deepEqual(
      [got.status, got.text, got.headers.get('content-type')],
      [200, body.toString(), 'text/x-own'],
    );
    const keys = await call(`${base}/keys?limit=5`);
    assert.deepEqual([keys.json['data'].items[0].key, keys.json['data'].limit], ['OUTPUT', 5]);
    assert.equal((await call(`${base}/records/OUTPUT`, { method: 'DELETE' })).status, 204);
    assert.equal((await call(`${base}/records/OUTPUT`)).status, 404);
    assert.equal((await call(base, { method: 'PUT', body: { title: 'Mine' } })).json['data'].title, 'Mine');
    assert.equal(
      (await call(`${base}/records/bad%20key`, { method: 'PUT', body: '1' })).json['error'].type,
      'invalid-record-key',
    );
  });

  for (const kind of ['actors', 'actor-tasks'])
    test(`A21 A29 below ${kind} status and origin choose among the runs, in either spelling and as a list`, async () => {
      const actor = await giveActor(server);
      const taskId = kind === 'actors' ? null : await giveTask(server, actor);
      const id = taskId ?? actor.id;
      const at = server.clock.now();
      const give = (status: Run['status'], origin: RunOrigin, startedAt: number) =>
        giveRun(server, actor, { status, origin, startedAt, taskId });
      const runs = {
        old: await give('TIMED-OUT', 'WEB', at - 3000),
        middle: await give('FAILED', 'ACTOR', at - 2000),
        young: await give('RUNNING', 'API', at - 1000),
      };
      // It is none of the task.
      if (taskId !== null) await giveRun(server, actor, { status: 'FAILED' });
      const last = async (query: string) => {
        const { status, json } = await call(`/${kind}/${id}/runs/last/dataset${query}`);
        return status === 200 ? (json['data'].id as string) : `${status} ${json['error'].type as string}`;
      };
      assert.equal(await last(''), runs.young.datasetId);
      assert.equal(await last('?status=TIMED-OUT'), runs.old.datasetId);
      assert.equal(await last('?status=TIMED_OUT'), runs.old.datasetId);
      assert.equal(await last('?status=TIMED_OUT,FAILED'), runs.middle.datasetId);
      assert.equal(await last('?origin=WEB'), runs.old.datasetId);
      assert.equal(await last('?status=FAILED&origin=WEB'), '404 record-not-found');
      assert.equal(await last('?status=DONE'), '400 invalid-request');
      assert.equal(await last('?origin=nowhere'), '400 invalid-request');
      const told = await call(`/${kind}/${id}/runs/last/dataset?status=DONE`);
      assert.match(told.json['error'].message, /status.*DONE/);
      const empty =
        taskId === null
          ? (await giveActor(server)).id
          : await giveTask(server, actor, { name: `${actor.name}-unused` });
      const none = await call(`/${kind}/${empty}/runs/last/dataset`);
      assert.deepEqual([none.status, none.json['error'].type], [404, 'record-not-found']);
    });

  test("A21 of another account's Actor only the caller's own runs count", async () => {
    const member = await join(server, `other-${engine.kind}`, { role: 'owner' });
    const { value: token } = await giveToken(server, member, { role: 'owner' });
    const actor = await giveActor(server, { isPublic: true });
    await giveRun(server, actor);
    const path = `/actors/${actor.id}/runs/last/dataset`;
    assert.equal((await call(path, { token })).status, 404);
    const own = await giveRun(server, actor, { token });
    assert.equal((await call(path, { token })).json['data'].id, own.datasetId);
  });

  describe('a caller who may not view the run', () => {
    let stranger: string;
    let blind: string;
    let ofBlind: Fixture;
    let ofOthers: Fixture;
    before(async () => {
      const member = await join(server, `stranger-${engine.kind}`, { role: 'owner' });
      stranger = (await giveToken(server, member, { role: 'owner' })).value;
      const inlinePolicy = [
        { effect: 'allow' as const, actions: ['*'], resources: ['*'] },
        { effect: 'deny' as const, actions: ['viewRun'], resources: ['*'] },
      ];
      blind = (await giveToken(server, member, { inlinePolicy })).value;
      ofBlind = await begin({ token: stranger });
      ofOthers = await begin();
    });

    const place = ({ path }: RouteShape, { actor, taskId, run }: Fixture) =>
      path
        .replace('{actorTaskId}', taskId)
        .replace('{runId}', run.id)
        .replace('{actorId}', actor.id)
        .replace('{recordKey}', 'key')
        .replace('{requestId}', requestIdOf('a'));

    for (const shape of aliases) {
      const { id, method } = shape;
      test(`A2 A21 cannot ${id}`, async () => {
        // Neither body nor query is right: whether the run may be viewed comes first.
        const init = { method, ...(method !== 'GET' && { body: '"wrong"' }) };
        const query = '?limit=many&lockSecs=never';
        const unknown = await call(place(shape, ofOthers) + query, { ...init, token: stranger });
        assert.deepEqual([unknown.status, unknown.json['error'].type], [404, 'record-not-found']);
        const denied = await call(place(shape, ofBlind) + query, { ...init, token: blind });
        assert.deepEqual([denied.status, denied.json['error'].type], [403, 'insufficient-permissions']);
        const anonymous = await call(place(shape, ofOthers), { ...init, token: null });
        assert.equal(anonymous.status, 401);
      });
    }

    test('A21 needs the permission on the storage too', async () => {
      const member = await join(server, `reader-${engine.kind}`, { role: 'owner' });
      const owner = (await giveToken(server, member, { role: 'owner' })).value;
      const inlinePolicy = [
        { effect: 'allow' as const, actions: ['*'], resources: ['*'] },
        { effect: 'deny' as const, actions: ['updateStorage', 'deleteStorage'], resources: ['*'] },
      ];
      const reader = (await giveToken(server, member, { inlinePolicy })).value;
      const own = await begin({ token: owner });
      const base = `/actor-runs/${own.run.id}/dataset`;
      assert.equal((await call(base, { token: reader })).status, 200);
      assert.equal((await call(`${base}/items`, { token: reader, method: 'POST', body: {} })).status, 403);
      assert.equal((await call(base, { token: reader, method: 'DELETE' })).status, 403);
      assert.equal((await call(base, { token: owner, method: 'DELETE' })).status, 204);
      assert.equal((await call(base, { token: owner })).status, 404);
    });
  });

  test('A21 a run that does not exist is not found', async () => {
    const { status, json } = await call('/actor-runs/0123456789abcdef01234567/dataset');
    assert.deepEqual([status, json['error'].type], [404, 'record-not-found']);
    for (const kind of ['actors', 'actor-tasks'])
      assert.equal((await call(`/${kind}/0123456789abcdef01234567/runs/last/key-value-store`)).status, 404);
  });
});
