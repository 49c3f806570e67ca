// Storages that the definition of an Actor declares by alias: each run has its own, beside the default ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createActor, logOf, runActor } from '../../../actors.ts';
import { script } from '../../../actor-sources.ts';
import { onEachEngine } from '../../../engines.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { onServer, startServerOn } from '../../../suites.ts';
import { giveBuiltActor } from '../schedules/schedule-calls.ts';

const DEFINITION = {
  storages: {
    datasets: {
      default: { fields: { type: 'object', required: ['name'] } },
      categories: { fields: { type: 'object', required: ['title'] } },
    },
    keyValueStores: { images: { collections: { small: { keyPrefix: 'small-' } } } },
    requestQueues: { later: {} },
  },
};
const PATHS: Record<string, string> = {
  datasets: 'datasets',
  keyValueStores: 'key-value-stores',
  requestQueues: 'request-queues',
};

onEachEngine((engine) => {
  let server: TestServer;
  let actor: string;
  // Runs wait for ever, because the node has no room for them.
  onServer(engine, { limits: 'off', nodeRuns: 0 }, async (started) => {
    server = started;
    actor ??= await giveBuiltActor(server, { definition: DEFINITION });
  });
  const call = (path: string, init?: CallInit) => server.call(`/v2${path}`, init);
  const post = (path: string, body?: unknown) =>
    call(path, { method: 'POST', ...(body !== undefined && { body }) });
  const start = async (id = actor): Promise<Json> => {
    const answer = await post(`/actors/${id}/runs`, { a: 1 });
    assert.equal(answer.status, 201, answer.text);
    return answer.json['data'] as Json;
  };
  const pathsOf = ({ storageIds }: Json): string[] =>
    Object.entries(storageIds as Record<string, Record<string, string>>).flatMap(([kind, ids]) =>
      Object.values(ids).map((id) => `/${PATHS[kind]}/${id}`),
    );
  const aliasesOf = ({ storageIds }: Json) =>
    Object.values(storageIds as Record<string, object>).map((ids) => Object.keys(ids));

  test('a run has a storage for each alias, of its own', async () => {
    const [one, other] = [await start(), await start()];
    assert.deepEqual(aliasesOf(one), [
      ['default', 'categories'],
      ['default', 'images'],
      ['default', 'later'],
    ]);
    assert.deepEqual(
      [
        one['storageIds'].datasets.default,
        one['storageIds'].keyValueStores.default,
        one['storageIds'].requestQueues.default,
      ],
      [one['defaultDatasetId'], one['defaultKeyValueStoreId'], one['defaultRequestQueueId']],
    );
    assert.equal(new Set([...pathsOf(one), ...pathsOf(other)]).size, 12);
    const shown = (await call(`/actor-runs/${one['id']}`)).json['data'] as Json;
    assert.deepEqual(shown['storageIds'], one['storageIds']);
    for (const path of pathsOf(one)) {
      const { status, json } = await call(path);
      assert.equal(status, 200, path);
      const { name, actId, actRunId } = json['data'];
      assert.deepEqual([name, actId, actRunId], [null, actor, one['id']]);
    }
    const plain = await start(await giveBuiltActor(server));
    assert.deepEqual(aliasesOf(plain), [['default'], ['default'], ['default']]);
  });

  test('each storage has the schema of its alias', async () => {
    const { storageIds } = await start();
    const { datasets, keyValueStores } = storageIds as Record<string, Record<string, string>>;
    for (const [alias, item, status] of [
      ['default', { name: 'a' }, 201],
      ['default', { title: 'a' }, 400],
      ['categories', { title: 'a' }, 201],
      ['categories', { name: 'a' }, 400],
    ] as const) {
      const answer = await post(`/datasets/${datasets![alias]}/items`, item);
      assert.equal(answer.status, status, `${alias} ${answer.text}`);
    }
    const listed = await call(`/key-value-stores/${keyValueStores!['images']}/keys?collection=small`);
    assert.equal(listed.status, 200, listed.text);
  });

  test('they are deleted with the run, unless they were given a name', async () => {
    const run = await start();
    const kept = `/datasets/${run['storageIds'].datasets.categories}`;
    assert.equal((await call(kept, { method: 'PUT', body: { name: `kept-${engine.kind}` } })).status, 200);
    await post(`/actor-runs/${run['id']}/abort`);
    assert.equal((await call(`/actor-runs/${run['id']}`, { method: 'DELETE' })).status, 204);
    for (const path of pathsOf(run)) {
      assert.equal((await call(path)).status, path === kept ? 200 : 404, path);
    }
  });

  test('a metamorph and a resurrection with another build add those that the build declares', async () => {
    const plain = await giveBuiltActor(server);
    const run = await start(plain);
    const changed = await post(`/actor-runs/${run['id']}/metamorph?targetActorId=${actor}`, {});
    assert.equal(changed.status, 200, changed.text);
    const after = changed.json['data'] as Json;
    assert.deepEqual(aliasesOf(after), [
      ['default', 'categories'],
      ['default', 'images'],
      ['default', 'later'],
    ]);
    assert.equal(after['defaultDatasetId'], run['defaultDatasetId']);
    for (const path of pathsOf(after)) assert.equal((await call(path)).status, 200, path);
    const again = await post(`/actor-runs/${run['id']}/metamorph?targetActorId=${actor}`, {});
    assert.deepEqual(again.json['data'].storageIds, after['storageIds']);
    await post(`/actor-runs/${run['id']}/abort`);
    const revived = await post(`/actor-runs/${run['id']}/resurrect?build=latest`);
    assert.deepEqual(revived.json['data'].storageIds, after['storageIds']);
  });

  test('an input that is stored apart comes with all storages', async () => {
    const { status, json } = await post(`/actors/${actor}/runs`, { text: 'x'.repeat(1_000_000) });
    assert.equal(status, 201);
    for (const path of pathsOf(json['data'] as Json)) assert.equal((await call(path)).status, 200, path);
  });

  test('the program of a run finds them in its environment, and may use them', async () => {
    const executing = await startServerOn(engine, { limits: 'off' });
    try {
      const files = script(
        `const { datasets, keyValueStores } = JSON.parse(env.ACTOR_STORAGES_JSON);
        await api('/datasets/' + datasets.categories + '/items', { method: 'POST', body: { title: 'Books' } });
        await api('/key-value-stores/' + keyValueStores.images + '/records/small-1', { method: 'PUT', body: { ok: 1 } });
        await setValue('OUTPUT', JSON.parse(env.ACTOR_STORAGES_JSON));`,
        {
          '.actor/actor.json': JSON.stringify({
            actorSpecification: 1,
            name: 'a',
            version: '0.1',
            ...DEFINITION,
          }),
        },
      );
      const { id } = await createActor(executing, files);
      const run = await runActor(executing, id as string, {
        query: 'forcePermissionLevel=LIMITED_PERMISSIONS',
      });
      assert.equal(run['status'], 'SUCCEEDED', await logOf(executing, run['id'] as string));
      const get = async (path: string) => (await executing.call(`/v2${path}`)).json as unknown;
      const { datasets, keyValueStores } = run['storageIds'];
      assert.deepEqual(
        await get(`/key-value-stores/${run['defaultKeyValueStoreId']}/records/OUTPUT`),
        run['storageIds'],
      );
      assert.deepEqual(await get(`/datasets/${datasets.categories}/items`), [{ title: 'Books' }]);
      assert.deepEqual(await get(`/key-value-stores/${keyValueStores.images}/records/small-1`), { ok: 1 });
    } finally {
      await executing.stop();
    }
  });
});
