// Deletes of requests that another client has locked. Rules A14, A17 and A20.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { idOf, queueCalls, type Queue } from './queue-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    // The clock stands still, so that locks end when a test advances it.
    server.clock.stop();
  });
  after(() => server.stop());

  const { make } = queueCalls(() => server);

  /** A queue with these requests, which this client has locked. */
  async function lockedQueue(keys: string[], clientKey?: string): Promise<Queue> {
    const queue = await make();
    await queue.addBatch(keys.map((uniqueKey) => ({ url: `https://example.com/${uniqueKey}`, uniqueKey })));
    const { json } = await queue.lock({ lockSecs: 60, ...(clientKey !== undefined && { clientKey }) });
    assert.equal(json['data'].items.length, keys.length);
    return queue;
  }

  const remove = (queue: Queue, key: string, query = '') =>
    queue.call(`/requests/${idOf(key)}${query}`, { method: 'DELETE' });
  const removeBatch = (queue: Queue, keys: string[], query = '') =>
    queue.call(`/requests/batch${query}`, {
      method: 'DELETE',
      body: keys.map((uniqueKey) => ({ uniqueKey })),
    });
  const outcomeOf = ({ status, json }: Answer) => [status, json['error']?.type];
  const keysIn = (items: Json[]) => items.map(({ uniqueKey }) => uniqueKey as string).toSorted();

  async function countsOf(queue: Queue): Promise<[total: number, pending: number]> {
    const { data } = (await queue.call('')).json;
    return [data.totalRequestCount, data.pendingRequestCount];
  }

  test('A20 a request that one client has locked is not deleted by another', async () => {
    const queue = await lockedQueue(['a'], 'one');
    assert.deepEqual(outcomeOf(await remove(queue, 'a', '?clientKey=two')), [
      409,
      'request-handled-or-locked',
    ]);
    assert.equal((await queue.call(`/requests/${idOf('a')}`)).status, 200);
    assert.deepEqual(await countsOf(queue), [1, 1]);
    assert.equal((await remove(queue, 'a', '?clientKey=one')).status, 204);
    assert.deepEqual(await countsOf(queue), [0, 0]);
    assert.deepEqual(outcomeOf(await remove(queue, 'a', '?clientKey=two')), [404, 'record-not-found']);
  });

  test('A20 a lock without a client key keeps clients with one from deleting', async () => {
    const queue = await lockedQueue(['a']);
    assert.deepEqual(outcomeOf(await remove(queue, 'a', '?clientKey=two')), [
      409,
      'request-handled-or-locked',
    ]);
    assert.equal((await remove(queue, 'a')).status, 204);
  });

  test('A20 a delete without a client key passes, whoever has locked the request', async () => {
    const queue = await lockedQueue(['a', 'b'], 'one');
    assert.equal((await remove(queue, 'a')).status, 204);
    const { json } = await removeBatch(queue, ['b']);
    assert.deepEqual(keysIn(json['data'].processedRequests), ['b']);
    assert.deepEqual(await countsOf(queue), [0, 0]);
  });

  test('A17 a lock that has ended keeps nobody from deleting', async () => {
    const queue = await lockedQueue(['a'], 'one');
    server.clock.ahead += 60_000;
    assert.equal((await remove(queue, 'a', '?clientKey=two')).status, 204);
  });

  test('A14 updates of a locked request pass, and one that handles it ends the lock', async () => {
    const queue = await lockedQueue(['a'], 'one');
    assert.equal((await queue.put('a', {}, '?clientKey=two')).status, 200);
    assert.equal((await remove(queue, 'a', '?clientKey=two')).status, 409);
    assert.equal(
      (await queue.put('a', { handledAt: new Date().toISOString() }, '?clientKey=two')).status,
      200,
    );
    assert.equal((await remove(queue, 'a', '?clientKey=two')).status, 204);
  });

  test('A20 a batch deletes what it may, and gives back what others have locked', async () => {
    const queue = await lockedQueue(['a', 'b'], 'one');
    await queue.addBatch([
      { url: 'https://example.com/free', uniqueKey: 'free' },
      { url: 'https://example.com/own', uniqueKey: 'own' },
    ]);
    await queue.lock({ lockSecs: 60, limit: 2, clientKey: 'two' });
    await queue.call(`/requests/${idOf('free')}/lock?clientKey=two`, { method: 'DELETE' });
    const { status, json } = await removeBatch(queue, ['a', 'free', 'own', 'none', 'b'], '?clientKey=two');
    assert.equal(status, 200);
    assert.deepEqual(keysIn(json['data'].processedRequests), ['free', 'own']);
    assert.deepEqual(
      (json['data'].unprocessedRequests as Json[]).toSorted((x, y) =>
        x['uniqueKey'] < y['uniqueKey'] ? -1 : 1,
      ),
      ['a', 'b'].map((key) => ({
        id: idOf(key),
        uniqueKey: key,
        url: `https://example.com/${key}`,
        method: 'GET',
      })),
    );
    assert.deepEqual(await countsOf(queue), [2, 2]);
  });

  test('A17 of eight clients at once, each deletes what it has locked, and nothing of the others', async () => {
    const queue = await make();
    const keys = Array.from({ length: 40 }, (_, index) => `k${index}`);
    for (const part of [keys.slice(0, 20), keys.slice(20)])
      await queue.addBatch(part.map((uniqueKey) => ({ url: `https://example.com/${uniqueKey}`, uniqueKey })));
    const clients = Array.from({ length: 8 }, (_, index) => `client-${index}`);
    const outcomes = await Promise.all(
      clients.map(async (clientKey) => {
        const { json } = await queue.lock({ lockSecs: 60, limit: 4, clientKey });
        const own = keysIn(json['data'].items);
        // All of them, while others lock and delete theirs.
        const tried = await Promise.all([
          removeBatch(queue, keys.slice(0, 20), `?clientKey=${clientKey}`),
          removeBatch(queue, keys.slice(20, 32), `?clientKey=${clientKey}`),
        ]);
        return { own, deleted: keysIn(tried.flatMap((one) => one.json['data'].processedRequests as Json[])) };
      }),
    );
    const deleted = outcomes.flatMap((one) => one.deleted);
    // Each request was deleted once.
    assert.equal(new Set(deleted).size, deleted.length);
    for (const { own, deleted: mine } of outcomes)
      for (const other of outcomes)
        if (other.own !== own)
          assert.ok(
            mine.every((key) => !other.own.includes(key)),
            'deleted what another had locked',
          );
    const [total] = await countsOf(queue);
    assert.equal(total, keys.length - deleted.length);
  });
});
