// Request queues over HTTP, on a running server with each engine: rules A12 to A20, and A1, A3 as far as queues go.
import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { statementsOf } from '../../../../src/actors/request-queues/engine-statements.ts';
import { Failure } from '../../../../src/kernel/failure.ts';
import { onEachEngine } from '../../../engines.ts';
import { idOf, queueCalls, type Queue } from './queue-calls.ts';
import { ADMIN_TOKEN, type Answer, type Json, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, {
      limits: 'off',
    });
    // The clock stands still, so that locks end when a test advances it.
    server.clock.stop();
  });
  after(() => server.stop());

  const { make } = queueCalls(() => server);
  const keysOf = ({ json }: Answer): string[] => json['data'].items.map((item: Json) => item['uniqueKey']);

  async function countsOf(queue: Queue): Promise<[total: number, handled: number, pending: number]> {
    const { data } = (await queue.call('')).json;
    return [data.totalRequestCount, data.handledRequestCount, data.pendingRequestCount];
  }

  /** Adds requests with these keys, and returns their ids. */
  async function fill(queue: Queue, ...keys: string[]): Promise<string[]> {
    for (const uniqueKey of keys) {
      assert.equal((await queue.add({ url: `https://example.com/${uniqueKey}`, uniqueKey })).status, 201);
    }
    return keys.map(idOf);
  }

  test('A1 a queue has its counters and times', async () => {
    const queue = await make();
    const { status, json } = await queue.call('');
    const { data } = json;
    assert.equal(status, 200);
    assert.equal(data.id, queue.id);
    assert.deepEqual(
      [data.totalRequestCount, data.handledRequestCount, data.pendingRequestCount, data.hadMultipleClients],
      [0, 0, 0, false],
    );
    for (const name of ['createdAt', 'modifiedAt', 'accessedAt']) assert.match(data[name], ISO, name);
    assert.equal(new URL(data.consoleUrl).pathname, `/console/storage/queues/${queue.id}`);
    assert.deepEqual(data.stats, {
      readCount: 0,
      writeCount: 0,
      deleteCount: 0,
      headItemReadCount: 0,
      storageBytes: 0,
    });
  });

  test('A3 a queue is addressed by id, by username~name and by ~name', async () => {
    const { json: made } = await server.call('/v2/request-queues?name=addressed', { method: 'POST' });
    for (const reference of [made['data'].id, 'admin~addressed', '~addressed']) {
      const { status, json } = await server.call(`/v2/request-queues/${reference}/requests`, {
        method: 'POST',
        body: { url: 'https://example.com' },
      });
      assert.equal(status, 201, reference);
      assert.equal(json['data'].requestId, idOf('https://example.com'));
    }
  });

  test('A3 a queue of the same name is got, not made again, and one can be renamed, listed and deleted', async () => {
    const first = await server.call('/v2/request-queues?name=twice', { method: 'POST' });
    const second = await server.call('/v2/request-queues?name=twice', { method: 'POST' });
    assert.deepEqual([first.status, second.status], [201, 200]);
    assert.equal(second.json['data'].id, first.json['data'].id);
    const path = `/v2/request-queues/${first.json['data'].id}`;
    const renamed = await server.call(path, { method: 'PUT', body: { name: 'once', title: 'One' } });
    assert.deepEqual([renamed.json['data'].name, renamed.json['data'].title], ['once', 'One']);
    const { json: listed } = await server.call('/v2/request-queues?desc=1');
    const item = listed['data'].items.find(({ name }: Json) => name === 'once');
    assert.deepEqual([item.totalRequestCount, item.username], [0, 'admin']);
    assert.equal((await server.call(path, { method: 'DELETE' })).status, 204);
    for (const rest of ['', '/head', '/requests', '/requests/abc']) {
      const { status, json } = await server.call(path + rest);
      assert.deepEqual([status, json['error'].type], [404, 'record-not-found'], rest);
    }
    const added = await server.call(`${path}/requests`, { method: 'POST', body: { url: 'https://a.test' } });
    assert.equal(added.status, 404);
  });

  test('A12 a new request gets the id that clients reckon with', async () => {
    const queue = await make();
    const { status, json } = await queue.add({ url: 'https://example.com/a', uniqueKey: 'key-1' });
    assert.equal(status, 201);
    assert.deepEqual(json, {
      data: { requestId: idOf('key-1'), wasAlreadyPresent: false, wasAlreadyHandled: false },
    });
    const { json: got } = await queue.call(`/requests/${idOf('key-1')}`);
    assert.deepEqual(got['data'], {
      id: idOf('key-1'),
      uniqueKey: 'key-1',
      url: 'https://example.com/a',
      method: 'GET',
      retryCount: 0,
    });
  });

  test('A12 an existing uniqueKey gives the existing id and changes nothing', async () => {
    const queue = await make();
    await queue.add({ url: 'https://example.com/first', uniqueKey: 'same', userData: { kept: true } });
    const earlier = (await queue.call('')).json;
    const { status, json } = await queue.add({ url: 'https://example.com/second', uniqueKey: 'same' });
    assert.equal(status, 201);
    assert.deepEqual(json['data'], {
      requestId: idOf('same'),
      wasAlreadyPresent: true,
      wasAlreadyHandled: false,
    });
    const { json: got } = await queue.call(`/requests/${idOf('same')}`);
    assert.deepEqual([got['data'].url, got['data'].userData], ['https://example.com/first', { kept: true }]);
    assert.equal((await queue.call('')).json['data'].totalRequestCount, earlier['data'].totalRequestCount);
    await queue.handle('same');
    const again = await queue.add({ url: 'https://example.com/third', uniqueKey: 'same' });
    assert.deepEqual(again.json['data'], {
      requestId: idOf('same'),
      wasAlreadyPresent: true,
      wasAlreadyHandled: true,
    });
  });

  test('A12 without a uniqueKey the normalised URL is it', async () => {
    const queue = await make();
    await queue.add({ url: 'https://Example.com/page/?b=2&utm_source=x&a=1#part' });
    assert.deepEqual(keysOf(await queue.head()), ['https://example.com/page?a=1&b=2']);
    const { json } = await queue.add({ url: 'https://example.com/page?a=1&b=2' });
    assert.equal(json['data'].wasAlreadyPresent, true);
    assert.equal((await queue.add({ url: 'not a URL' })).status, 201);
  });

  test('A12 no field is required, but something must tell requests apart', async () => {
    const queue = await make();
    assert.equal((await queue.add({ uniqueKey: 'key alone' })).status, 201);
    const { status, json } = await queue.add({});
    assert.deepEqual([status, json['error'].type], [400, 'invalid-input']);
    assert.deepEqual(await countsOf(queue), [1, 0, 1]);
    const [item] = (await queue.head()).json['data'].items as Json[];
    assert.deepEqual([item!['uniqueKey'], item!['url']], ['key alone', 'key alone']);
    const request = await queue.call(`/requests/${idOf('key alone')}`);
    assert.equal(request.json['data'].url, 'key alone');
  });

  test('A12 an id that does not follow from the uniqueKey is refused', async () => {
    const queue = await make();
    const right = await queue.add({ id: idOf('k'), url: 'https://a.test', uniqueKey: 'k' });
    assert.equal(right.status, 201);
    const { status, json } = await queue.add({
      id: 'aaaaaaaaaaaaaaa',
      url: 'https://a.test',
      uniqueKey: 'j',
    });
    assert.deepEqual([status, json['error'].type], [400, 'request-id-invalid']);
    assert.deepEqual(await countsOf(queue), [1, 0, 1]);
  });

  test('A12 a request can be added as handled', async () => {
    const queue = await make();
    await queue.add({ uniqueKey: 'done', url: 'https://a.test', handledAt: '2026-01-02T03:04:05.678Z' });
    assert.deepEqual(await countsOf(queue), [1, 1, 0]);
    assert.deepEqual(keysOf(await queue.head()), []);
    const { json } = await queue.add({ uniqueKey: 'done', url: 'https://a.test' });
    assert.equal(json['data'].wasAlreadyHandled, true);
  });

  test('A12 a batch of 25 is added in its order, with a result for each', async () => {
    const queue = await make();
    const keys = Array.from({ length: 25 }, (_, index) => `batch-${index}`);
    await queue.add({ uniqueKey: 'batch-3', url: 'https://a.test' });
    const { status, json } = await queue.addBatch([
      ...keys.slice(0, 24).map((uniqueKey) => ({ uniqueKey, url: `https://a.test/${uniqueKey}` })),
      { uniqueKey: 'batch-0', url: 'https://a.test' },
    ]);
    assert.equal(status, 201);
    const { processedRequests, unprocessedRequests } = json['data'];
    assert.deepEqual(unprocessedRequests, []);
    assert.deepEqual(processedRequests[0], {
      requestId: idOf('batch-0'),
      uniqueKey: 'batch-0',
      wasAlreadyPresent: false,
      wasAlreadyHandled: false,
    });
    assert.deepEqual(
      processedRequests.map(({ wasAlreadyPresent }: Json) => wasAlreadyPresent),
      [...keys.keys()].map((index) => index === 3 || index === 24),
    );
    assert.deepEqual(keysOf(await queue.head()), [
      'batch-3',
      ...keys.slice(0, 24).filter((key) => key !== 'batch-3'),
    ]);
  });

  test('A12 a batch of more than 25 is refused whole', async () => {
    const queue = await make();
    const requests = Array.from({ length: 26 }, (_, index) => ({ url: `https://a.test/${index}` }));
    const { status, json } = await queue.addBatch(requests);
    assert.deepEqual([status, json['error'].type], [400, 'invalid-input']);
    assert.deepEqual(await countsOf(queue), [0, 0, 0]);
  });

  test('A12 compressed bodies are read', async () => {
    const queue = await make();
    const requests = [{ url: 'https://a.test/compressed', userData: { text: 'x'.repeat(2000) } }];
    for (const [encoding, compress] of [
      ['br', brotliCompressSync],
      ['gzip', gzipSync],
    ] as const) {
      const { status } = await queue.call('/requests/batch', {
        method: 'POST',
        headers: { 'content-encoding': encoding },
        body: compress(JSON.stringify(requests)),
      });
      assert.equal(status, 201, encoding);
    }
    assert.deepEqual(await countsOf(queue), [1, 0, 1]);
  });

  test('A13 an update answers with the registration, as it was before', async () => {
    const queue = await make();
    const [id] = await fill(queue, 'one');
    const path = `/requests/${id}`;
    const request = { id, uniqueKey: 'one', url: 'https://example.com/one' };
    const put = (body: object, query = '') => queue.call(path + query, { method: 'PUT', body });
    const result = async (answer: Promise<Answer>) => {
      const { status, json } = await answer;
      assert.deepEqual([status, Object.keys(json['data']).length, json['data'].requestId], [200, 3, id]);
      return [json['data'].wasAlreadyPresent, json['data'].wasAlreadyHandled];
    };
    assert.deepEqual(await result(put({ ...request, retryCount: 2 })), [true, false]);
    assert.deepEqual(await result(put({ ...request, handledAt: new Date().toISOString() })), [true, false]);
    assert.deepEqual(await result(put({ ...request, handledAt: new Date().toISOString() })), [true, true]);
    assert.deepEqual(await result(put(request)), [true, true]);
    assert.deepEqual(await countsOf(queue), [1, 0, 1]);
  });

  test('A13 an update replaces the whole request', async () => {
    const queue = await make();
    const uniqueKey = 'whole';
    const id = idOf(uniqueKey);
    await queue.add({ uniqueKey, url: 'https://a.test', userData: { a: 1 }, payload: 'x', retryCount: 1 });
    const body = { id, uniqueKey, url: 'https://b.test', errorMessages: ['late'] };
    await queue.call(`/requests/${id}`, { method: 'PUT', body });
    assert.deepEqual((await queue.call(`/requests/${id}`)).json['data'], {
      ...body,
      method: 'GET',
      retryCount: 0,
    });
  });

  test('A13 an update of a request that is not there adds it', async () => {
    const queue = await make();
    const id = idOf('new');
    const { status, json } = await queue.call(`/requests/${id}`, {
      method: 'PUT',
      body: { id, uniqueKey: 'new', url: 'https://a.test' },
    });
    assert.equal(status, 200);
    assert.deepEqual(json['data'], { requestId: id, wasAlreadyPresent: false, wasAlreadyHandled: false });
    assert.deepEqual(await countsOf(queue), [1, 0, 1]);
  });

  test('A13 an update needs id, uniqueKey and url, and they must agree', async () => {
    const queue = await make();
    const [id] = await fill(queue, 'k');
    const good = { id, uniqueKey: 'k', url: 'https://changed.test' };
    for (const name of ['id', 'uniqueKey', 'url'] as const) {
      const { [name]: _, ...body } = good;
      const { status, json } = await queue.call(`/requests/${id}`, { method: 'PUT', body });
      assert.deepEqual([status, json['error'].type], [400, 'invalid-input'], name);
    }
    for (const [path, body] of [
      ['aaaaaaaaaaaaaaa', good],
      [id, { ...good, uniqueKey: 'other' }],
      [id, { ...good, id: 'aaaaaaaaaaaaaaa' }],
    ] as const) {
      const { status, json } = await queue.call(`/requests/${path}`, { method: 'PUT', body });
      assert.deepEqual([status, json['error'].type], [400, 'request-id-invalid']);
    }
    assert.equal((await queue.call(`/requests/${id}`)).json['data'].url, 'https://example.com/k');
  });

  test('A13 a request that stays pending goes to the end, or with forefront to the head', async () => {
    const queue = await make();
    await fill(queue, 'a', 'b', 'c');
    await queue.put('a');
    assert.deepEqual(keysOf(await queue.head()), ['b', 'c', 'a']);
    await queue.put('c', {}, '?forefront=true');
    assert.deepEqual(keysOf(await queue.head()), ['c', 'b', 'a']);
  });

  test('A14 a handled request leaves the head and loses its lock', async () => {
    const queue = await make();
    const [a] = await fill(queue, 'a', 'b');
    await queue.lock({ lockSecs: 60, limit: 1, clientKey: 'one' });
    await queue.handle('a');
    assert.deepEqual(keysOf(await queue.head()), ['b']);
    const { json } = await queue.call(`/requests/${a}`);
    assert.equal(json['data'].lockExpiresAt, undefined);
    assert.match(json['data'].handledAt, ISO);
    assert.deepEqual(await countsOf(queue), [2, 1, 1]);
    await queue.put('a');
    assert.deepEqual(keysOf(await queue.head()), ['b', 'a']);
    assert.deepEqual(await countsOf(queue), [2, 0, 2]);
  });

  test('A15 all fields come back as they were sent', async () => {
    const queue = await make();
    const request = {
      uniqueKey: 'full',
      url: 'https://example.com/ünï?q=✓',
      method: 'PATCH',
      retryCount: 7,
      loadedUrl: 'https://example.com/after',
      payload: 'a\u0000b \ud800 "quoted" \\ and 🎉',
      headers: { 'X-One': '1', nested: { a: [1, null] } },
      userData: {
        label: 'L',
        nul: '\u0000',
        half: '\udfff',
        __proto: {},
        deep: { list: [1.5, -0, 1e21, 'x'] },
      },
      noRetry: true,
      errorMessages: ['first', 'second\u2028'],
    };
    assert.equal((await queue.add(request)).status, 201);
    const { json } = await queue.call(`/requests/${idOf('full')}`);
    assert.deepEqual(json['data'], { id: idOf('full'), ...JSON.parse(JSON.stringify(request)) });
  });

  test('A15 payload may be an object, and what is null counts as absent', async () => {
    const queue = await make();
    await queue.add({
      uniqueKey: 'nulls',
      url: 'https://a.test',
      payload: { a: { b: 'c' } },
      loadedUrl: null,
      headers: null,
      noRetry: null,
      errorMessages: null,
      handledAt: null,
    });
    assert.deepEqual((await queue.call(`/requests/${idOf('nulls')}`)).json['data'], {
      id: idOf('nulls'),
      uniqueKey: 'nulls',
      url: 'https://a.test',
      method: 'GET',
      retryCount: 0,
      payload: { a: { b: 'c' } },
    });
  });

  test('A15 the nine methods are taken', async () => {
    const queue = await make();
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'];
    for (const method of methods) {
      assert.equal(
        (await queue.add({ uniqueKey: method, url: 'https://a.test', method })).status,
        201,
        method,
      );
    }
    const { json } = await queue.head();
    assert.deepEqual(
      json['data'].items.map((item: Json) => item['method']),
      methods,
    );
  });

  test('A15 unknown fields and queries are left aside', async () => {
    const queue = await make();
    const { status } = await queue.call('/requests?newer=1', {
      method: 'POST',
      body: { url: 'https://a.test', uniqueKey: 'u', newer: true },
    });
    assert.equal(status, 201);
    assert.equal((await queue.call(`/requests/${idOf('u')}`)).json['data'].newer, undefined);
  });

  test('A16 the head has the first pending requests and what clients need to know of the queue', async () => {
    const queue = await make();
    await fill(queue, 'a', 'b', 'c');
    const { status, json } = await queue.head('?limit=2&clientKey=me');
    assert.equal(status, 200);
    const { items, queueModifiedAt, ...rest } = json['data'];
    assert.deepEqual(rest, { limit: 2, hadMultipleClients: true });
    assert.match(queueModifiedAt, ISO);
    assert.deepEqual(items, [
      { id: idOf('a'), uniqueKey: 'a', url: 'https://example.com/a', method: 'GET', retryCount: 0 },
      { id: idOf('b'), uniqueKey: 'b', url: 'https://example.com/b', method: 'GET', retryCount: 0 },
    ]);
  });

  test('A16 a limit that is too large is cut, and none means 100', async () => {
    const queue = await make();
    assert.equal((await queue.head('?limit=5000')).json['data'].limit, 1000);
    assert.equal((await queue.head()).json['data'].limit, 100);
    assert.equal((await queue.head('?limit=0')).json['data'].limit, 100);
  });

  test('A16 queueModifiedAt changes with every add, update and delete', async () => {
    const queue = await make();
    const modifiedAt = async () => Date.parse((await queue.head()).json['data'].queueModifiedAt);
    let last = await modifiedAt();
    const grows = async (label: string) => {
      const now = await modifiedAt();
      assert.ok(now > last, label);
      last = now;
    };
    const [id] = await fill(queue, 'a');
    await grows('add');
    await queue.addBatch([{ url: 'https://b.test' }]);
    await grows('batch add');
    await queue.put('a');
    await grows('update');
    await queue.call(`/requests/${id}`, { method: 'DELETE' });
    await grows('delete');
    await queue.removeBatch([{ uniqueKey: 'https://b.test' }]);
    await grows('batch delete');
    await queue.lock({ lockSecs: 10 });
    assert.equal(await modifiedAt(), last);
  });

  test('A17 locked requests are given to nobody else until the lock ends, and are then in their old place', async () => {
    const queue = await make();
    await fill(queue, 'a', 'b', 'c', 'd');
    const { status, json } = await queue.lock({ lockSecs: 60, limit: 2, clientKey: 'one' });
    assert.equal(status, 201);
    const { items, queueModifiedAt, ...rest } = json['data'];
    assert.deepEqual(rest, {
      limit: 2,
      lockSecs: 60,
      clientKey: 'one',
      hadMultipleClients: true,
      queueHasLockedRequests: true,
    });
    assert.match(queueModifiedAt, ISO);
    assert.deepEqual(keysOf({ json } as Answer), ['a', 'b']);
    for (const { lockExpiresAt } of items) {
      assert.equal(Date.parse(lockExpiresAt) - server.clock.now(), 60_000);
    }
    assert.deepEqual(keysOf(await queue.head()), ['c', 'd']);
    assert.deepEqual(keysOf(await queue.lock({ lockSecs: 120, clientKey: 'two' })), ['c', 'd']);
    const empty = await queue.lock({ lockSecs: 60, clientKey: 'one' });
    assert.deepEqual([keysOf(empty), empty.json['data'].queueHasLockedRequests], [[], true]);
    server.clock.ahead += 61_000;
    assert.deepEqual(keysOf(await queue.head()), ['a', 'b']);
    await fill(queue, 'e');
    server.clock.ahead += 60_000;
    assert.deepEqual(keysOf(await queue.head()), ['a', 'b', 'c', 'd', 'e']);
    assert.deepEqual(keysOf(await queue.lock({ lockSecs: 1, clientKey: 'two' })), ['a', 'b', 'c', 'd', 'e']);
  });

  test('A17 a queue without locked requests says so', async () => {
    const queue = await make();
    await fill(queue, 'a');
    await queue.handle('a');
    assert.equal((await queue.lock({ lockSecs: 60 })).json['data'].queueHasLockedRequests, false);
  });

  test('A17 lockSecs is required, and at most 25 are locked', async () => {
    const queue = await make();
    for (const query of ['', '?lockSecs=', '?lockSecs=x', '?lockSecs=0', '?lockSecs=-5', '?lockSecs=1e3']) {
      const { status, json } = await queue.call(`/head/lock${query}`, { method: 'POST' });
      assert.deepEqual([status, json['error'].type], [400, 'invalid-input'], query);
    }
    for (const start of [0, 25]) {
      await queue.addBatch(
        Array.from({ length: 25 }, (_, index) => ({ url: `https://a.test/${start + index}` })),
      );
    }
    const { json } = await queue.lock({ lockSecs: 1.5, limit: 1000 });
    assert.deepEqual([json['data'].limit, json['data'].items.length], [25, 25]);
  });

  test('A17 a body-less call with the content type of a form is taken', async () => {
    const queue = await make();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const lock = await queue.call('/head/lock?lockSecs=5', { method: 'POST', headers });
    assert.equal(lock.status, 201);
    assert.equal((await queue.call('/requests/unlock', { method: 'POST', headers })).status, 200);
  });

  test('A17 a lock is held longer by its owner alone', async () => {
    const queue = await make();
    const [id] = await fill(queue, 'a', 'b');
    await queue.lock({ lockSecs: 10, limit: 1, clientKey: 'owner' });
    const prolong = (query: string) => queue.call(`/requests/${id}/lock?${query}`, { method: 'PUT' });
    const { status, json } = await prolong('lockSecs=100&clientKey=owner');
    assert.deepEqual([status, Object.keys(json['data'])], [200, ['lockExpiresAt']]);
    assert.equal(Date.parse(json['data'].lockExpiresAt) - server.clock.now(), 100_000);
    const { json: got } = await queue.call(`/requests/${id}`);
    assert.deepEqual(
      [got['data'].lockExpiresAt, got['data'].lockByClient],
      [json['data'].lockExpiresAt, 'owner'],
    );
    for (const query of ['lockSecs=100&clientKey=other', 'lockSecs=100']) {
      const refused = await prolong(query);
      assert.deepEqual([refused.status, refused.json['error'].type], [409, 'request-handled-or-locked']);
      const unlock = await queue.call(`/requests/${id}/lock?${query}`, { method: 'DELETE' });
      assert.deepEqual([unlock.status, unlock.json['error'].type], [409, 'request-handled-or-locked']);
    }
    server.clock.ahead += 101_000;
    assert.deepEqual(keysOf(await queue.head()), ['a', 'b']);
    assert.equal((await prolong('lockSecs=10&clientKey=owner')).status, 200);
    assert.deepEqual(keysOf(await queue.head()), ['b']);
    server.clock.ahead += 11_000;
    await queue.lock({ lockSecs: 10, limit: 1, clientKey: 'thief' });
    assert.equal((await prolong('lockSecs=10&clientKey=owner')).status, 409);
    await queue.handle('a');
    assert.equal((await prolong('lockSecs=10&clientKey=thief')).status, 409);
    assert.equal((await prolong('lockSecs=10&clientKey=owner')).status, 409);
  });

  test('A17 a lock held longer with forefront ends at the head', async () => {
    const queue = await make();
    const [, b] = await fill(queue, 'a', 'b', 'c');
    await queue.lock({ lockSecs: 10, clientKey: 'owner' });
    await queue.call(`/requests/${b}/lock?lockSecs=10&clientKey=owner&forefront=1`, { method: 'PUT' });
    server.clock.ahead += 11_000;
    assert.deepEqual(keysOf(await queue.head()), ['b', 'a', 'c']);
  });

  test('A17 a request is given back to the end, or with forefront to the head', async () => {
    const queue = await make();
    const ids = await fill(queue, 'a', 'b', 'c');
    await queue.lock({ lockSecs: 10, limit: 2, clientKey: 'owner' });
    const release = (id: string, query = '') =>
      queue.call(`/requests/${id}/lock?clientKey=owner${query}`, { method: 'DELETE' });
    assert.equal((await release(ids[0]!)).status, 204);
    assert.deepEqual(keysOf(await queue.head()), ['c', 'a']);
    assert.equal((await release(ids[1]!, '&forefront=true')).status, 204);
    assert.deepEqual(keysOf(await queue.head()), ['b', 'c', 'a']);
    assert.equal((await release(ids[1]!)).status, 204, 'once more');
    assert.deepEqual(keysOf(await queue.head()), ['b', 'c', 'a']);
    for (const method of ['PUT', 'DELETE']) {
      const { status } = await queue.call('/requests/aaaaaaaaaaaaaaa/lock?lockSecs=5', { method });
      assert.equal(status, 404, method);
    }
  });

  test('A17 a client gives back all it holds, each to its old place', async () => {
    const queue = await make();
    await fill(queue, 'a', 'b', 'c', 'd');
    await queue.lock({ lockSecs: 10, limit: 2, clientKey: 'one' });
    await queue.lock({ lockSecs: 10, limit: 1, clientKey: 'two' });
    const unlock = await queue.call('/requests/unlock?clientKey=one', { method: 'POST' });
    assert.deepEqual([unlock.status, unlock.json], [200, { data: { unlockedCount: 2 } }]);
    assert.deepEqual(keysOf(await queue.head()), ['a', 'b', 'd']);
    const again = await queue.call('/requests/unlock?clientKey=one', { method: 'POST' });
    assert.deepEqual(again.json['data'], { unlockedCount: 0 });
    assert.deepEqual(keysOf(await queue.head()), ['a', 'b', 'd']);
  });

  test('A18 the same client never makes several of itself', async () => {
    const queue = await make();
    const had = async () => (await queue.call('')).json['data'].hadMultipleClients;
    const as = '?clientKey=me';
    await queue.call(`/requests${as}`, { method: 'POST', body: { url: 'https://a.test', uniqueKey: 'a' } });
    await queue.call(`/requests/batch${as}`, { method: 'POST', body: [{ url: 'https://b.test' }] });
    await queue.head(as);
    await queue.call(`/requests${as}`);
    await queue.lock({ lockSecs: 5, clientKey: 'me' });
    await queue.call(`/requests/${idOf('a')}`);
    await queue.put('a', {}, as);
    assert.equal(await had(), false);
    await queue.head('?clientKey=you');
    assert.equal(await had(), true);
    await queue.head(as);
    assert.equal(await had(), true);
  });

  test('A18 a call without a client key is a new client', async () => {
    const queue = await make();
    assert.equal((await queue.head()).json['data'].hadMultipleClients, false);
    assert.equal((await queue.head()).json['data'].hadMultipleClients, true);
    const mixed = await make();
    await mixed.head('?clientKey=one');
    assert.equal((await mixed.head()).json['data'].hadMultipleClients, true);
  });

  test('A18 a client key has 1 to 32 characters', async () => {
    const queue = await make();
    const [id] = await fill(queue, 'a');
    const lock = { method: 'PUT' };
    const calls: [path: string, init?: object][] = [
      ['/head'],
      ['/requests'],
      ['/head/lock?lockSecs=1', { method: 'POST' }],
      ['/requests', { method: 'POST', body: { url: 'https://b.test' } }],
      ['/requests/batch', { method: 'POST', body: [{ url: 'https://b.test' }] }],
      ['/requests/batch', { method: 'DELETE', body: [{ id }] }],
      ['/requests/unlock', { method: 'POST' }],
      [`/requests/${id}/lock?lockSecs=1`, lock],
      [`/requests/${id}/lock`, { method: 'DELETE' }],
      [`/requests/${id}`, { method: 'DELETE' }],
      [`/requests/${id}`, { method: 'PUT', body: { id, uniqueKey: 'a', url: 'https://b.test' } }],
    ];
    for (const key of ['', 'x'.repeat(33), '🎉'.repeat(33)]) {
      for (const [path, init] of calls) {
        const clientKey = `${path.includes('?') ? '&' : '?'}clientKey=${encodeURIComponent(key)}`;
        const { status, json } = await queue.call(path + clientKey, init);
        assert.deepEqual([status, json['error'].type], [400, 'invalid-client-key'], path);
      }
    }
    assert.equal((await queue.head(`?clientKey=${'🎉'.repeat(32)}`)).status, 200);
    assert.deepEqual(await countsOf(queue), [1, 0, 1]);
  });

  test('A19 forefront puts a request at the head, the last one first', async () => {
    const queue = await make();
    await fill(queue, 'a', 'b');
    for (const [key, forefront] of [
      ['c', 'true'],
      ['d', '1'],
      ['e', 'false'],
      ['f', '0'],
    ]) {
      const body = { url: 'https://a.test', uniqueKey: key };
      assert.equal(
        (await queue.call(`/requests?forefront=${forefront}`, { method: 'POST', body })).status,
        201,
      );
    }
    assert.deepEqual(keysOf(await queue.head()), ['d', 'c', 'a', 'b', 'e', 'f']);
    await queue.call('/requests/batch?forefront=true', {
      method: 'POST',
      body: ['g', 'h', 'a'].map((uniqueKey) => ({ uniqueKey, url: 'https://a.test' })),
    });
    assert.deepEqual(keysOf(await queue.head()), ['h', 'g', 'd', 'c', 'a', 'b', 'e', 'f']);
  });

  test('A19 forefront is true in any case or 1; anything else is the end, and never an error', async () => {
    const queue = await make();
    const [first] = await fill(queue, 'first');
    const said: [query: string, isAtHead: boolean][] = [
      ['forefront=TRUE', true],
      ['forefront=True', true],
      ['forefront=tRuE', true],
      ['forefront=', false],
      ['forefront', false],
      ['forefront=yes', false],
      ['forefront=on', false],
      ['forefront=01', false],
      ['forefront=2', false],
      ['forefront=%20true', false],
      ['forefront=null', false],
      ['forefront=true&forefront=true', false],
    ];
    for (const [at, [query, isAtHead]] of said.entries()) {
      const uniqueKey = `k${at}`;
      const added = await queue.call(`/requests?${query}`, { method: 'POST', body: { uniqueKey } });
      assert.equal(added.status, 201, query);
      assert.equal(keysOf(await queue.head()).at(isAtHead ? 0 : -1), uniqueKey, query);
      const batch = { method: 'POST', body: [{ uniqueKey: `b${at}` }] };
      assert.equal((await queue.call(`/requests/batch?${query}`, batch)).status, 201, query);
      assert.equal(keysOf(await queue.head()).at(isAtHead ? 0 : -1), `b${at}`, query);
      assert.equal((await queue.put('first', {}, `?${query}`)).status, 200, query);
      assert.equal(keysOf(await queue.head()).at(isAtHead ? 0 : -1), 'first', query);
      const lock = `/requests/${first}/lock?clientKey=me&${query}`;
      await queue.put('first', {}, '?forefront=1');
      assert.equal((await queue.lock({ lockSecs: 60, limit: 1, clientKey: 'me' })).status, 201);
      assert.equal((await queue.call(`${lock}&lockSecs=60`, { method: 'PUT' })).status, 200, query);
      assert.equal((await queue.call(lock, { method: 'DELETE' })).status, 204, query);
      assert.equal(keysOf(await queue.head()).at(isAtHead ? 0 : -1), 'first', query);
    }
  });

  test('A20 requests are deleted by id or by uniqueKey', async () => {
    const queue = await make();
    const [a] = await fill(queue, 'a', 'b', 'c');
    await queue.handle('b');
    const { status, json } = await queue.removeBatch([
      { id: a },
      { uniqueKey: 'b' },
      { uniqueKey: 'gone' },
      { id: 'aaaaaaaaaaaaaaa' },
      { id: 'no id at all\0' },
      { uniqueKey: 'a' },
    ]);
    assert.equal(status, 200);
    assert.deepEqual(json['data'], {
      processedRequests: [
        { id: a, uniqueKey: 'a' },
        { id: idOf('b'), uniqueKey: 'b' },
      ],
      unprocessedRequests: [],
    });
    assert.deepEqual(await countsOf(queue), [1, 0, 1]);
    assert.deepEqual(keysOf(await queue.head()), ['c']);
    const { json: again } = await queue.add({ url: 'https://example.com/a', uniqueKey: 'a' });
    assert.equal(again['data'].wasAlreadyPresent, false);
  });

  test('A20 requests that cannot be deleted because the storage fails come back whole', async () => {
    const queue = await make();
    const [a] = await fill(queue, 'a');
    await queue.add({ uniqueKey: 'b', method: 'POST' });
    const broken = mock.method(statementsOf(server.app.kernel.engine), 'delete', () =>
      Promise.reject(new Failure('unavailable', 'The disk is gone')),
    );
    const names = [{ uniqueKey: 'b' }, { id: a }, { uniqueKey: 'gone' }];
    const { status, json } = await queue.removeBatch(names);
    broken.mock.restore();
    assert.equal(status, 200);
    assert.deepEqual(json['data'], {
      processedRequests: [],
      unprocessedRequests: [
        { id: idOf('b'), uniqueKey: 'b', url: 'b', method: 'POST' },
        { id: a, uniqueKey: 'a', url: 'https://example.com/a', method: 'GET' },
      ],
    });
    assert.equal((await queue.removeBatch(names)).json['data'].processedRequests.length, 2);
  });

  test('A20 a fault of the server is not told as requests to send again', async () => {
    const queue = await make();
    const [id] = await fill(queue, 'a');
    const broken = mock.method(statementsOf(server.app.kernel.engine), 'delete', () =>
      Promise.reject(new TypeError('a fault')),
    );
    const { status } = await queue.removeBatch([{ id }]);
    broken.mock.restore();
    assert.equal(status, 500);
    assert.deepEqual(keysOf(await queue.head()), ['a']);
  });

  test('A20 one request is deleted, and then not found', async () => {
    const queue = await make();
    const [id] = await fill(queue, 'a');
    const path = `/requests/${id}`;
    const { status, text } = await queue.call(path, { method: 'DELETE' });
    assert.deepEqual([status, text], [204, '']);
    for (const method of ['DELETE', 'GET']) {
      const gone = await queue.call(path, { method });
      assert.deepEqual([gone.status, gone.json['error'].type], [404, 'record-not-found'], method);
    }
    assert.deepEqual(await countsOf(queue), [0, 0, 0]);
  });

  test('A20 a batch delete needs a JSON content type and at most 25 names', async () => {
    const queue = await make();
    const [id] = await fill(queue, 'a');
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
    ]) {
      const { status, json } = await queue.call('/requests/batch', {
        method: 'DELETE',
        headers,
        body: `[{"id":"${id}"}]`,
      });
      assert.deepEqual([status, json['error'].type], [400, 'invalid-content-type-header']);
    }
    const absent = await queue.call('/requests/batch', { method: 'DELETE' });
    assert.deepEqual([absent.status, absent.json['error'].type], [400, 'invalid-content-type-header']);
    const bytes = await fetch(`${server.url}/v2/request-queues/${queue.id}/requests/batch`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      body: new TextEncoder().encode(`[{"id":"${id}"}]`),
    });
    assert.match(await bytes.text(), /invalid-content-type-header/);
    for (const body of [Array.from({ length: 26 }, () => ({ id })), [{}], [{ id: 5 }], { id }, [id], null]) {
      const { status } = await queue.removeBatch(body);
      assert.equal(status, 400);
    }
    assert.deepEqual(await countsOf(queue), [1, 0, 1]);
  });

  test('A16 the list goes page by page, to an end without a cursor', async () => {
    const queue = await make();
    const keys = Array.from({ length: 23 }, (_, index) => `k${index}`);
    await queue.addBatch(keys.map((uniqueKey) => ({ uniqueKey, url: 'https://a.test', userData: { n: 1 } })));
    const seen: string[] = [];
    let query = '?limit=5';
    for (let page = 0; page < 5; page += 1) {
      const { status, json } = await queue.call(`/requests${query}`);
      assert.deepEqual([status, json['data'].limit], [200, 5]);
      seen.push(...keysOf({ json } as Answer));
      assert.deepEqual(json['data'].items[0].userData, { n: 1 });
      assert.equal('nextCursor' in json['data'], page < 4);
      if (page > 0) assert.equal(`?limit=5&cursor=${json['data'].cursor}`, query);
      query = `?limit=5&cursor=${json['data'].nextCursor}`;
    }
    assert.deepEqual(seen.toSorted(), keys.toSorted());
    const { json } = await queue.call('/requests?limit=10');
    const { id } = json['data'].items[4];
    const behind = await queue.call(`/requests?limit=5&exclusiveStartId=${id}`);
    assert.deepEqual(keysOf(behind), keysOf({ json } as Answer).slice(5));
    assert.equal(behind.json['data'].exclusiveStartId, id);
    assert.equal((await queue.call('/requests?limit=999999999999')).json['data'].limit, 10_000);
  });

  test('A16 the list can be filtered by state', async () => {
    const queue = await make();
    await fill(queue, 'a', 'b', 'c', 'd', 'e');
    await queue.lock({ lockSecs: 10, limit: 2, clientKey: 'me' });
    await queue.handle('e');
    const keys = async (query: string) => keysOf(await queue.call(`/requests?${query}`));
    assert.deepEqual(await keys('filter=locked'), ['a', 'b']);
    assert.deepEqual(await keys('filter=pending'), ['c', 'd']);
    assert.deepEqual(await keys('filter=locked,pending'), ['a', 'b', 'c', 'd']);
    assert.deepEqual((await keys('')).toSorted(), ['a', 'b', 'c', 'd', 'e']);
    const first = await queue.call('/requests?filter=locked,pending&limit=3');
    const { nextCursor } = first.json['data'];
    assert.deepEqual(await keys(`filter=locked,pending&limit=3&cursor=${nextCursor}`), ['d']);
    server.clock.ahead += 11_000;
    assert.deepEqual(await keys('filter=locked'), []);
    for (const query of [
      'filter=other',
      `filter=locked&exclusiveStartId=${idOf('a')}`,
      `cursor=${nextCursor}`,
      'cursor=nonsense',
      `cursor=${nextCursor}&exclusiveStartId=x&filter=locked`,
    ]) {
      const { status, json } = await queue.call(`/requests?${query}`);
      assert.deepEqual([status, json['error'].type], [400, 'invalid-input'], query);
    }
  });

  test('A1 what is done with a queue is counted', async () => {
    const queue = await make();
    const [a] = await fill(queue, 'a', 'b', 'c');
    await queue.head();
    await queue.lock({ lockSecs: 5, limit: 2 });
    await queue.call(`/requests/${a}`);
    await queue.call('/requests');
    await queue.handle('a');
    await queue.removeBatch([{ id: a }, { uniqueKey: 'nothing' }]);
    assert.deepEqual((await queue.call('')).json['data'].stats, {
      readCount: 4,
      writeCount: 6,
      deleteCount: 1,
      headItemReadCount: 5,
      storageBytes: 154,
    });
    await queue.removeBatch([{ uniqueKey: 'b' }, { uniqueKey: 'c' }]);
    assert.equal((await queue.call('')).json['data'].stats.storageBytes, 0);
  });

  test('A1 times in replies are ISO 8601, or absent', async () => {
    const queue = await make();
    await fill(queue, 'a', 'b');
    await queue.handle('b');
    const answers = [
      await queue.head(),
      await queue.lock({ lockSecs: 5 }),
      await queue.call('/requests'),
      await queue.call(''),
    ];
    let times = 0;
    for (const { json } of answers) {
      JSON.stringify(json, (key, value: unknown) => {
        if (key.endsWith('At')) assert.match(String(value), ISO, key);
        if (key.endsWith('At')) times += 1;
        return value;
      });
    }
    assert.ok(times >= 8);
  });
});
