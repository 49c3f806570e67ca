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
} from '../../src/kernel/webhooks/fixture.ts';
import { onEachEngine } from '../engines.ts';
import { eventually, inTime } from '../eventually.ts';
import { rounds } from '../long.ts';
import { dieAt } from './child-server.ts';

const EVENTS = rounds(100, 1_000);
const RECEIVERS = 50;
const HANGING = 10;
const FAILING = 10;
/** As many deliveries as a worker sends before it stores the results. */
const ROUND = 32;

const PROCESS = new URL('webhooks-process.ts', import.meta.url).pathname;

function startProcess(location: string, urls: Record<string, string>, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [PROCESS, location, JSON.stringify(urls)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
  const exited = once(child, 'exit');
  return {
    /** Waits until it has ended itself at a checkpoint. */
    async died(): Promise<void> {
      assert.deepEqual(await inTime(exited), [null, 'SIGKILL']);
    },
    async kill(): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await inTime(exited);
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

    // Killed when the second round of this hook was answered, and before its results are stored.
    const [interruptedId, interrupted] = healthy[0]!;
    let child = startProcess(location, urls, dieAt(`sent to ${interruptedId}`, 2));
    t.after(() => child.kill());
    const enqueued = enqueue(eventIds);
    await child.died();
    const sent = interrupted.received.length;
    assert.ok(sent >= 2 && sent <= 2 * ROUND && sent < EVENTS, `${sent} of ${EVENTS} were sent`);
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
      const repeated = received.length - eventIds.length;
      assert.ok(repeated <= ROUND, 'only what was under way is repeated');
      if (hookId === interruptedId) assert.ok(repeated > 0, 'what was not stored is repeated');
    }
    await child.kill();
  });
});
