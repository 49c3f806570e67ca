// Independent deliveries: sent side by side, retried by the policy of their API, and fair to the hooks of all accounts.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { eventually } from '../../../test/eventually.ts';
import type { Worker } from '../jobs/due-worker.ts';
import { newId } from '../id.ts';
import { Metrics } from '../observability/metrics.ts';
import type { Engine } from '../storage/engine.ts';
import { engineMigrations, fail, hang, startReceiver } from './fixture.ts';
import { guard } from '../network/guard.ts';
import { INDEPENDENT, type AttemptDelivery, type DeliveryPolicy, type DueDelivery } from './policy.ts';
import { startDelivering, type DeliverySettings } from './start-delivery.ts';
import { findDelivery, listDeliveries } from './store-deliveries.ts';
import { enqueueDeliveries } from './store-enqueue.ts';
import { markDelivered } from './store-queue.ts';

const HOUR = 3_600_000;

/** The URL is all that is saved with a delivery. */
const sendToUrl: AttemptDelivery = ({ details, body }, send) => send({ url: details, headers: {}, body });

const policyOf = (attempt = sendToUrl, more: Partial<DeliveryPolicy> = {}): DeliveryPolicy => ({
  order: INDEPENDENT,
  answerMs: 60_000,
  keptBytes: 10,
  expiryError: 'It was given up.',
  waitsOf: () => [50, 50],
  openHook: async () => attempt,
  statementsAfter: () => [],
  ...more,
});

async function enqueue(
  { db }: Engine,
  hookId: string,
  url: string,
  { count = 1, ownerId = 'owner', expiresAt = Date.now() + HOUR } = {},
): Promise<string[]> {
  const now = Date.now();
  const outgoing = Array.from({ length: count }, (_, n) => ({
    api: 'test',
    hookId,
    id: newId(now),
    eventId: newId(now),
    ownerId,
    body: JSON.stringify({ n }),
    details: url,
    expiresAt,
  }));
  await db.transaction().execute((tx) => enqueueDeliveries(tx, INDEPENDENT, outgoing, now));
  return outgoing.map(({ id }) => id);
}

async function start(
  t: TestContext,
  engine: Engine,
  policy: DeliveryPolicy = policyOf(),
  more: Partial<DeliverySettings> = {},
): Promise<Worker> {
  const worker = await startDelivering({
    engine,
    policies: { test: policy },
    clock: { now: Date.now },
    random: () => 0.5,
    log: { warn: () => {}, error: () => {} },
    metrics: new Metrics('1.2.3'),
    guard: guard({ allowPrivate: true }),
    release: '1.2.3',
    owner: `worker ${newId(Date.now())}`,
    stopWaitMs: 0,
    ...more,
  });
  t.after(() => worker.stop());
  return worker;
}

async function statesOf({ db }: Engine, hookId: string): Promise<string[]> {
  const deliveries = await listDeliveries(db, { api: 'test', hookId }, { limit: 1000 });
  return deliveries.map(({ state }) => state);
}

const allAre = (engine: Engine, hookId: string, state: string) => async () =>
  (await statesOf(engine, hookId)).every((one) => one === state);

