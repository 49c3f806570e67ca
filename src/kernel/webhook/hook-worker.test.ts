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
  test('receivers that hang or fail keep no other waiting, and none hears anything twice', async (t) => {
    const engine = await open(engineMigrations);
    const { addHook, tell, start } = hookUp(t, engine);
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
    await tell(eventIds);
    await eventually(() => healthy.every(({ heard }) => heard.length >= eventIds.length));

    for (const { heard } of healthy) {
      assert.equal(heard.length, eventIds.length, 'none is lost');
      assert.equal(new Set(heard.map(({ id }) => id)).size, heard.length, 'and none is doubled');
      assert.equal(new Set(heard.map(({ body }) => body)).size, heard.length);
    }
    for (const [index, { heard }] of hanging.entries()) {
      assert.ok(heard.length > 0, 'those who hang were asked');
      assert.deepEqual(await countStates(engine, `hook-${index}`), { pending: eventIds.length });
    }
    for (const [index, { heard }] of failing.entries()) {
      assert.ok(heard.length > 0, 'those who fail were asked');
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
    await Promise.all([ends[0]!.tell(half('a')), ends[1]!.tell(half('b'))]);
    await eventually(async () => {
      const counts = await Promise.all(receivers.map((_, index) => countStates(one, `hook-${index}`)));
      return counts.every(({ delivered }) => delivered === 100);
    });
    for (const { heard } of receivers) {
      assert.equal(heard.length, 100);
      assert.equal(new Set(heard.map(({ id }) => id)).size, 100);
    }
  });
});
