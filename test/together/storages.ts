// Concurrent changes of storages and their contents.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queueCalls } from '../conformance/actors/storages/queue-calls.ts';
import type { Json, TestServer } from '../server.ts';
import { CLIENTS, runClients, ROUNDS } from './concurrent-clients.ts';

const PATHS = ['/v2/datasets', '/v2/key-value-stores', '/v2/request-queues'];

export function declareStorages(server: () => TestServer): void {
  const call: TestServer['call'] = (path, init) => server().call(path, init);
  const make = async (path: string, name = ''): Promise<Json> => {
    const { json } = await call(`${path}?name=${name}`, { method: 'POST' });
    return json['data'];
  };

  const pathOf = (client: number) => PATHS[client % PATHS.length]!;

  test("storages are renamed to each other's names", async () => {
    const ids = new Map<string, string[]>();
    for (const path of PATHS)
      ids.set(path, [(await make(path, 'left'))['id'], (await make(path, 'right'))['id']]);
    const { entries, count } = await runClients(
      server(),
      (client, round) => {
        const path = pathOf(client);
        const name = ['left', 'middle', 'right'][(client + round) % 3];
        return call(`${path}/${ids.get(path)![(client + round) % 2]}`, { method: 'PUT', body: { name } });
      },
      { allowed: [200, 409] },
    );
    assert.equal(entries.length, count(200));
  });

  test('storages of the same name are created and deleted', async () => {
    const { entries, count } = await runClients(
      server(),
      (client, round) =>
        (client + round) % 2 === 0
          ? call(`${pathOf(client)}?name=same`, { method: 'POST' })
          : call(`${pathOf(client)}/~same`, { method: 'DELETE' }),
      { allowed: [200, 201, 204, 404] },
    );
    assert.equal(entries.filter(({ action }) => action === 'createStorage').length, count(201));
    assert.equal(entries.filter(({ action }) => action === 'deleteStorage').length, count(204));
  });

  test('the limits of an account are changed', async () => {
    const { entries, answers } = await runClients(
      server(),
      (client, round) => {
        const value = 1 + client * 100 + round;
        const body = client % 2 === 0 ? { maxMonthlyUsageUsd: value } : { dataRetentionDays: value };
        return call('/v2/users/me/limits', { method: 'PUT', body });
      },
      { allowed: [201] },
    );
    assert.equal(entries.length, answers.length);
  });

  test('records of the same keys are written and deleted', async () => {
    const { id } = await make('/v2/key-value-stores');
    const at = `/v2/key-value-stores/${id}`;
    await runClients(
      server(),
      (client, round) =>
        client < 5
          ? call(`${at}/records/k${round % 3}`, {
              method: client % 2 === 0 ? 'PUT' : 'POST',
              body: 'x'.repeat(1 + client),
            })
          : call(`${at}/records/k${round % 3}`, { method: 'DELETE' }),
      { allowed: [201, 204] },
    );
    const { items } = (await call(`${at}/keys`)).json['data'];
    const { stats } = (await call(at)).json['data'];
    assert.equal(
      stats.storageBytes,
      items.reduce((sum: number, { size }: { size: number }) => sum + size, 0),
    );
    assert.equal(stats.writeCount, 5 * ROUNDS);
    assert.equal(stats.deleteCount, 3 * ROUNDS);
  });

  test('items are pushed to one dataset', async () => {
    const { id } = await make('/v2/datasets');
    const at = `/v2/datasets/${id}`;
    await runClients(
      server(),
      (client, round) =>
        call(`${at}/items`, {
          method: 'POST',
          body: [
            { client, round },
            { client, round, [`f${client}`]: null },
          ],
        }),
      { allowed: [201] },
    );
    const { itemCount, fields } = (await call(at)).json['data'];
    const items = (await call(`${at}/items`)).json as unknown as Json[];
    assert.equal(itemCount, CLIENTS * ROUNDS * 2);
    assert.equal(items.length, itemCount);
    for (let client = 0; client < CLIENTS; client += 1) {
      const rounds = items.filter((item) => item['client'] === client).map(({ round }) => round);
      assert.deepEqual(
        rounds,
        Array.from({ length: 2 * ROUNDS }, (_, index) => Math.floor(index / 2)),
      );
    }
    assert.equal(new Set(fields).size, fields.length, `${fields}`);
  });

  test('requests of the same keys are added, locked, handled and removed, in different orders', async () => {
    const queue = await queueCalls(server).make();
    const keys = Array.from({ length: 6 }, (_, index) => `r${index}`);
    await runClients(
      server(),
      async (client, round) => {
        const order = client % 2 === 0 ? keys : keys.toReversed();
        if (client < 3)
          return queue.addBatch(
            order.map((uniqueKey) => ({ uniqueKey, url: `https://example.com/${uniqueKey}` })),
          );
        if (client === 3) return queue.put(order[round % 6]!, {}, '?forefront=true');
        if (client === 4) return queue.handle(order[round % 6]!);
        if (client === 5) return queue.lock({ lockSecs: 60, limit: 3 });
        if (client === 6) return queue.removeBatch(order.slice(0, 3).map((uniqueKey) => ({ uniqueKey })));
        if (round % 2 === 0) return queue.call('/requests/unlock', { method: 'POST' });
        const added = await queue.add({ uniqueKey: order[0], url: 'https://example.com/' });
        const at = `/requests/${added.json['data'].requestId}`;
        if (round % 6 === 1) return queue.call(`${at}/lock?lockSecs=60`, { method: 'PUT' });
        return queue.call(round % 6 === 3 ? `${at}/lock` : at, { method: 'DELETE' });
      },
      // A lock belongs to its client only, and handled requests have none.
      { allowed: [200, 201, 204, 404, 409] },
    );
    const { json } = await queue.call('');
    const { totalRequestCount, handledRequestCount, pendingRequestCount } = json['data'];
    const { items } = (await queue.call('/requests')).json['data'];
    const handled = items.filter(({ handledAt }: Json) => handledAt != null).length;
    assert.deepEqual([totalRequestCount, handledRequestCount], [items.length, handled]);
    assert.equal(pendingRequestCount, items.length - handled);
  });

  test('of many who lock requests, each gets others', async () => {
    const queue = await queueCalls(server).make();
    const requests = Array.from({ length: 24 }, (_, index) => ({
      uniqueKey: `r${index}`,
      url: 'https://example.com/',
    }));
    await queue.addBatch(requests);
    const { answers } = await runClients(
      server(),
      (client) => queue.lock({ lockSecs: 600, limit: 3, clientKey: `c${client}` }),
      {
        allowed: [201],
        rounds: 1,
      },
    );
    const locked = answers.flatMap(({ json }) => json['data'].items.map(({ id }: Json) => id));
    assert.equal(locked.length, 24);
    assert.equal(new Set(locked).size, 24);
  });

  test('storages go while things are put into them', async () => {
    for (let round = 0; round < 3; round += 1) {
      const [dataset, store] = [await make('/v2/datasets'), await make('/v2/key-value-stores')];
      const queue = await queueCalls(server).make();
      await runClients(
        server(),
        (client) => {
          if (client < 2)
            return call(`/v2/datasets/${dataset['id']}/items`, { method: 'POST', body: [{ client }] });
          if (client < 4)
            return call(`/v2/key-value-stores/${store['id']}/records/k`, { method: 'PUT', body: 'x' });
          if (client < 6) return queue.add({ uniqueKey: 'k', url: 'https://example.com/' });
          if (client === 6) return call(`/v2/datasets/${dataset['id']}`, { method: 'DELETE' });
          return call(`/v2/key-value-stores/${store['id']}`, { method: 'DELETE' });
        },
        { allowed: [200, 201, 204, 404], rounds: 3 },
      );
    }
  });
}
