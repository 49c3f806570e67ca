// The frontier: each page once, written to the queue in batches, and restored from it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batcher } from '../src/batcher.js';
import { Frontier } from '../src/frontier.js';

type Stored = { id: string; url: string; uniqueKey: string; handledAt?: string; retryCount?: number };

/** A queue in memory that counts calls. */
class FakeQueue {
  readonly stored = new Map<string, Stored>();
  adds: number[] = [];

  async add(requests: object[]) {
    await Promise.resolve();
    this.adds.push(requests.length);
    return (requests as Stored[]).map((request) => {
      const id = `id-${request.uniqueKey}`;
      const plain = JSON.parse(JSON.stringify(request)) as Stored;
      if (!this.stored.has(id)) this.stored.set(id, { ...plain, id });
      return { requestId: id, uniqueKey: request.uniqueKey, wasAlreadyHandled: false };
    });
  }

  async update(request: object) {
    const plain = JSON.parse(JSON.stringify(request)) as Stored;
    this.stored.set(plain.id, plain);
  }

  async *list() {
    yield* this.stored.values();
  }
}

const urlsOf = (count: number) => Array.from({ length: count }, (_, index) => `https://a.test/${index}`);

async function handleAll(frontier: Frontier): Promise<string[]> {
  const urls: string[] = [];
  for (
    let request = await frontier.fetchNextRequest();
    request;
    request = await frontier.fetchNextRequest()
  ) {
    urls.push(request.url);
    await frontier.markRequestHandled(request);
  }
  await frontier.flush();
  return urls;
}