onEachEngine(({ open }) => {
  test('each is sent, recorded, and retried until its waits are over', async (t) => {
    const engine = await open(engineMigrations);
    const well = await startReceiver(t, (response) => void response.end('a long answer'));
    const bad = await startReceiver(t, fail);
    await start(t, engine);
    const [good] = await enqueue(engine, 'well', well.url);
    const [poor] = await enqueue(engine, 'bad', bad.url);
    await eventually(async () => (await findDelivery(engine.db, { id: poor! }))?.state === 'failed');
    const { history } = (await findDelivery(engine.db, { id: poor! }))!;
    assert.deepEqual(
      history.map(({ status, number }) => [number, status]),
      [
        [1, 500],
        [2, 500],
        [3, 500],
      ],
    );
    await eventually(async () => (await findDelivery(engine.db, { id: good! }))?.state === 'delivered');
    const delivered = await findDelivery(engine.db, { id: good! });
    assert.deepEqual([delivered?.state, delivered?.history[0]?.response], ['delivered', 'a long ans']);
    await eventually(async () => (await engine.db.selectFrom('due').selectAll().execute()).length === 0);
  });

  test('what the API saves with the end of deliveries is saved once for each', async (t) => {
    const engine = await open(engineMigrations);
    const { url } = await startReceiver(t);
    const ended: string[] = [];
    await start(
      t,
      engine,
      policyOf(sendToUrl, {
        statementsAfter(_db, finished) {
          ended.push(...finished.map(({ id, hasSucceeded }) => `${id} ${hasSucceeded}`));
          return [];
        },
      }),
    );
    const ids = await enqueue(engine, 'hook', url, { count: 100 });
    await eventually(allAre(engine, 'hook', 'delivered'));
    assert.deepEqual(ended.toSorted(), ids.map((id) => `${id} true`).toSorted());
  });

  test('up to eight are under way at once, and later ones pass those that hang', async (t) => {
    const engine = await open(engineMigrations);
    let underWay = 0;
    let most = 0;
    const { promise: opened, resolve } = Promise.withResolvers<void>();
    const policy = policyOf(async ({ body }, send) => {
      underWay += 1;
      most = Math.max(most, underWay);
      if (body === '{"n":0}') await opened;
      const attempt = await send({ url, headers: {}, body });
      underWay -= 1;
      return attempt;
    });
    const { url, received } = await startReceiver(t);
    await start(t, engine, policy);
    await enqueue(engine, 'hook', url);
    await eventually(() => underWay === 1);
    await enqueue(engine, 'hook', url, { count: 60 });
    await eventually(() => received.length === 59, 'all but the two that hang');
    await enqueue(engine, 'hook', url, { count: 2 });
    await eventually(() => received.length === 60, 'one that was added while others hang');
    resolve();
    await eventually(allAre(engine, 'hook', 'delivered'));
    assert.ok(most > 2 && most <= 8, `${most} at once`);
  });

  test('an expired one is given up without a call', async (t) => {
    const engine = await open(engineMigrations);
    const { url, received } = await startReceiver(t);
    await enqueue(engine, 'hook', url, { expiresAt: Date.now() - 1 });
    await start(t, engine);
    await eventually(allAre(engine, 'hook', 'failed'));
    assert.deepEqual(received, []);
  });

  test('an account whose receivers all hang leaves slots for others', async (t) => {
    const engine = await open(engineMigrations);
    const stuck = await startReceiver(t, hang);
    const { url, received } = await startReceiver(t);
    for (let n = 0; n < 100; n += 1) await enqueue(engine, `stuck-${n}`, stuck.url, { ownerId: 'greedy' });
    await start(t, engine, policyOf(), { concurrency: 70 });
    await eventually(() => stuck.received.length === 64, 'as many as one account may have');
    await enqueue(engine, 'hook', url, { count: 20, ownerId: 'modest' });
    await eventually(() => received.length === 20);
    assert.equal(stuck.received.length, 64);
  });

  test('what is cut off by a stop is sent again by the next process', async (t) => {
    const engine = await open(engineMigrations);
    let isHanging = true;
    const { url, received } = await startReceiver(t, (response) => {
      if (!isHanging) response.end();
    });
    const first = await start(t, engine);
    await enqueue(engine, 'hook', url, { count: 3 });
    await eventually(() => received.length === 3);
    await first.stop();
    assert.deepEqual(await statesOf(engine, 'hook'), ['pending', 'pending', 'pending']);
    isHanging = false;
    await start(t, engine);
    await eventually(allAre(engine, 'hook', 'delivered'));
    assert.equal(received.length, 6);
  });

  test('two processes send each once', async (t) => {
    const engine = await open(engineMigrations);
    const { url, received } = await startReceiver(t);
    await start(t, engine);
    await start(t, engine);
    for (let n = 0; n < 5; n += 1) await enqueue(engine, `hook-${n}`, url, { count: 20 });
    for (let n = 0; n < 5; n += 1) await eventually(allAre(engine, `hook-${n}`, 'delivered'));
    assert.equal(received.length, 100);
  });

  test('what is done in a transaction of its own is done once', async (t) => {
    const engine = await open(engineMigrations);
    const { db } = engine;
    const done: DueDelivery[] = [];
    const result = {
      status: 201,
      error: null,
      durationMs: 1,
      response: '',
      isTimeout: false,
      isFinal: false,
    };
    const mark = (delivery: DueDelivery) =>
      db.transaction().execute((tx) => markDelivered(tx, delivery, result, Date.now()));
    await start(
      t,
      engine,
      policyOf(async (delivery) => {
        // Before the row says so: the test reads it as soon as the row does.
        done.push(delivery);
        await mark(delivery);
        return result;
      }),
    );
    const [id] = await enqueue(engine, 'hook', '');
    await eventually(allAre(engine, 'hook', 'delivered'));
    await assert.rejects(mark(done[0]!), /delivered already/);
    const { history } = (await findDelivery(db, { id: id! }))!;
    assert.deepEqual(
      history.map(({ status }) => status),
      [201],
    );
  });
});
