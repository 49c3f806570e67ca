// SIGKILL while the events of runs are recorded and sent: every receiver that answers gets every event of every run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createActor, startRun } from '../actors.ts';
import { OBEDIENT } from '../actor-sources.ts';
import { onEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { rounds } from '../long.ts';
import type { Json } from '../server.ts';
import { openReceiver, type WebhookReceiver } from '../webhook-receiver.ts';
import { callerOf, settingsOn, startChild, type ChildServer } from './child-server.ts';

/** Each has two events. */
const RUNS = rounds(40, 500);
const RECEIVERS = rounds(15, 50);
const HANGING = RECEIVERS / 5;
const FAILING = RECEIVERS / 5;
/** As many dispatches as a worker sends before it stores the results. */
const ROUND = 32;

onEachEngine((engine) => {
  test('after a kill every receiver that answers has every event', async (t) => {
    const { settings } = await settingsOn(engine);
    const limits = {
      SIGNALBOX_NODE_RUNS: '1',
      SIGNALBOX_ACCOUNT_RUNS: '1000',
      SIGNALBOX_ALLOW_PRIVATE_WEBHOOKS: '1',
    };
    let child: ChildServer = await startChild({ ...settings, ...limits });
    t.after(() => child.kill());
    const server = callerOf(() => child.url);
    const { id: actorId } = await createActor(server, OBEDIENT);
    // It keeps the only slot, so that all others wait until they are aborted.
    await startRun(server, actorId as string, { input: { sleep: 3_600_000 }, query: 'memory=128' });
    const healthy: WebhookReceiver[] = [];
    for (let index = 0; index < RECEIVERS; index += 1) {
      const receiver = await openReceiver((response) => {
        if (index >= HANGING) response.writeHead(index < HANGING + FAILING ? 500 : 200).end();
      });
      t.after(() => receiver.close());
      const body = {
        eventTypes: ['ACTOR.RUN.CREATED', 'ACTOR.RUN.ABORTED'],
        condition: { actorId },
        requestUrl: receiver.url,
        payloadTemplate: '{"event": "{{eventData.actorRunId}} {{eventType}}"}',
        shouldInterpolateStrings: true,
      };
      const { status, text } = await server.call('/v2/webhooks', { method: 'POST', body });
      assert.equal(status, 201, text);
      if (index >= HANGING + FAILING) healthy.push(receiver);
    }
    const told: string[] = [];
    /** What was answered has happened; of what was not, nothing is known. */
    const work = async (): Promise<void> => {
      const answer = await server.call(`/v2/actors/${actorId}/runs?memory=128`, { method: 'POST' });
      const { id } = answer.json['data'] as Json;
      told.push(`${id} ACTOR.RUN.CREATED`);
      const aborted = await server.call(`/v2/actor-runs/${id}/abort`, { method: 'POST' });
      if (aborted.json['data'].status === 'ABORTED') told.push(`${id} ACTOR.RUN.ABORTED`);
    };
    const workAll = async (count: number): Promise<void> => {
      let left = count;
      const client = async (): Promise<void> => {
        while ((left -= 1) >= 0) await work();
      };
      await Promise.all(Array.from({ length: 4 }, client));
    };
    const received = () => healthy.reduce((sum, one) => sum + one.received.length, 0);
    const working = workAll(RUNS).catch(() => {});
    await eventually(() => received() > (RUNS * healthy.length) / 3, 'some of the webhooks');
    await child.kill();
    await working;
    const before = received();
    child = await startChild({ ...settings, ...limits });
    await workAll(5);
    for (const receiver of healthy) {
      const eventsOf = () => new Set(receiver.received.map(({ json }) => json['event'] as string));
      await eventually(() => told.every((event) => eventsOf().has(event)), 'every event');
      const ids = Map.groupBy(receiver.received, ({ json }) => json['event'] as string);
      for (const calls of ids.values()) {
        const dispatches = calls.map(({ headers }) => headers['x-apify-webhook-dispatch-id']);
        assert.equal(new Set(dispatches).size, 1, 'a repetition has the same id');
      }
      assert.ok(receiver.received.length - eventsOf().size <= ROUND, 'only what was under way is repeated');
    }
    assert.ok(before > 0);
  });
});
