// SIGKILL while webhooks are delivered: every working receiver gets every event, and recognises a repetition by its id.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import {
  countStates,
  engineMigrations,
  fail,
  hang,
  hookUp,
  startReceiver,
  type Receiver,
} from '../../src/kernel/webhook/fixture.ts';
import { onEachEngine } from '../engines.ts';
import { eventually, inTime } from '../eventually.ts';
import { rounds } from '../long.ts';

const EVENTS = rounds(100, 1_000);
const RECEIVERS = 50;
const HANGING = 10;
const FAILING = 10;
/** As many deliveries as a worker sends before it stores the results. */
const ROUND = 32;

const PROCESS = new URL('webhooks-process.ts', import.meta.url).pathname;

function startProcess(location: string, urls: Record<string, string>): { kill(): Promise<void> } {
  const child = spawn(process.execPath, [PROCESS, location, JSON.stringify(urls)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return {
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await inTime(ended);
    },
  };
}

onEachEngine(({ database, open }) => {
  test('after a kill every receiver that answers has every event', async (t) => {
    const location = await database();
    const engine = await open(engineMigrations, location);
    const { addHook, enqueue } = hookUp(t, engine);
    const urls: Record<string, string> = {};
    const healthy: [hookId: string, Receiver][] = [];
    for (let index = 0; index < RECEIVERS; index += 1) {
      const answer = index < HANGING ? hang : index < HANGING + FAILING ? fail : undefined;
      const receiver = await startReceiver(t, answer);
      const hookId = `hook-${index}`;
      urls[hookId] = receiver.url;
      addHook(hookId, receiver.url);
      if (answer === undefined) healthy.push([hookId, receiver]);
    }
    const eventIds = Array.from({ length: EVENTS }, (_, index) => `event-${index}`);
    const countReceived = () => healthy.reduce((sum, [, { received }]) => sum + received.length, 0);
    const all = eventIds.length * healthy.length;

    let child = startProcess(location, urls);
    t.after(() => child.kill());
    const enqueued = enqueue(eventIds);
    await eventually(() => countReceived() > all / 3);
    await child.kill();
    // On a busy machine it may be faster than the process that kills it.
    if (countReceived() >= all) t.diagnostic('All events were delivered before it could be killed.');
    child = startProcess(location, urls);
    await enqueued;
    // Cheap to query, unlike the states of thousands of deliveries.
    await eventually(() => countReceived() >= all);

    for (const [hookId, { received }] of healthy) {
      await eventually(async () => (await countStates(engine, hookId))['delivered'] === eventIds.length);
      const idsByBody = Map.groupBy(received, ({ body }) => body);
      assert.equal(idsByBody.size, eventIds.length, 'none is lost');
      for (const calls of idsByBody.values()) {
        assert.equal(new Set(calls.map(({ id }) => id)).size, 1, 'a repetition has the same id');
      }
      assert.ok(received.length - eventIds.length <= ROUND, 'only what was under way is repeated');
    }
    await child.kill();
  });
});
