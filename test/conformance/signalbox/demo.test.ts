// The examples over the Signalbox API: loaded once by many, with what people have changed of them, and removed without what others own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DemoServer } from '../../../src/app/demo.ts';
import { demoWork } from '../../../src/app/demo-work.ts';
import { checkActors, countsOf, WHOLE } from '../../demo-content.ts';
import { onEachEngine } from '../../engines.ts';
import { eventually } from '../../eventually.ts';
import { giveToken, join } from '../../people.ts';
import type { Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

const DEMO = '/signalbox/v1/demo';

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  const read = async (): Promise<Json> => (await server.call(DEMO)).json;
  const load = () => server.call(DEMO, { method: 'PUT' });
  const remove = (query = '') => server.call(`${DEMO}${query}`, { method: 'DELETE' });
  const reached = (isReached: (demo: Json) => boolean, what: string) =>
    eventually(async () => isReached(await read()), what);
  const entries = async (verb: string) =>
    ((await server.call('/signalbox/v1/activity?resource=acct')).json['items'] as Json[]).filter(
      (entry) => entry['kind'] === 'demo' && entry['verb'] === verb,
    );

  test('there is none, and only an administrator may load or remove it', async () => {
    assert.deepEqual(await read(), { state: 'absent', isComplete: false, parts: [] });
    assert.equal((await remove()).status, 404);
    const ann = await join(server, 'ann', { role: 'writer' });
    const { value: token } = await giveToken(server, ann, { role: 'writer' });
    for (const [method, asker, status] of [
      ['GET', token, 403],
      ['PUT', token, 403],
      ['DELETE', token, 403],
      ['PUT', null, 401],
    ] as const)
      assert.equal((await server.call(DEMO, { method, token: asker })).status, status, method);
    for (const query of ['?changedUntil=soon', '?changedUntil=-1', '?changedUntil=1.5'])
      assert.equal((await remove(query)).status, 422, query);
    assert.deepEqual(await entries('loaded the'), []);
  });

  test('what has a name that an example would have is left alone', async () => {
    const made = await server.call('/api/v2/projects', {
      method: 'POST',
      body: { key: 'demo', name: 'Ours' },
    });
    assert.equal(made.status, 201);
    const { status, json } = await load();
    assert.equal(status, 409);
    assert.match(json['detail'], /project Ours/);
    const [part] = (await read())['parts'] as Json[];
    assert.deepEqual([part!['resource'], part!['product'], part!['changedBy']], ['proj/demo', 'flags', []]);
    await server.call('/api/v2/projects/demo', { method: 'DELETE' });
  });

  test('eight who load it at once make it once', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, load));
    assert.deepEqual(
      replies.map(({ status }) => status),
      Array.from({ length: 8 }, () => 202),
    );
    await reached(({ isComplete }) => isComplete === true, 'the whole example');
    assert.deepEqual(await countsOf(server), WHOLE);
    await checkActors(server);
    assert.equal((await entries('loaded the')).length, 1);
    await eventually(async () => {
      const { json } = await server.call('/api/v2/tokens?showAll=true');
      return !(json['items'] as Json[]).some(({ name }) => name === 'demo');
    }, 'the token that made it is gone');
    const { status, json } = await load();
    assert.deepEqual([status, json['state']], [200, 'present']);
    assert.deepEqual(
      (json['parts'] as Json[]).map(({ kind }) => kind as string).toSorted(),
      'actor,actor-task,app,code-reference-repository,dataset,gist,gist,key-value-store,project,repository,request-queue,role,schedule,team'.split(
        ',',
      ),
    );
    assert.ok((json['parts'] as Json[]).every(({ changedAt, changedBy }) => !changedAt && !changedBy.length));
  });

  test('what was changed since is deleted only when that is said, and nothing else ever', async () => {
    const ours = await server.call('/api/v2/projects', {
      method: 'POST',
      body: { key: 'ours', name: 'Ours' },
    });
    assert.equal(ours.status, 201);
    const post = async (path: string, body: object) =>
      assert.equal((await server.call(path, { method: 'POST', body })).status, 201, path);
    await post('/api/v2/flags/demo', { key: 'mine', name: 'Mine' });
    await post('/repos/admin/demo-shop/issues', { title: 'What about the prices?' });
    await post('/v2/datasets/admin~demo-products/items', [{ sku: 'P-999' }]);
    const changed = ((await read())['parts'] as Json[]).filter(({ changedAt }) => changedAt !== undefined);
    assert.deepEqual(
      changed.map(({ name, changedBy }) => [name, changedBy]),
      [
        ['Demo shop', ['admin@signalbox.example']],
        ['demo-products', []],
        ['demo-shop', []],
      ],
    );
    const last = Math.max(...changed.map(({ changedAt }) => changedAt as number));
    for (const query of ['', `?changedUntil=${last - 1}`]) {
      const { status, json } = await remove(query);
      assert.equal(status, 409);
      assert.match(json['detail'], /demo-products/);
    }
    assert.deepEqual(
      [(await read())['state'], await countsOf(server)],
      ['present', [4, 1, 101, 20, 1, 1, 1, 4, 2]],
    );
    const { status, json } = await remove(`?changedUntil=${last}`);
    assert.deepEqual([status, json['state']], [202, 'removing']);
    await reached(({ state }) => state === 'absent', 'the end of the example');
    assert.deepEqual((await read())['parts'], []);
    const totalOf = async (path: string) => (await server.call(`/v2${path}`)).json['data'].total as number;
    for (const path of ['/actor-runs', '/actor-builds', '/schedules', '/actor-tasks'])
      await eventually(async () => (await totalOf(path)) === 0, path);
    assert.equal((await server.call('/api/v2/projects/ours')).status, 200);
    assert.equal((await entries('removed the')).length, 1);
    assert.equal((await remove()).status, 404);
  });

  test('a start with the setting does not bring back what was removed, and loading it does', async () => {
    const refusing: DemoServer = { inject: () => Promise.reject(new Error('a call')) };
    await demoWork(refusing, server.app.kernel).seed();
    assert.equal((await read())['state'], 'absent');
    assert.equal((await load()).status, 202);
    await reached(({ state }) => state === 'present', 'the example again');
    assert.equal((await server.call('/api/v2/projects/demo')).status, 200);
  });
});
