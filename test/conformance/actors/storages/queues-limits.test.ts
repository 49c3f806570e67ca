// The rate limit of a request queue: 429 for single calls and the head, unprocessed requests in batches (A20, A31).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join } from '../../../people.ts';
import { type Answer, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { idOf, queueCalls } from './queue-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, {
      limit: {
        'actors.queue': { known: 3, anonymous: 3, seconds: 60 },
        'actors.queue_batch': { known: 2, anonymous: 2, seconds: 60 },
      },
    });
  });
  after(() => server.stop());
  const { make } = queueCalls(() => server);

  function assertLimited({ status, json, headers }: Answer, limit: string): void {
    assert.deepEqual([status, json['error'].type], [429, 'rate-limit-exceeded']);
    assert.match(json['error'].message, /rate limit/);
    assert.equal(headers.get('x-ratelimit-limit'), limit);
    const seconds = Number(headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 60);
  }

  test('A31 single requests share a budget, each queue its own', async () => {
    const queue = await make();
    for (const path of ['a', 'b', 'c']) {
      assert.equal((await queue.add({ url: `https://a.test/${path}` })).status, 201);
    }
    assertLimited(await queue.add({ url: 'https://a.test/d' }), '3');
    assertLimited(await queue.call('/requests/aaaaaaaaaaaaaaa'), '3');
    assertLimited(await queue.call('/requests/aaaaaaaaaaaaaaa', { method: 'DELETE' }), '3');
    assertLimited(await queue.put('x'), '3');
    assertLimited(await queue.call('/requests/aaaaaaaaaaaaaaa/lock?lockSecs=1', { method: 'PUT' }), '3');
    assertLimited(await queue.call('/requests/unlock', { method: 'POST' }), '3');
    const other = await make();
    assert.equal((await other.add({ url: 'https://a.test/d' })).status, 201);
    assert.equal((await queue.call('')).json['data'].totalRequestCount, 3);
    server.clock.ahead += 61_000;
    assert.equal((await queue.add({ url: 'https://a.test/d' })).status, 201);
  });

  test('A31 the head has a budget of its own', async () => {
    const queue = await make();
    assert.equal((await queue.head()).status, 200);
    assert.equal((await queue.lock({ lockSecs: 5 })).status, 201);
    assertLimited(await queue.head(), '2');
    assertLimited(await queue.lock({ lockSecs: 5 }), '2');
    assert.equal((await queue.add({ url: 'https://a.test' })).status, 201);
  });

  test('A20 what is over the budget comes back as unprocessed, and can be sent again', async () => {
    const queue = await make();
    const requests = [
      { url: 'https://a.test/1', uniqueKey: 'one', method: 'POST', userData: { a: 1 } },
      { url: 'https://a.test/2' },
    ];
    assert.equal((await queue.addBatch([{ url: 'https://a.test/0', uniqueKey: 'zero' }])).status, 201);
    assert.equal((await queue.head()).status, 200);
    const { status, json } = await queue.addBatch(requests);
    assert.equal(status, 201);
    assert.deepEqual(json['data'], {
      processedRequests: [],
      unprocessedRequests: [
        { id: idOf('one'), url: 'https://a.test/1', uniqueKey: 'one', method: 'POST' },
        { id: idOf('https://a.test/2'), url: 'https://a.test/2', uniqueKey: 'https://a.test/2' },
      ],
    });
    const names = [{ uniqueKey: 'zero' }, { id: 'aaaaaaaaaaaaaaa' }, { id: 'no id' }, { uniqueKey: 'gone' }];
    const removed = await queue.removeBatch(names);
    assert.equal(removed.status, 200);
    assert.deepEqual(removed.json['data'], {
      processedRequests: [],
      unprocessedRequests: [{ id: idOf('zero'), uniqueKey: 'zero', url: 'https://a.test/0', method: 'GET' }],
    });
    assert.equal((await queue.call('')).json['data'].totalRequestCount, 1);
    server.clock.ahead += 61_000;
    const again = await queue.addBatch(requests);
    assert.deepEqual(
      [again.json['data'].processedRequests.length, again.json['data'].unprocessedRequests],
      [2, []],
    );
    assert.deepEqual((await queue.removeBatch([{ id: idOf('zero') }])).json['data'].processedRequests, [
      { id: idOf('zero'), uniqueKey: 'zero' },
    ]);
  });

  test('A31 a stranger cannot spend the budget of a queue', async () => {
    const queue = await make();
    const mallory = await join(server, 'mallory', { role: 'writer' });
    const { value: token } = await giveToken(server, mallory, { role: 'writer' });
    for (let call = 0; call < 5; call += 1) {
      const { status } = await queue.call('/requests', {
        method: 'POST',
        token,
        body: { url: 'https://a.test' },
      });
      assert.equal(status, 404);
    }
    assert.equal((await queue.add({ url: 'https://a.test' })).status, 201);
  });

  test('A31 a call that is refused does not count as a client', async () => {
    const queue = await make();
    for (const key of ['me', 'me', 'me']) await queue.call(`/requests?clientKey=${key}`);
    await queue.call('/requests?clientKey=other');
    assert.equal((await queue.call('')).json['data'].hadMultipleClients, false);
  });
});
