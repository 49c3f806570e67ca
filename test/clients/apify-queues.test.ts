// The real `apify-client` on request queues: every method of its clients for one queue and for all.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApifyApiError, ApifyClient, type RequestQueueClient } from 'apify-client';
import { eventually } from '../eventually.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

let server: TestServer;
let client: ApifyClient;
before(async () => {
  server = await startServer({ limits: 'off' });
  client = clientOf(server);
});
after(() => server.stop());

function clientOf({ url }: TestServer, maxRetries = 0): ApifyClient {
  return new ApifyClient({ baseUrl: url, token: ADMIN_TOKEN, maxRetries, minDelayBetweenRetriesMillis: 1 });
}

async function make(clientKey = 'tester'): Promise<RequestQueueClient> {
  const { id } = await client.requestQueues().getOrCreate();
  return client.requestQueue(id, { clientKey });
}

const requestsOf = (count: number, start = 0) =>
  Array.from({ length: count }, (_, index) => ({
    url: `https://example.com/${start + index}`,
    uniqueKey: `key-${start + index}`,
    userData: { text: 'x'.repeat(100), number: index },
  }));

const isRefused = (statusCode: number, type: string) => (error: unknown) => {
  assert.ok(error instanceof ApifyApiError);
  assert.deepEqual([error.statusCode, error.type], [statusCode, type]);
  return true;
};

test('getOrCreate makes a queue once, and list shows it', async () => {
  const made = await client.requestQueues().getOrCreate('crawl');
  const again = await client.requestQueues().getOrCreate('crawl');
  assert.equal(again.id, made.id);
  assert.ok(made.createdAt instanceof Date);
  const { items, total } = await client.requestQueues().list({ limit: 10, desc: true });
  assert.ok(total >= 1);
  assert.equal(items.find(({ name }) => name === 'crawl')?.id, made.id);
  const names: (string | undefined)[] = [];
  for await (const { name } of client.requestQueues().list({ unnamed: true })) names.push(name);
  assert.ok(names.includes('crawl'));
});

test('get finds a queue by id, by its name and by owner and name', async () => {
  const { id } = await client.requestQueues().getOrCreate('found');
  for (const reference of [id, '~found', 'admin/found', 'admin~found']) {
    assert.equal((await client.requestQueue(reference).get())?.id, id, reference);
  }
  assert.equal(await client.requestQueue('nothing').get(), undefined);
});

test('update renames a queue, delete removes it', async () => {
  const { id } = await client.requestQueues().getOrCreate('before');
  const queue = client.requestQueue(id);
  const updated = await queue.update({ name: 'after', title: 'After' });
  assert.deepEqual([updated.name, updated.title], ['after', 'After']);
  assert.equal((await client.requestQueue('~after').get())?.id, id);
  await queue.delete();
  assert.equal(await queue.get(), undefined);
  await assert.rejects(
    queue.addRequest({ url: 'https://a.test', uniqueKey: 'a' }),
    isRefused(404, 'record-not-found'),
  );
});

test('addRequest tells whether the request was there', async () => {
  const queue = await make();
  const request = { url: 'https://example.com', uniqueKey: 'https://example.com' };
  const first = await queue.addRequest(request);
  assert.deepEqual(first, {
    requestId: 'EAaArVRs5qV39C9',
    wasAlreadyPresent: false,
    wasAlreadyHandled: false,
  });
  assert.equal((await queue.addRequest(request)).wasAlreadyPresent, true);
  await queue.addRequest({ url: 'https://first.test', uniqueKey: 'first' }, { forefront: true });
  const { items } = await queue.listHead();
  assert.deepEqual(
    items.map(({ uniqueKey }) => uniqueKey),
    ['first', 'https://example.com'],
  );
});

test('batchAddRequests sends any number, 25 at a time and compressed', async () => {
  const queue = await make();
  const { processedRequests, unprocessedRequests } = await queue.batchAddRequests(requestsOf(130));
  assert.deepEqual([processedRequests.length, unprocessedRequests], [130, []]);
  const { processedRequests: again } = await queue.batchAddRequests(requestsOf(30, 120));
  assert.equal(again.filter(({ wasAlreadyPresent }) => wasAlreadyPresent).length, 10);
  const info = await queue.get();
  assert.deepEqual(
    [info?.totalRequestCount, info?.pendingRequestCount, info?.handledRequestCount],
    [150, 150, 0],
  );
  await queue.batchAddRequests([{ url: 'https://front.test', uniqueKey: 'front' }], { forefront: true });
  assert.equal((await queue.listHead({ limit: 1 })).items[0]?.uniqueKey, 'front');
});

