// Many receivers at once: one that hangs or fails delays no other, and no delivery is lost or doubled.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine, onEngine } from '../../../test/engines.ts';
import { eventually } from '../../../test/eventually.ts';
import { rounds } from '../../../test/long.ts';
import {
  countStates,
  engineMigrations,
  fail,
  hang,
  hookUp,
  startReceiver,
  type Receiver,
} from './fixture.ts';

const EVENTS = rounds(40, 400);
const RECEIVERS = 50;
const HANGING = 10;
const FAILING = 10;

onEachEngine(({ open }) => {
  test('receivers that hang or fail delay no other, and none gets a delivery twice', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, enqueue, start } = hookUp(t, engine);
    const receivers: Receiver[] = [];
    for (let index = 0; index < RECEIVERS; index += 1) {
      const answer = index < HANGING ? hang : index < HANGING + FAILING ? fail : undefined;
      const receiver = await startReceiver(t, answer);
      receivers.push(receiver);
      addHook(`hook-${index}`, receiver.url);
    }
    const [hanging, failing, healthy] = [
      receivers.slice(0, HANGING),
      receivers.slice(HANGING, HANGING + FAILING),
      receivers.slice(HANGING + FAILING),
    ];
    const eventIds = Array.from({ length: EVENTS }, (_, index) => `event-${index}`);
    await start();
    await enqueue(eventIds);
    await eventually(() => healthy.every(({ received }) => received.length >= eventIds.length));

    for (const { received } of healthy) {
      assert.equal(received.length, eventIds.length, 'none is lost');
      assert.equal(new Set(received.map(({ id }) => id)).size, received.length, 'and none is doubled');
      assert.equal(new Set(received.map(({ body }) => body)).size, received.length);
    }
    for (const [index, { received }] of hanging.entries()) {
      assert.ok(received.length > 0, 'those who hang were asked');
      assert.deepEqual(await countStates(engine, `hook-${index}`), { pending: eventIds.length });
    }
    for (const [index, { received }] of failing.entries()) {
      assert.ok(received.length > 0, 'those who fail were asked');
      assert.deepEqual(await countStates(engine, `hook-${HANGING + index}`), { pending: eventIds.length });
    }
    for (let index = HANGING + FAILING; index < RECEIVERS; index += 1) {
      await eventually(
        async () => (await countStates(engine, `hook-${index}`))['delivered'] === eventIds.length,
      );
    }
  });
});

onEngine('postgres', ({ open, database }) => {
  test('two processes share the work and double none of it', async (t) => {
    const location = await database();
    const one = await open(engineMigrations, location);
    const other = await open([], location);
    const receivers = await Promise.all(Array.from({ length: 20 }, () => startReceiver(t)));
    const ends = [hookUp(t, one, 'one'), hookUp(t, other, 'other')];
    for (const { addHook, start } of ends) {
      receivers.forEach(({ url }, index) => addHook(`hook-${index}`, url));
      await start();
    }
    const half = (name: string) => Array.from({ length: 50 }, (_, index) => `${name}-${index}`);
    await Promise.all([ends[0]!.enqueue(half('a')), ends[1]!.enqueue(half('b'))]);
    await eventually(async () => {
      const counts = await Promise.all(receivers.map((_, index) => countStates(one, `hook-${index}`)));
      return counts.every(({ delivered }) => delivered === 100);
    });
    for (const { received } of receivers) {
      assert.equal(received.length, 100);
      assert.equal(new Set(received.map(({ id }) => id)).size, 100);
    }
  });
});
