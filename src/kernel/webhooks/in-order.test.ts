// Deliveries from the change to the receiver: attempts, retries, refusals, redelivery and removal.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { eventually } from '../../../test/eventually.ts';
import type { Kernel } from '../kernel.ts';
import { Metrics } from '../observability/metrics.ts';
import type { Engine } from '../storage/engine.ts';
import { startWorker } from '../jobs/due-worker.ts';
import { listDeliveries, withAttempts, type DeliveryWithAttempts } from './store-deliveries.ts';
import { enqueueDeliveries, redeliver } from './store-enqueue.ts';
import { IN_ORDER } from './policy.ts';
import { engineMigrations, fail, hang, hookUp, startReceiver } from './fixture.ts';
import { guard } from '../network/guard.ts';
import { webhookWork } from './start-delivery.ts';
import { deleteOldDeliveries, scheduleDeliveryRemoval, scheduleDeliveryStop } from './store-removal.ts';

const HOOK = { api: 'test', hookId: 'hook' };
const DAY = 24 * 60 * 60 * 1000;
const never = new AbortController().signal;

async function deliveriesOf({ db }: Engine): Promise<DeliveryWithAttempts[]> {
  return await withAttempts(db, await listDeliveries(db, HOOK, { limit: 100 }));
}

/** The only delivery, once it is finished. */
async function finished(engine: Engine): Promise<DeliveryWithAttempts> {
  let found: DeliveryWithAttempts | undefined;
  await eventually(async () => {
    [found] = await deliveriesOf(engine);
    return found !== undefined && found.state !== 'pending';
  });
  return found!;
}

const statuses = ({ history }: DeliveryWithAttempts) => history.map(({ status }) => status);
const errors = ({ history }: DeliveryWithAttempts) => history.map(({ error }) => error);