test('batchAddRequests waits out the limit of the queue and sends the rest again', async () => {
  const small = await startServer({
    limit: { 'actors.queue_batch': { known: 2, anonymous: 2, seconds: 1 } },
  });
  const { id } = await clientOf(small).requestQueues().getOrCreate();
  const queue = clientOf(small).requestQueue(id);
  const adding = queue.batchAddRequests(requestsOf(75), {
    minDelayBetweenUnprocessedRequestsRetriesMillis: 100,
    // Far more than it needs: the clock is moved only when the other two batches are stored.
    maxUnprocessedRequestsRetries: 9,
  });
  await eventually(async () => (await queue.get())?.totalRequestCount === 50);
  small.clock.ahead += 1000;
  const { processedRequests, unprocessedRequests } = await adding;
  assert.deepEqual([processedRequests.length, unprocessedRequests], [75, []]);
  assert.equal((await queue.get())?.totalRequestCount, 75);
  await small.stop();
});

test('getRequest, updateRequest and deleteRequest', async () => {
  const queue = await make();
  const { requestId } = await queue.addRequest({
    url: 'https://example.com',
    uniqueKey: 'one',
    method: 'POST',
    payload: 'text',
    headers: { Accept: '*/*' },
    userData: { label: 'START' },
  });
  const request = (await queue.getRequest(requestId))!;
  assert.deepEqual(request, {
    id: requestId,
    uniqueKey: 'one',
    url: 'https://example.com',
    method: 'POST',
    retryCount: 0,
    payload: 'text',
    headers: { Accept: '*/*' },
    userData: { label: 'START' },
  });
  const handledAt = new Date().toISOString();
  const updated = await queue.updateRequest({ ...request, handledAt });
  assert.deepEqual(updated, { requestId, wasAlreadyPresent: true, wasAlreadyHandled: false });
  const { handledAt: told } = (await queue.getRequest(requestId)) as unknown as { handledAt: Date };
  assert.equal(told.toISOString(), handledAt);
  assert.equal((await queue.get())?.handledRequestCount, 1);
  await queue.updateRequest(
    { id: requestId, uniqueKey: 'one', url: 'https://example.com' },
    { forefront: true },
  );
  assert.equal((await queue.get())?.pendingRequestCount, 1);
  await queue.deleteRequest(requestId);
  assert.equal(await queue.getRequest(requestId), undefined);
  assert.equal((await queue.get())?.totalRequestCount, 0);
});

test('batchDeleteRequests by id and by uniqueKey', async () => {
  const queue = await make();
  const { processedRequests } = await queue.batchAddRequests(requestsOf(3));
  const { requestId } = processedRequests[0]!;
  const result = await queue.batchDeleteRequests([{ id: requestId }, { uniqueKey: 'key-2' }]);
  assert.deepEqual(
    result.processedRequests.map(({ uniqueKey }) => uniqueKey),
    ['key-0', 'key-2'],
  );
  assert.deepEqual(result.unprocessedRequests, []);
  assert.deepEqual(
    (await queue.listHead()).items.map(({ uniqueKey }) => uniqueKey),
    ['key-1'],
  );
});

test('listHead shows what is not locked', async () => {
  const queue = await make();
  await queue.batchAddRequests(requestsOf(5));
  const head = await queue.listHead({ limit: 2 });
  assert.deepEqual([head.limit, head.items.length, head.hadMultipleClients], [2, 2, false]);
  assert.ok(head.queueModifiedAt instanceof Date);
  await queue.listAndLockHead({ lockSecs: 60, limit: 3 });
  assert.equal((await queue.listHead()).items.length, 2);
});

test('listAndLockHead gives each request to one client', async () => {
  const queue = await make('first');
  await queue.batchAddRequests(requestsOf(4));
  const locked = await queue.listAndLockHead({ lockSecs: 60, limit: 3 });
  assert.deepEqual(
    [
      locked.limit,
      locked.lockSecs,
      locked.clientKey,
      locked.queueHasLockedRequests,
      locked.hadMultipleClients,
    ],
    [3, 60, 'first', true, false],
  );
  for (const { lockExpiresAt } of locked.items) assert.ok(lockExpiresAt instanceof Date);
  const { id } = (await queue.get())!;
  const other = client.requestQueue(id, { clientKey: 'second' });
  const rest = await other.listAndLockHead({ lockSecs: 60 });
  assert.deepEqual([rest.items.length, rest.hadMultipleClients], [1, true]);
  assert.equal((await other.listAndLockHead({ lockSecs: 60 })).items.length, 0);
});

