// Queues on both engines: order, locks, counters, and many clients at once on several nodes.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Failure } from '../../kernel/failure.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { rounds } from '../../../test/long.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { requestQueueMigrations } from '../migrations/request-queues.ts';
import { recordClient, insertQueue, findQueues, findQueueWithUsage } from './store.ts';
import { lockHead, extendLock, releaseAllLocks, releaseLock } from './store-locks.ts';
import { decodeCursor, requestIdOf, toRequestEntry, toHeadItem } from './request.ts';
import type { NewRequest } from './model.ts';
import { purgeQueue, insertRequests, upsertRequest, deleteRequests } from './store-writes.ts';
import { openQueues, type Queues } from './queues.ts';
import { findRequest, listRequests, listHead } from './store-reads.ts';

const NOW = Date.UTC(2026, 5, 1);
const HANDLED = { handledAt: '2026-06-01T00:00:00.000Z' };

let lastQueue = 0;

onEachEngine((testEngine) => {
  /** Two nodes on one database. */
  let engine: Engine;
  let other: Engine;
  let queues: Queues;
  let otherQueues: Queues;
  before(async () => {
    const location = await testEngine.database();
    engine = await testEngine.open(requestQueueMigrations, location);
    other = await testEngine.open([], location);
    queues = openQueues(engine);
    otherQueues = openQueues(other);
  });

  async function make(): Promise<string> {
    const id = `queue-${++lastQueue}`;
    await insertQueue(engine.db, id, NOW);
    return id;
  }

  const entry = (uniqueKey: string, fields: Partial<NewRequest> = {}, forefront = false) =>
    toRequestEntry({ uniqueKey, url: `https://example.com/${uniqueKey}`, ...fields }, forefront);
  const add = (queue: string, ...keys: string[]) =>
    insertRequests(
      queues,
      queue,
      keys.map((key) => entry(key)),
      NOW,
    );
  const head = async (queue: string, now = NOW) =>
    (await listHead(engine, queue, 1000, now)).map((row) => toHeadItem(row).uniqueKey);
  const lock = async (queue: string, client: string, limit = 25, now = NOW, on = engine) =>
    (await lockHead(on, queue, { limit, client, until: now + 1000, now })).items.map(
      (row) => toHeadItem(row).uniqueKey,
    );
  const counts = async (queue: string) => {
    const { total, handled } = (await findQueues(engine.db, [queue])).get(queue)!;
    return [total, handled];
  };
  const bytesOf = async (queue: string) => (await findQueues(engine.db, [queue])).get(queue)!.bytes;
  async function realCounts(queue: string) {
    const { rows } = await listRequests(engine, queue, { limit: 1e6 }, NOW);
    return [rows.length, rows.filter((row) => row.handled_at !== null).length];
  }

  test('requests come in the order they were added', async () => {
    const queue = await make();
    await add(queue, 'a', 'b');
    await add(queue, 'c');
    await insertRequests(queues, queue, [entry('d', {}, true), entry('e', {}, true)], NOW);
    assert.deepEqual(await head(queue), ['e', 'd', 'a', 'b', 'c']);
  });

  test('an acknowledged add comes before one that begins after it, on any node', async () => {
    const queue = await make();
    const keys = Array.from({ length: 40 }, (_, index) => `k${index}`);
    for (const [index, key] of keys.entries()) {
      await insertRequests(index % 2 === 0 ? queues : otherQueues, queue, [entry(key)], NOW - index);
    }
    assert.deepEqual(await head(queue), keys);
  });

  test('each write advances the time of modification, even if the clock does not', async () => {
    const queue = await make();
    const modifiedAt = async () => (await findQueues(engine.db, [queue])).get(queue)!.modified_at;
    const times = [await modifiedAt()];
    const writes = [
      () => insertRequests(queues, queue, [entry('a')], NOW),
      () => insertRequests(queues, queue, [entry('a')], NOW),
      () => upsertRequest(queues, queue, entry('a', HANDLED), NOW),
      () => upsertRequest(queues, queue, entry('b'), NOW - 1000),
      () => deleteRequests(queues, queue, [requestIdOf('a')], NOW),
    ];
    for (const write of writes) {
      await write();
      times.push(await modifiedAt());
    }
    assert.deepEqual(
      times,
      times.map((_, index) => NOW + index),
    );
    await insertRequests(queues, queue, [entry('c')], NOW + 1000);
    assert.equal(await modifiedAt(), NOW + 1000);
  });

  test('of many adds of one key at once exactly one is new', async () => {
    const queue = await make();
    const results = await Promise.all(
      Array.from({ length: 400 }, (_, index) =>
        insertRequests(index % 2 === 0 ? queues : otherQueues, queue, [entry(`key-${index % 10}`)], NOW),
      ),
    );
    const fresh = results.flat().filter(({ wasAlreadyPresent }) => !wasAlreadyPresent);
    assert.deepEqual(
      fresh.map(({ requestId }) => requestId).toSorted(),
      Array.from({ length: 10 }, (_, index) => requestIdOf(`key-${index}`)).toSorted(),
    );
    assert.deepEqual(await counts(queue), [10, 0]);
  });

  test('duplicates in one batch find each other, also as handled', async () => {
    const queue = await make();
    const results = await insertRequests(
      queues,
      queue,
      [entry('a'), entry('a', HANDLED), entry('b', HANDLED), entry('b')],
      NOW,
    );
    assert.deepEqual(
      results.map(({ wasAlreadyPresent, wasAlreadyHandled }) => [wasAlreadyPresent, wasAlreadyHandled]),
      [
        [false, false],
        [true, false],
        [false, false],
        [true, true],
      ],
    );
    assert.deepEqual(await counts(queue), [2, 1]);
    assert.deepEqual(await head(queue), ['a']);
  });

  test('concurrent changes of one request are serialized', async () => {
    const queue = await make();
    const results = await Promise.all([
      upsertRequest(queues, queue, entry('a'), NOW),
      upsertRequest(queues, queue, entry('a', HANDLED), NOW),
      upsertRequest(queues, queue, entry('a', { retryCount: 3 }), NOW),
      upsertRequest(queues, queue, entry('b'), NOW),
    ]);
    assert.deepEqual(
      results.map(({ wasAlreadyPresent, wasAlreadyHandled }) => [wasAlreadyPresent, wasAlreadyHandled]),
      [
        [false, false],
        [true, false],
        [true, true],
        [false, false],
      ],
    );
    assert.deepEqual(await counts(queue), [2, 0]);
    const stored = await findRequest(queues, queue, requestIdOf('a'));
    assert.equal(toHeadItem(stored!).retryCount, 3);
  });

  test('changes on two nodes at once that both add a request add it once', async () => {
    const queue = await make();
    const keys = Array.from({ length: 100 }, (_, index) => `k${index}`);
    const results = await Promise.all(
      keys.flatMap((key) => [
        upsertRequest(queues, queue, entry(key, HANDLED), NOW),
        upsertRequest(otherQueues, queue, entry(key, HANDLED), NOW),
        insertRequests(otherQueues, queue, [entry(key)], NOW).then(([result]) => result!),
      ]),
    );
    const fresh = results.filter(({ wasAlreadyPresent }) => !wasAlreadyPresent);
    assert.equal(fresh.length, keys.length);
    assert.deepEqual(await counts(queue), [100, 100]);
    assert.deepEqual(await realCounts(queue), [100, 100]);
  });

  test('counters stay exact while 16 writers on two nodes do all there is to do', async () => {
    const queue = await make();
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    await Promise.all(
      Array.from({ length: 16 }, async (_, writer) => {
        const on = writer % 2 === 0 ? queues : otherQueues;
        for (let step = 0; step < 60; step += 1) {
          const keys = Array.from({ length: 1 + random(5) }, () => `k${random(150)}`);
          const fields = random(2) === 0 ? HANDLED : {};
          const choice = random(6);
          if (choice < 2)
            await insertRequests(
              on,
              queue,
              keys.map((key) => entry(key, random(9) === 0 ? HANDLED : { userData: { key } })),
              NOW,
            );
          else if (choice < 4) await upsertRequest(on, queue, entry(keys[0]!, fields), NOW);
          else if (choice === 4) await deleteRequests(on, queue, keys.map(requestIdOf), NOW);
          else await lock(queue, `client-${writer}`, 3, NOW, on.engine);
          if (step % 20 === 0) await releaseAllLocks(on.engine, queue, `client-${writer}`, NOW);
        }
      }),
    );
    assert.deepEqual(await counts(queue), await realCounts(queue));
    const { rows } = await listRequests(engine, queue, { limit: 1e6 }, NOW);
    const sizes = rows.map(({ head: text, rest }) => Buffer.byteLength(text) + Buffer.byteLength(rest ?? ''));
    assert.equal(
      await bytesOf(queue),
      sizes.reduce((sum, size) => sum + size, 0),
    );
  });

  test('clients on two nodes never get the same request twice', async () => {
    const queue = await make();
    const total = rounds(3_000, 20_000);
    const clients = 8;
    const keys = Array.from({ length: total }, (_, index) => `k${index}`);
    for (let start = 0; start < total; start += 500) await add(queue, ...keys.slice(start, start + 500));
    const got: string[] = [];
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        const on = client % 2 === 0 ? queues : otherQueues;
        for (;;) {
          const locked = await lock(queue, `client-${client}`, 25, NOW, on.engine);
          if (locked.length === 0) return;
          got.push(...locked);
          await Promise.all(locked.map((key) => upsertRequest(on, queue, entry(key, HANDLED), NOW)));
        }
      }),
    );
    assert.equal(got.length, total);
    assert.equal(new Set(got).size, total);
    assert.deepEqual(await counts(queue), [total, total]);
  });

  test('a lock that is never released is acquired once', async () => {
    const queue = await make();
    const keys = Array.from({ length: 3000 }, (_, index) => `k${index}`);
    for (let start = 0; start < keys.length; start += 500)
      await add(queue, ...keys.slice(start, start + 500));
    const got: string[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async (_, client) => {
        for (;;) {
          const locked = await lock(queue, `client-${client}`, 25, NOW, client % 2 === 0 ? engine : other);
          if (locked.length === 0) return;
          got.push(...locked);
        }
      }),
    );
    assert.deepEqual(got.toSorted(), keys.toSorted());
    // After that time all are back at their old positions without any write.
    assert.deepEqual(await head(queue, NOW + 1000), keys.slice(0, 1000));
    assert.deepEqual(await lock(queue, 'late', 25, NOW + 1000), keys.slice(0, 25));
  });

  test('a lock ends at its very moment', async () => {
    const queue = await make();
    await add(queue, 'a');
    await lock(queue, 'one');
    assert.deepEqual(await lock(queue, 'two', 25, NOW + 999), []);
    assert.deepEqual(await lock(queue, 'two', 25, NOW + 1000), ['a']);
  });

  test('a client that lost a lock can neither prolong nor release it', async () => {
    const queue = await make();
    await add(queue, 'a');
    await lock(queue, 'one');
    await lock(queue, 'two', 1, NOW + 2000);
    const now = NOW + 2000;
    const holder = { queueId: queue, id: requestIdOf('a'), client: 'one', now };
    const isRefused = (error: unknown) => error instanceof Failure && error.kind === 'conflict';
    await assert.rejects(extendLock(engine, holder, { until: now + 9000, forefront: false }), isRefused);
    await assert.rejects(extendLock(engine, holder, { until: now + 9000, forefront: true }), isRefused);
    await assert.rejects(releaseLock(engine, holder, false), isRefused);
    assert.equal(await releaseAllLocks(engine, queue, 'one', now), 0);
    await extendLock(engine, { ...holder, client: 'two' }, { until: now + 9000, forefront: false });
    assert.deepEqual(await head(queue, now + 8999), []);
  });

  test('a client releases its own locks that have not ended, and no others', async () => {
    const queue = await make();
    await add(queue, 'a', 'b', 'c');
    await lock(queue, 'one', 1);
    await lock(queue, 'one', 1, NOW + 500);
    await lock(queue, 'two', 1);
    assert.equal(await releaseAllLocks(engine, queue, 'one', NOW + 1000), 1);
    assert.deepEqual(await head(queue, NOW + 999), ['b']);
    assert.equal(await releaseAllLocks(engine, queue, 'one', NOW + 999), 1);
    assert.equal(await releaseAllLocks(engine, queue, 'one', NOW + 999), 0);
    assert.deepEqual(await head(queue, NOW + 999), ['a', 'b']);
  });

  test('a page of large requests ends early, and the next continues there', async () => {
    const queue = await make();
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    const userData = { text: 'x'.repeat(3_000_000) };
    for (const key of keys) await insertRequests(queues, queue, [entry(key, { userData })], NOW);
    for (const filter of [undefined, ['pending'], ['locked', 'pending']] as const) {
      const first = await listRequests(engine, queue, { limit: 100, filter }, NOW);
      assert.equal(first.rows.length, 3);
      const after = decodeCursor(first.nextCursor!, filter === undefined ? 'id' : 'order');
      const second = await listRequests(engine, queue, { limit: 100, filter, after }, NOW);
      const seen = [...first.rows, ...second.rows].map((row) => toHeadItem(row).uniqueKey);
      assert.deepEqual(filter === undefined ? seen.toSorted() : seen, keys);
    }
  });

  test('a queue remembers that it had several clients, whatever node they were on', async () => {
    const queue = await make();
    const had = async () => (await findQueues(engine.db, [queue])).get(queue)!.had_multiple_clients === 1;
    await recordClient(queues, queue, 'one');
    await recordClient(otherQueues, queue, 'one');
    await recordClient(queues, queue, 'one');
    assert.equal(await had(), false);
    await recordClient(otherQueues, queue, 'two');
    assert.equal(await had(), true);
    await recordClient(queues, queue, 'one');
    assert.equal(await had(), true);
    const silent = await make();
    await recordClient(queues, silent, '');
    await recordClient(otherQueues, silent, '');
    assert.equal((await findQueues(engine.db, [silent])).get(silent)!.had_multiple_clients, 1);
  });

  test('a purge leaves nothing of the queue, and nothing can be added meanwhile', async () => {
    const queue = await make();
    const neighbour = await make();
    await add(neighbour, 'kept');
    for (let start = 0; start < 5000; start += 500) {
      await add(queue, ...Array.from({ length: 500 }, (_, index) => `k${start + index}`));
    }
    const { no } = (await findQueues(engine.db, [queue])).get(queue)!;
    const isGone = (error: unknown) => error instanceof Failure && error.kind === 'not-found';
    const adding = Array.from({ length: 50 }, (_, index) =>
      add(queue, `late-${index}`).catch((error: unknown) => error),
    );
    await purgeQueue(engine, queue, AbortSignal.timeout(60_000));
    for (const result of await Promise.all(adding)) if (!Array.isArray(result)) assert.ok(isGone(result));
    await assert.rejects(add(queue, 'later'), isGone);
    await assert.rejects(upsertRequest(queues, queue, entry('later'), NOW), isGone);
    await assert.rejects(deleteRequests(queues, queue, [requestIdOf('k1')], NOW), isGone);
    await assert.rejects(lock(queue, 'me'), isGone);
    await assert.rejects(findQueueWithUsage(queues, queue), isGone);
    const left = await engine.db
      .selectFrom('queue_requests')
      .select('id')
      .where('queue_no', '=', no)
      .execute();
    assert.deepEqual(left, []);
    assert.deepEqual(await head(neighbour), ['kept']);
  });

  test('an interrupted purge continues', async () => {
    const queue = await make();
    for (let start = 0; start < 5000; start += 500) {
      await add(queue, ...Array.from({ length: 500 }, (_, index) => `k${start + index}`));
    }
    const { no } = (await findQueues(engine.db, [queue])).get(queue)!;
    await assert.rejects(purgeQueue(engine, queue, AbortSignal.abort(new Error('stop'))), /stop/);
    await purgeQueue(engine, queue, AbortSignal.timeout(60_000));
    await purgeQueue(engine, queue, AbortSignal.timeout(60_000));
    const left = await engine.db
      .selectFrom('queue_requests')
      .select('id')
      .where('queue_no', '=', no)
      .execute();
    assert.deepEqual(left, []);
    const found = await engine.db.selectFrom('request_queues').select('id').where('no', '=', no).execute();
    assert.deepEqual(found, []);
  });
});