onEachEngine(({ open }) => {
  test('a change is delivered with the headers its API asks for, and recorded', async (t) => {
    const engine = await open(engineMigrations);
    const { targets, enqueue, start } = hookUp(t, engine);
    const { url, received } = await startReceiver(
      t,
      (response) => void response.writeHead(202).end('thanks\0'),
    );
    const metrics = new Metrics('1.2.3');
    targets.set('hook', {
      url,
      headersFor: ({ body, eventId, attempts }) => ({
        'X-Signature': createHmac('sha256', 'secret').update(body).digest('hex'),
        'X-Event': `${eventId} ${attempts}`,
      }),
    });
    await start({ metrics });
    await enqueue(['e1']);
    const delivery = await finished(engine);
    assert.equal(delivery.state, 'delivered');
    assert.equal(delivery.dueAt, null);
    assert.deepEqual(
      delivery.history.map(({ number, status, error, response }) => ({ number, status, error, response })),
      [{ number: 1, status: 202, error: null, response: 'thanks\uFFFD' }],
    );
    const [call] = received;
    assert.equal(call?.body, '{"event":"e1"}');
    assert.equal(call.id, delivery.id);
    assert.equal(call.headers['content-type'], 'application/json');
    assert.equal(call.headers['user-agent'], 'signalbox/1.2.3');
    assert.equal(call.headers['x-event'], 'e1 0');
    assert.equal(call.headers['x-signature'], createHmac('sha256', 'secret').update(call.body).digest('hex'));
    await eventually(async () => (await engine.db.selectFrom('due').selectAll().execute()).length === 0);
    assert.match(metrics.text(), /signalbox_webhook_attempts_total\{api="test",outcome="delivered"\} 1/);
  });

  test('a turn that slept through its lease sends nothing more, because another may have taken the hook over', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, enqueue, start } = hookUp(t, engine);
    const { url, received } = await startReceiver(t);
    addHook('hook', url);
    const events = Array.from({ length: 20 }, (_, n) => `e${n}`);
    await enqueue(events);
    let asleepMs = 0;
    await start(
      { clock: { now: () => Date.now() + asleepMs }, leaseMs: 60_000 },
      {
        openHook: async () => async (delivery, send) => {
          const attempt = await send({ url, headers: {}, body: delivery.body });
          await engine.db
            .updateTable('due')
            .set({ owner: 'another', due_at: Date.now() + DAY })
            .execute();
          // Only now, since the worker of this process would take it over as well.
          asleepMs = 61_000;
          return attempt;
        },
      },
    );
    await eventually(async () => (await deliveriesOf(engine)).some(({ state }) => state === 'delivered'));
    const sent = received.length;
    assert.ok(sent < events.length, `${sent}`);
    assert.equal((await deliveriesOf(engine)).filter(({ state }) => state === 'delivered').length, sent);
  });

  test('a change that is rolled back delivers nothing, and an event enqueued twice is delivered once', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, enqueue, start } = hookUp(t, engine);
    const { url, received } = await startReceiver(t);
    addHook('hook', url);
    addHook('other', url);
    const undone = engine.db.transaction().execute(async (tx) => {
      await enqueueDeliveries(tx, IN_ORDER, [{ ...HOOK, eventId: 'e0', body: '{}' }], Date.now());
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    await enqueue(['e1', 'e1']);
    assert.equal((await engine.db.selectFrom('delivery_bodies').selectAll().execute()).length, 1);
    await start();
    await eventually(() => received.length === 2);
    await enqueue(['e1', 'e2'], ['hook']);
    await eventually(() => received.length === 3);
    assert.deepEqual(
      received.map(({ body }) => body),
      ['{"event":"e1"}', '{"event":"e1"}', '{"event":"e2"}'],
    );
    assert.equal(new Set(received.map(({ id }) => id)).size, 3);
  });

  test('a failed delivery is retried under the same id until a successful answer', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, enqueue, start } = hookUp(t, engine);
    const { url, received } = await startReceiver(t, (response, count) =>
      count < 3 ? fail(response) : response.end('at last'),
    );
    addHook('hook', url);
    await start({}, { waitsOf: () => [20, 20, 20] });
    await enqueue(['e1']);
    const delivery = await finished(engine);
    assert.equal(delivery.state, 'delivered');
    assert.deepEqual(statuses(delivery), [500, 500, 200]);
    assert.deepEqual(
      delivery.history.map(({ response }) => response),
      ['out of luck', 'out of luck', 'at last'],
    );
    assert.equal(new Set(received.map(({ id }) => id)).size, 1);
  });

  test('without any success a delivery fails after its last attempt, and may be asked for again', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, enqueue, start } = hookUp(t, engine);
    let isWell = false;
    const { url, received } = await startReceiver(t, (response) =>
      isWell ? response.end() : fail(response),
    );
    addHook('hook', url);
    await start({}, { waitsOf: () => [10, 10] });
    await enqueue(['e1']);
    const failed = await finished(engine);
    assert.equal(failed.state, 'failed');
    assert.deepEqual(statuses(failed), [500, 500, 500]);
    assert.equal(failed.status, 500);

    const ask = async (): Promise<void> => {
      await engine.db.transaction().execute((tx) => redeliver(tx, IN_ORDER, failed.id, Date.now()));
    };
    await ask();
    await eventually(() => received.length === 6);
    assert.equal((await finished(engine)).state, 'failed');
    isWell = true;
    await ask();
    const delivered = await finished(engine);
    assert.equal(delivered.state, 'delivered');
    assert.deepEqual(statuses(delivered), [500, 500, 500, 500, 500, 500, 200]);
    await assert.rejects(redeliver(engine.db, IN_ORDER, 'nothing', 0), { kind: 'not-found' });
  });

  test('a receiver that answers 410 or must not be called is not retried', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, enqueue, start } = hookUp(t, engine);
    const gone = await startReceiver(t, (response) => void response.writeHead(410).end());
    addHook('hook', gone.url);
    await start();
    await enqueue(['e1']);
    const delivery = await finished(engine);
    assert.equal(delivery.state, 'failed');
    assert.deepEqual(statuses(delivery), [410]);
  });

  for (const [name, url] of [
    ['an address', 'http://127.0.0.1:1/'],
    ['a name', 'http://innocent.example:1/'],
  ] as const) {
    test(`${name} of our own network is refused, and not tried again`, async (t) => {
      const engine = await open(engineMigrations);
      const { addHook, enqueue, start } = hookUp(t, engine);
      addHook('hook', url);
      const resolve = async () => [{ address: '10.0.0.1', family: 4 }];
      await start({ guard: guard({ allowPrivate: false, resolve }) });
      await enqueue(['e1']);
      const delivery = await finished(engine);
      assert.equal(delivery.state, 'failed');
      assert.equal(delivery.history.length, 1);
      assert.match(
        delivery.error ?? '',
        /^The URL is refused: .+ (loopback|private network) address, .+--allow-private-webhooks/,
      );
    });
  }

  test('a redirect is not followed', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, enqueue, start } = hookUp(t, engine);
    const other = await startReceiver(t);
    const { url } = await startReceiver(t, (response) =>
      response.writeHead(307, { location: other.url }).end(),
    );
    addHook('hook', url);
    await start({}, { waitsOf: () => [] });
    await enqueue(['e1']);
    const delivery = await finished(engine);
    assert.equal(delivery.state, 'failed');
    assert.deepEqual(statuses(delivery), [307]);
    assert.deepEqual(errors(delivery), [`Redirects are not followed (to ${other.url}).`]);
    assert.equal(other.received.length, 0);
  });

  test('a request to a hanging receiver times out, and later ones are sent one at a time', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, enqueue, start } = hookUp(t, engine);
    const { url } = await startReceiver(t, hang);
    addHook('hook', url);
    await enqueue(Array.from({ length: 20 }, (_, index) => `e${index}`));
    const clock = { time: Date.now(), now: () => clock.time };
    const worker = await start({ clock }, { answerMs: 30 });
    const rested = async (attempts: number): Promise<number> => {
      await eventually(async () => {
        const made = await engine.db.selectFrom('delivery_attempts').selectAll().execute();
        const lane = await engine.db.selectFrom('due').selectAll().executeTakeFirstOrThrow();
        return made.length >= attempts && lane.owner === null;
      });
      const { due_at: dueAt } = await engine.db.selectFrom('due').selectAll().executeTakeFirstOrThrow();
      return dueAt - clock.time;
    };
    assert.equal(await rested(1), 2_000, 'the lane rests');
    const first = await deliveriesOf(engine);
    assert.equal(first.filter(({ attempts }) => attempts === 1).length, 8, 'as many as are sent at a time');
    assert.equal(first.at(-1)?.error, 'There was no whole answer within 0.03 s.');
    clock.time += 2_000;
    worker.poke();
    assert.equal(await rested(9), 4_000, 'longer each time');
    const second = await deliveriesOf(engine);
    assert.equal(
      second.reduce((sum, { attempts }) => sum + attempts, 0),
      9,
    );
  });

  test('a connection that is not established times out', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, enqueue, start } = hookUp(t, engine);
    // Accepts connections but sends nothing, so that the TLS handshake never completes.
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    silent.on('connection', (socket) => t.after(() => socket.destroy()));
    t.after(() => silent.close());
    addHook('hook', `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`);
    await start({ connectMs: 30 }, { waitsOf: () => [] });
    await enqueue(['e1']);
    const delivery = await finished(engine);
    assert.deepEqual(errors(delivery), ['There was no connection within 0.03 s.']);
  });

  test('of an endless answer only the beginning is read', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, enqueue, start } = hookUp(t, engine);
    let written = 0;
    const { url } = await startReceiver(t, (response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write('ä'.repeat(5_000))) written += 10_000;
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    });
    addHook('hook', url);
    await start();
    await enqueue(['e1']);
    const delivery = await finished(engine);
    assert.equal(delivery.state, 'delivered', 'what counts is the status');
    assert.equal(delivery.history[0]?.response, 'ä'.repeat(2_048));
    assert.ok(written < 50_000_000);
  });

  test("a receiver's Retry-After delays all its deliveries", async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, enqueue, start } = hookUp(t, engine);
    const { url, received } = await startReceiver(t, (response) =>
      response.writeHead(503, { 'retry-after': '120' }).end(),
    );
    addHook('hook', url);
    const clock = { time: Date.now() + 60_000, now: () => clock.time };
    await start({ clock });
    await enqueue(['e1']);
    await eventually(async () => (await deliveriesOf(engine))[0]?.attempts === 1);
    await enqueue(['e2']);
    await eventually(
      async () => (await engine.db.selectFrom('due').select('owner').executeTakeFirst())?.owner === null,
    );
    const [second, first] = await deliveriesOf(engine);
    assert.equal(first?.dueAt, clock.time + 120_000);
    assert.equal(second?.attempts, 0);
    assert.equal(received.length, 1);
  });

  test('a kept-alive connection that the receiver has closed costs no attempt', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, enqueue, start } = hookUp(t, engine);
    const { url, received } = await startReceiver(t, (response, count) => {
      if (count === 2) response.socket?.resetAndDestroy();
      else response.end();
    });
    addHook('hook', url);
    await start();
    await enqueue(['e1']);
    await finished(engine);
    await enqueue(['e2']);
    await eventually(async () => (await deliveriesOf(engine)).every(({ state }) => state === 'delivered'));
    assert.deepEqual((await deliveriesOf(engine)).map(statuses), [[200], [200]]);
    assert.equal(received.length, 3);
    assert.equal(received[1]?.id, received[2]?.id);
  });

  test('a delivery that waited for a day is given up', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, enqueue, start } = hookUp(t, engine);
    const { url, received } = await startReceiver(t);
    addHook('hook', url);
    await enqueue(['e1']);
    await start({ clock: { now: () => Date.now() + DAY } });
    const delivery = await finished(engine);
    assert.equal(delivery.state, 'failed');
    assert.equal(delivery.error, 'It was given up after 24 hours.');
    assert.equal(received.length, 0);
  });

  test('pending deliveries of a disabled hook are deleted, and finished ones stay', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, targets, enqueue, start } = hookUp(t, engine);
    const { url, received } = await startReceiver(t);
    addHook('hook', url);
    await start();
    await enqueue(['e1']);
    await finished(engine);
    targets.delete('hook');
    await enqueue(['e2'], ['hook']);
    await eventually(async () => (await engine.db.selectFrom('due').selectAll().execute()).length === 0);
    assert.deepEqual(
      (await deliveriesOf(engine)).map(({ eventId }) => eventId),
      ['e1'],
    );
    assert.equal(received.length, 1);
  });

  test('what happens after a hook is on again is sent, however late the deletion of what waited comes', async (t) => {
    const engine = await open(engineMigrations);
    const { enqueue, start } = hookUp(t, engine);
    const { url, received } = await startReceiver(t);
    const eventsOf = async () => (await deliveriesOf(engine)).map(({ eventId }) => eventId).toSorted();
    await enqueue(['before'], ['hook']);
    const off = Date.now();
    await eventually(() => Date.now() > off);
    await engine.db.transaction().execute((tx) => scheduleDeliveryStop(tx, HOOK, off));
    await enqueue(['after'], ['hook']);
    const { handlers = {} } = webhookWork({ engine, clock: { now: Date.now }, settings: {} } as Kernel);
    const stop = await engine.db
      .selectFrom('due')
      .selectAll()
      .where('kind', '=', 'webhook.stop')
      .executeTakeFirstOrThrow();
    await handlers['webhook.stop']?.(stop, never);
    assert.deepEqual(await eventsOf(), ['after']);
    // It is turned on while a turn that has seen it off goes on.
    let turns = 0;
    await start(
      {},
      {
        openHook: async () => {
          turns += 1;
          if (turns > 1) return async ({ body }, send) => await send({ url, headers: {}, body });
          const seen = Date.now();
          await eventually(() => Date.now() > seen);
          await enqueue(['since'], ['hook']);
          return undefined;
        },
      },
    );
    await eventually(() => received.length > 0);
    assert.deepEqual([await eventsOf(), received[0]!.body], [['since'], '{"event":"since"}']);
  });

  test('all deliveries of a deleted hook are deleted, also those being sent', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, targets, enqueue, start } = hookUp(t, engine);
    const answers: (() => void)[] = [];
    const { url } = await startReceiver(t, (response) => answers.push(() => response.end()));
    addHook('hook', url);
    await enqueue(Array.from({ length: 100 }, (_, index) => `e${index}`));
    await start();
    await eventually(() => answers.length === 8);
    targets.delete('hook');
    await engine.db.transaction().execute((tx) => scheduleDeliveryRemoval(tx, HOOK, Date.now()));
    const clock = { now: Date.now };
    const log = { warn: () => {}, error: () => {} };
    const { handlers = {} } = webhookWork({
      engine,
      clock,
      settings: { retained: { deliveries: Infinity } } as Kernel['settings'],
    });
    const worker = await startWorker({ engine, clock, log, handlers, random: () => 0, owner: 'remover' });
    t.after(() => worker.stop());
    const count = async (table: 'due' | 'deliveries' | 'delivery_attempts') =>
      (await engine.db.selectFrom(table).selectAll().execute()).length;
    await eventually(async () => (await count('due')) === 0);
    assert.equal(await count('deliveries'), 0);
    for (const answer of answers) answer();
    await enqueue(['e1'], ['another']); // once this is deleted, the answers have been handled
    await eventually(async () => (await count('due')) === 0 && (await count('deliveries')) === 0);
    await eventually(async () => (await count('delivery_attempts')) === 0);
  });

  test('finished deliveries go after a week, with their bodies', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, enqueue, start } = hookUp(t, engine);
    const { url } = await startReceiver(t);
    addHook('hook', url);
    addHook('slow', (await startReceiver(t, hang)).url);
    await start();
    await enqueue(['e1'], ['hook']);
    await enqueue(['e2'], ['hook', 'slow']);
    await eventually(async () => (await deliveriesOf(engine)).every(({ state }) => state === 'delivered'));
    const count = async () =>
      Promise.all(
        (['deliveries', 'delivery_attempts', 'delivery_bodies'] as const).map(
          async (table) => (await engine.db.selectFrom(table).selectAll().execute()).length,
        ),
      );
    await deleteOldDeliveries(engine, Date.now() - 60_000, never);
    assert.deepEqual(await count(), [3, 2, 2]);
    await deleteOldDeliveries(engine, Date.now() + 60_000, never);
    assert.deepEqual(await count(), [1, 0, 1], 'what still waits keeps its body');
  });

  test('stopping records the answers, and releases the queue', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, enqueue, start } = hookUp(t, engine);
    const { url, received } = await startReceiver(t, (response, count) =>
      count <= 5 ? response.end() : undefined,
    );
    addHook('hook', url);
    await enqueue(Array.from({ length: 20 }, (_, index) => `e${index}`));
    const worker = await start();
    // Eight at a time, and one more for each answer.
    await eventually(() => received.length === 13);
    await worker.stop();
    const states = (await deliveriesOf(engine)).map(({ state, attempts }) => `${state} ${attempts}`);
    assert.deepEqual(states.toSorted(), [
      ...Array.from({ length: 5 }, () => 'delivered 1'),
      ...Array.from({ length: 15 }, () => 'pending 0'),
    ]);
    const [lane] = await engine.db.selectFrom('due').selectAll().execute();
    assert.equal(lane?.owner, null);
    assert.ok((lane?.due_at ?? Infinity) <= Date.now());
  });
});