describe('the frontier', () => {
  test('gives each page once, in order, and marks it as handled in the queue', async () => {
    const queue = new FakeQueue();
    const frontier = await Frontier.open(queue);
    await frontier.addRequestsBatched(urlsOf(60));
    await frontier.addRequestsBatched(['https://a.test/1', 'https://a.test/1#part']);
    assert.deepEqual(queue.adds, [25, 25, 10]);
    assert.deepEqual([frontier.getTotalCount(), frontier.getPendingCount()], [60, 60]);
    assert.deepEqual(await handleAll(frontier), urlsOf(60));
    assert.ok([...queue.stored.values()].every(({ handledAt }) => handledAt !== undefined));
    assert.deepEqual([await frontier.isFinished(), await frontier.handledCount()], [true, 60]);
  });

  test('is not finished while a page is visited or added', async () => {
    const queue = new FakeQueue();
    const frontier = await Frontier.open(queue);
    const adding = frontier.addRequestsBatched(['https://a.test/']);
    assert.equal(await frontier.isEmpty(), true);
    assert.equal(await frontier.isFinished(), false);
    await adding;
    const request = await frontier.fetchNextRequest();
    assert.equal(await frontier.isFinished(), false);
    await frontier.markRequestHandled(request);
    assert.equal(await frontier.isFinished(), true);
  });

  test('takes no more new pages than it may, and says which are left out', async () => {
    const frontier = await Frontier.open(new FakeQueue());
    await frontier.addRequestsBatched(urlsOf(2));
    const { addedRequests, requestsOverLimit } = await frontier.addRequestsBatched(urlsOf(5), {
      maxNewRequests: 2,
    });
    assert.equal(addedRequests.filter(({ wasAlreadyPresent }) => !wasAlreadyPresent).length, 2);
    assert.deepEqual(requestsOverLimit, ['https://a.test/4']);
  });

  test('goes on where an interrupted crawl was', async () => {
    const queue = new FakeQueue();
    const first = await Frontier.open(queue);
    await first.addRequestsBatched(urlsOf(10).map((url, index) => ({ url, crawlDepth: index % 3 })));
    for (let index = 0; index < 4; index += 1) await first.markRequestHandled(await first.fetchNextRequest());
    // Visited when the crawl ended, and not handled.
    await first.fetchNextRequest();
    await first.flush();
    const second = await Frontier.open(queue);
    assert.deepEqual([await second.handledCount(), second.getPendingCount()], [4, 6]);
    const next = await second.fetchNextRequest();
    assert.deepEqual([next.url, next.crawlDepth], ['https://a.test/4', 1]);
    await second.markRequestHandled(next);
    assert.deepEqual(await handleAll(second), urlsOf(10).slice(5));
    await second.addRequestsBatched(urlsOf(10));
    assert.equal(await second.isFinished(), true);
  });

  test('tries a page again after the others, with its count', async () => {
    const queue = new FakeQueue();
    const frontier = await Frontier.open(queue);
    await frontier.addRequestsBatched(urlsOf(3));
    const request = await frontier.fetchNextRequest();
    request.retryCount = 1;
    await frontier.reclaimRequest(request);
    assert.equal(queue.stored.get('id-https://a.test/0')?.retryCount, 1);
    assert.deepEqual(await handleAll(frontier), [...urlsOf(3).slice(1), 'https://a.test/0']);
  });

  test('keeps what else a request has', async () => {
    const frontier = await Frontier.open(new FakeQueue());
    const given = { url: 'https://a.test/', method: 'POST', payload: 'x', userData: { label: 'A' } } as const;
    await frontier.addRequest(given);
    const { method, payload, userData } = await frontier.fetchNextRequest();
    assert.deepEqual([method, payload, userData.label], ['POST', 'x', 'A']);
  });

  test('a page counts as handled in the queue only when its items and links are stored', async () => {
    const queue = new FakeQueue();
    const frontier = await Frontier.open(queue);
    await frontier.addRequestsBatched(urlsOf(60));
    const request = await frontier.fetchNextRequest();
    const { promise: isStored, resolve } = Promise.withResolvers<void>();
    frontier.handleAfter(request, isStored);
    const add = queue.add.bind(queue);
    const { promise: mayAdd, resolve: allowAdding } = Promise.withResolvers<void>();
    queue.add = async (requests) => {
      await mayAdd;
      return await add(requests);
    };
    // There are enough other pages, so that the crawler does not wait for this one.
    await frontier.addRequestsBatched(['https://a.test/new']);
    await frontier.markRequestHandled(request);
    const isWritten = () => queue.stored.get(request.id)?.handledAt !== undefined;
    resolve();
    await new Promise((done) => setImmediate(done));
    assert.equal(isWritten(), false);
    assert.equal(await frontier.isFinished(), false);
    allowAdding();
    await frontier.flush();
    assert.equal(isWritten(), true);
    assert.ok((await handleAll(frontier)).includes('https://a.test/new'));
  });

  test('ends the crawl when items cannot be stored, and leaves out links that the queue refuses', async () => {
    const queue = new FakeQueue();
    const frontier = await Frontier.open(queue);
    const add = queue.add.bind(queue);
    queue.add = async (requests) => {
      const isBad = (requests as Stored[]).some(({ url }) => url.includes('bad'));
      if (isBad) throw Object.assign(new Error('too long'), { statusCode: 400 });
      return await add(requests);
    };
    await frontier.addRequestsBatched(['https://a.test/1', 'https://a.test/bad', 'https://a.test/2']);
    assert.deepEqual([frontier.getTotalCount(), queue.stored.size], [2, 2]);
    const request = await frontier.fetchNextRequest();
    frontier.handleAfter(request, Promise.reject(new Error('The dataset is gone.')));
    await frontier.markRequestHandled(request);
    await assert.rejects(frontier.flush(), /The dataset is gone/);
    assert.equal(queue.stored.get(request.id)?.handledAt, undefined);
  });

  test('stops when the queue cannot be written any more', async () => {
    const queue = new FakeQueue();
    queue.update = async () => {
      throw new Error('The queue is gone.');
    };
    const frontier = await Frontier.open(queue);
    await frontier.addRequestsBatched(urlsOf(2));
    await frontier.markRequestHandled(await frontier.fetchNextRequest());
    await assert.rejects(frontier.flush(), /The queue is gone/);
    await assert.rejects(frontier.fetchNextRequest(), /The queue is gone/);
  });
});

describe('a batcher', () => {
  test('writes what comes meanwhile together, and one call after another', async () => {
    const calls: number[][] = [];
    let underWay = 0;
    const batcher = new Batcher<number>(
      async (entries) => {
        underWay += 1;
        assert.equal(underWay, 1);
        await new Promise((resolve) => setImmediate(resolve));
        calls.push(entries);
        underWay -= 1;
      },
      { size: 3 },
    );
    await Promise.all([1, 2, 3, 4, 5].map((entry) => batcher.add(entry)));
    assert.deepEqual(calls, [
      [1, 2, 3],
      [4, 5],
    ]);
  });

  test('an entry that is refused fails alone, and other errors fail all of a call', async () => {
    const refuse = async (entries: number[]) => {
      if (entries.includes(2)) throw Object.assign(new Error('too large'), { statusCode: 413 });
    };
    const apart = new Batcher<number>(refuse, { size: 10 });
    const results = await Promise.allSettled([1, 2, 3].map((entry) => apart.add(entry)));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    const broken = new Batcher<number>(async () => Promise.reject(new Error('gone')), { size: 10 });
    const all = await Promise.allSettled([1, 2].map((entry) => broken.add(entry)));
    assert.deepEqual(
      all.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
  });
});