test('prolongRequestLock and deleteRequestLock are for the client that holds the lock', async () => {
  const queue = await make('holder');
  await queue.batchAddRequests(requestsOf(2));
  const { items } = await queue.listAndLockHead({ lockSecs: 60 });
  const { id } = items[0]!;
  const begun = Date.now();
  const { lockExpiresAt } = await queue.prolongRequestLock(id, { lockSecs: 600 });
  assert.ok(lockExpiresAt.getTime() - begun >= 600_000);
  const other = client.requestQueue((await queue.get())!.id, { clientKey: 'other' });
  await assert.rejects(
    other.prolongRequestLock(id, { lockSecs: 5 }),
    isRefused(409, 'request-handled-or-locked'),
  );
  await assert.rejects(other.deleteRequestLock(id), isRefused(409, 'request-handled-or-locked'));
  await queue.deleteRequestLock(id, { forefront: true });
  assert.equal((await queue.listHead()).items[0]?.id, id);
});

test('the lock methods work without a client key, too', async () => {
  const { id: queueId } = await client.requestQueues().getOrCreate();
  const queue = client.requestQueue(queueId);
  await queue.addRequest({ url: 'https://a.test', uniqueKey: 'a' });
  const { items } = await queue.listAndLockHead({ lockSecs: 60 });
  await queue.prolongRequestLock(items[0]!.id, { lockSecs: 600 });
  await queue.deleteRequestLock(items[0]!.id);
  assert.equal((await queue.listHead()).items.length, 1);
});

test('unlockRequests gives back all that the client holds', async () => {
  const queue = await make('mine');
  await queue.batchAddRequests(requestsOf(10));
  await queue.listAndLockHead({ lockSecs: 60, limit: 4 });
  assert.deepEqual(await queue.unlockRequests(), { unlockedCount: 4 });
  assert.deepEqual(
    (await queue.listHead()).items.map(({ uniqueKey }) => uniqueKey),
    requestsOf(10).map(({ uniqueKey }) => uniqueKey),
  );
});

test('listRequests and paginateRequests go through all of them', async () => {
  const queue = await make();
  await queue.batchAddRequests(requestsOf(60));
  const { items, limit, nextCursor } = await queue.listRequests({ limit: 25 });
  assert.deepEqual([items.length, limit, typeof nextCursor], [25, 25, 'string']);
  assert.deepEqual(Object.keys(items[0]!.userData!), ['text', 'number']);
  const keys = new Set<string>();
  for await (const { uniqueKey } of queue.listRequests()) keys.add(uniqueKey);
  assert.equal(keys.size, 60);
  const pages: number[] = [];
  for await (const page of queue.paginateRequests({ maxPageLimit: 25 })) pages.push(page.items.length);
  assert.deepEqual(pages.slice(0, 3), [25, 25, 10]);
  const behind = await queue.listRequests({ exclusiveStartId: items[24]!.id });
  assert.equal(behind.items.length, 35);
  await queue.listAndLockHead({ lockSecs: 60, limit: 7 });
  assert.equal((await queue.listRequests({ filter: ['locked'] })).items.length, 7);
  assert.equal((await queue.listRequests({ filter: ['pending'] })).items.length, 53);
  let seen = 0;
  for await (const page of queue.paginateRequests({ filter: ['locked', 'pending'], maxPageLimit: 20 })) {
    seen += page.items.length;
  }
  assert.equal(seen, 60);
});

test('a client waits out the limit of a queue', async () => {
  const small = await startServer({ limit: { 'actors.queue': { known: 1, anonymous: 1, seconds: 60 } } });
  const queue = clientOf(small, 8).requestQueue((await clientOf(small).requestQueues().getOrCreate()).id);
  await queue.addRequest({ url: 'https://a.test', uniqueKey: 'a' });
  const later = queue.addRequest({ url: 'https://b.test', uniqueKey: 'b' });
  await eventually(() => small.log.some(({ failure }) => failure === 'exhausted'));
  small.clock.ahead += 62_000;
  assert.equal((await later).wasAlreadyPresent, false);
  await small.stop();
});
