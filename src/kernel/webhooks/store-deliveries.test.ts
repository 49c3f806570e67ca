// Reading deliveries of all APIs: which, in which order, by pages, and with their attempts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Engine } from '../storage/engine.ts';
import { engineMigrations } from './fixture.ts';
import { IN_ORDER, INDEPENDENT } from './policy.ts';
import {
  countDeliveries,
  findDelivery,
  findDeliveryBody,
  listDeliveries,
  updateDeliveryOwner,
  withAttempts,
  type DeliveryFilter,
  type DeliveryRange,
} from './store-deliveries.ts';
import { enqueueDeliveries, type OutgoingDelivery } from './store-enqueue.ts';
import { resultStatements } from './store-queue.ts';

const NOW = 1_800_000_000_000;
const FLAGS = { api: 'flags', hookId: 'one' };
const HOST = { api: 'host', hookId: 'one' };
const OTHER = { api: 'host', hookId: 'other' };

/** Named by their events: of two APIs, three hooks and two accounts. */
const SENT: OutgoingDelivery[] = [
  { ...FLAGS, eventId: 'a', body: '"a"' },
  { ...HOST, eventId: 'b', body: '"b"', id: 'id-b', ownerId: 'mary', details: '{"b":1}' },
  { ...FLAGS, eventId: 'c', body: '"a"' },
  { ...OTHER, eventId: 'd', body: '"d"', id: 'id-d', ownerId: 'mary' },
  { ...HOST, eventId: 'e', body: '"e"', id: 'id-e', ownerId: 'john' },
];

async function fill({ db }: Engine): Promise<void> {
  for (const [index, delivery] of SENT.entries()) {
    const order = delivery.api === 'flags' ? IN_ORDER : INDEPENDENT;
    await db.transaction().execute((tx) => enqueueDeliveries(tx, order, [delivery], NOW + index));
  }
}

async function record(engine: Engine, id: string, statuses: readonly number[]): Promise<void> {
  for (const [index, status] of statuses.entries()) {
    const state = status === 200 ? 'delivered' : index + 1 === statuses.length ? 'failed' : 'pending';
    const attempt = {
      number: index + 1,
      at: NOW,
      status,
      error: null,
      duration_ms: 5,
      response: `answer ${index + 1}`,
      details: null,
      phases: null,
    };
    const dueAt = state === 'pending' ? NOW + 1 : null;
    await engine.batch(resultStatements(engine.db, [{ id, state, dueAt, error: null, attempt }], NOW));
  }
}

onEachEngine(({ open }) => {
  test('deliveries are those of all APIs, of one, of a hook or of an account, newest first', async () => {
    const engine = await open(engineMigrations);
    await fill(engine);
    const events = async (filter: DeliveryFilter, range: Partial<DeliveryRange> = {}) =>
      (await listDeliveries(engine.db, filter, { limit: 10, ...range }))
        .map(({ eventId }) => eventId)
        .join('');
    assert.equal(await events({}), 'edcba');
    assert.equal(await events({ api: 'host' }), 'edb');
    assert.equal(await events({ api: 'actors' }), '');
    assert.equal(await events(HOST), 'eb');
    assert.equal(await events({ api: 'host', ownerId: 'mary' }), 'db');
    assert.equal(await events(FLAGS, { oldestFirst: true }), 'ac');
    assert.equal(await events({}, { offset: 1, limit: 2 }), 'dc');
    assert.equal(await countDeliveries(engine.db, {}), 5);
    assert.equal(await countDeliveries(engine.db, HOST), 2);
    await updateDeliveryOwner(engine.db, 'host', 'mary', 'john');
    assert.equal(await events({ api: 'host', ownerId: 'john' }), 'edb');
  });

  test('a page goes on from the last number of the one before, whatever was added meanwhile', async () => {
    const engine = await open(engineMigrations);
    await fill(engine);
    const { db } = engine;
    const first = await listDeliveries(db, {}, { limit: 2 });
    const late = { ...HOST, eventId: 'f', body: '"f"', id: 'id-f', ownerId: 'john' };
    await db.transaction().execute((tx) => enqueueDeliveries(tx, INDEPENDENT, [late], NOW));
    const second = await listDeliveries(db, {}, { limit: 10, before: first.at(-1)!.number });
    assert.deepEqual(
      [...first, ...second].map(({ eventId }) => eventId),
      ['e', 'd', 'c', 'b', 'a'],
    );
  });

  test('deliveries are listed by state, with the attempts at each', async () => {
    const engine = await open(engineMigrations);
    await fill(engine);
    const { db } = engine;
    await record(engine, 'id-b', [500, 503]);
    await record(engine, 'id-e', [500, 200]);
    const listed = async (filter: DeliveryFilter) =>
      (await withAttempts(db, await listDeliveries(db, filter, { limit: 10 }))).map(
        ({ eventId, state, history }) => [eventId, state, ...history.map(({ status }) => status)],
      );
    assert.deepEqual(await listed({ states: ['failed'] }), [['b', 'failed', 500, 503]]);
    assert.deepEqual(await listed({ ...HOST, states: ['delivered', 'failed'] }), [
      ['e', 'delivered', 500, 200],
      ['b', 'failed', 500, 503],
    ]);
    assert.deepEqual(await listed({ ...FLAGS, states: ['pending'] }), [
      ['c', 'pending'],
      ['a', 'pending'],
    ]);
  });

  test('attempts that were recorded since the delivery was read are left out', async () => {
    const engine = await open(engineMigrations);
    await fill(engine);
    const before = await listDeliveries(engine.db, OTHER, { limit: 1 });
    await record(engine, 'id-d', [500]);
    const [delivery] = await withAttempts(engine.db, before);
    assert.deepEqual([delivery?.state, delivery?.history], ['pending', []]);
  });

  test('a delivery is found by its id, or by its number among those of its hook', async () => {
    const engine = await open(engineMigrations);
    await fill(engine);
    const { db } = engine;
    await record(engine, 'id-b', [200]);
    const delivery = (await findDelivery(db, { id: 'id-b' }))!;
    assert.deepEqual(
      { ...delivery, number: 0, bodyId: '' },
      {
        id: 'id-b',
        number: 0,
        ...HOST,
        eventId: 'b',
        ownerId: 'mary',
        bodyId: '',
        state: 'delivered',
        attempts: 1,
        dueAt: null,
        createdAt: NOW + 1,
        finishedAt: NOW,
        status: 200,
        error: null,
        details: '{"b":1}',
        history: [
          {
            number: 1,
            at: NOW,
            status: 200,
            error: null,
            durationMs: 5,
            response: 'answer 1',
            details: null,
          },
        ],
      },
    );
    assert.equal(await findDeliveryBody(db, delivery), '"b"');
    const { number } = delivery;
    assert.equal((await findDelivery(db, { ...HOST, number }))?.id, 'id-b');
    assert.equal(await findDelivery(db, { ...OTHER, number }), undefined);
    assert.equal(await findDelivery(db, { id: 'none' }), undefined);
    assert.equal(await findDeliveryBody(db, { bodyId: 'none' }), undefined);
  });
});
