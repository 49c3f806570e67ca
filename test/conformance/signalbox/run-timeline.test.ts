// Timelines of runs, and dispatches of webhooks that are sent again, over the Signalbox API.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { insertRunStep, listRunSteps, MAX_STEPS } from '../../../src/actors/runs/store-steps.ts';
import { createActor, finishedRun, startRun } from '../../actors.ts';
import { script } from '../../actor-sources.ts';
import { onEachEngine } from '../../engines.ts';
import { eventually } from '../../eventually.ts';
import { giveToken, join } from '../../people.ts';
import type { Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';
import { openReceiver, type WebhookReceiver } from '../../webhook-receiver.ts';
import { giveActor, giveRun } from '../actors/runs/run-rows.ts';

const BASE = '/signalbox/v1';

const PARENT = script(`
const input = (await getInput()) ?? {};
const message = (text) => api('/actor-runs/' + env.ACTOR_RUN_ID, { method: 'PUT', body: { statusMessage: text } });
if (input.child) await message('Crawled 1 of 2');
if (input.child) await message('Crawled 1 of 2');
if (input.child) await api('/actors/' + env.ACTOR_ID + '/runs', { method: 'POST', body: {} });
process.exit(input.child ? 3 : 0);
`);

onEachEngine((engine) => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  let outsider: string;
  let isBroken = true;

  before(async () => {
    receiver = await openReceiver((response) => {
      response.statusCode = isBroken ? 500 : 200;
      response.end('thanks');
    });
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
    outsider = (await giveToken(server, await join(server, 'olga'), { role: 'writer' })).value;
  });
  after(async () => {
    await server.stop();
    await receiver.close();
  });

  const timelineOf = async (id: string, token?: string): Promise<Json> => {
    const { status, json, text } = await server.call(`${BASE}/runs/${id}/timeline`, {
      ...(token !== undefined && { token }),
    });
    assert.equal(status, 200, text);
    return json;
  };
  const kindsOf = ({ items }: Json) => (items as Json[]).map(({ kind }) => kind as string);

  test('the timeline of a run has its start, what it said, started and sent, and its end; a dispatch is sent again', async () => {
    const actor = await createActor(server, PARENT);
    const hook = await server.call('/v2/webhooks', {
      method: 'POST',
      body: {
        eventTypes: ['ACTOR.RUN.FAILED'],
        requestUrl: `${receiver.url}/hook`,
        condition: { actorId: actor['id'] },
        doNotRetry: true,
      },
    });
    assert.equal(hook.status, 201, hook.text);
    const { id } = (await startRun(server, actor['id'] as string, { input: { child: true } })) as {
      id: string;
    };
    const run = await finishedRun(server, id);
    assert.equal(run['status'], 'FAILED');
    const timeline = await timelineOf(id);
    assert.equal(timeline['isPartial'], false);
    assert.deepEqual(kindsOf(timeline), ['created', 'started', 'message', 'child', 'finished', 'webhook']);
    const items = timeline['items'] as Json[];
    assert.equal(items[0]!['origin'], 'API');
    assert.equal(items[2]!['message'], 'Crawled 1 of 2');
    const child = items[3]!['run'] as Json;
    assert.equal(child['actorId'], actor['id']);
    const { kind, status, exitCode, message } = items[4]!;
    assert.deepEqual(
      { kind, status, exitCode, message },
      { kind: 'finished', status: 'FAILED', exitCode: 3, message: 'Actor failed with exit code 3' },
    );
    const dispatch = items[5]!['dispatch'] as Json;
    assert.equal(dispatch['webhookId'], hook.json['data'].id);
    assert.equal(dispatch['eventType'], 'ACTOR.RUN.FAILED');
    const times = items.map(({ at }) => at as number);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    await finishedRun(server, child['id'] as string);
    const ofChild = (await timelineOf(child['id'] as string))['items'] as Json[];
    assert.equal(ofChild[0]!['parent'], id);

    const dispatchId = dispatch['id'] as string;
    const stateOf = async () =>
      ((await timelineOf(id))['items'] as Json[]).at(-1)!['dispatch']['status'] as string;
    const again = (token?: string) =>
      server.call(`${BASE}/webhook-dispatches/${dispatchId}/redeliver`, {
        method: 'POST',
        ...(token !== undefined && { token }),
      });
    await eventually(async () => (await stateOf()) === 'FAILED');
    assert.equal((await again(outsider)).status, 404);
    isBroken = false;
    const sent = await again();
    assert.equal(sent.status, 200, sent.text);
    assert.deepEqual([sent.json['id'], sent.json['status']], [dispatchId, 'ACTIVE']);
    await eventually(async () => (await stateOf()) === 'SUCCEEDED');
    const [first, second] = await receiver.wait('/hook', 2);
    assert.equal(second!.body, first!.body);
    assert.equal(second!.headers['x-apify-webhook-dispatch-id'], dispatchId);
    const shown = (await server.call(`/v2/webhooks/${hook.json['data'].id}`)).json['data'];
    assert.equal(shown.lastDispatch.status, 'SUCCEEDED');
    const calls = (await server.call(`/v2/webhook-dispatches/${dispatchId}`)).json['data'].calls as Json[];
    assert.deepEqual(
      calls.map(({ responseStatus }) => responseStatus as number),
      [500, 200],
    );
  });

  test('a dispatch that is not there cannot be sent again', async () => {
    const { status } = await server.call(`${BASE}/webhook-dispatches/none/redeliver`, { method: 'POST' });
    assert.equal(status, 404);
  });

  test('of a run from before, the timeline has what the run knows of itself', async () => {
    const actor = await giveActor(server);
    const { id } = await giveRun(server, actor, {
      status: 'FAILED',
      statusMessage: 'Boom',
      origin: 'SCHEDULER',
    });
    const { items, isPartial } = await timelineOf(id);
    assert.equal(isPartial, true);
    assert.deepEqual(
      (items as Json[]).map(({ at: _at, ...rest }) => rest),
      [
        { kind: 'created', origin: 'SCHEDULER' },
        { kind: 'finished', status: 'FAILED', exitCode: 0, message: 'Boom' },
      ],
    );
  });

  test('a run that waits says so, and others do not know of it', async () => {
    const actor = await giveActor(server);
    const { id } = await giveRun(server, actor, { status: 'READY', finishedAt: null });
    assert.deepEqual(kindsOf(await timelineOf(id)), ['created', 'waiting']);
    const aborted = await server.call(`/v2/actor-runs/${id}/abort`, { method: 'POST' });
    assert.equal(aborted.status, 200, aborted.text);
    const ended = await timelineOf(id);
    assert.deepEqual([kindsOf(ended), ended['isPartial']], [['created', 'finished'], false]);
    assert.equal((await server.call(`${BASE}/runs/${id}/timeline`, { token: outsider })).status, 404);
    assert.equal((await server.call(`${BASE}/runs/none/timeline`)).status, 404);
  });

  test('of each kind the last ones are kept, and they go with the run', async () => {
    const actor = await giveActor(server);
    const { id } = await giveRun(server, actor);
    const { db } = server.app.kernel;
    await db.transaction().execute(async (tx) => {
      await insertRunStep(tx, id, 'started', 1);
      for (let n = 1; n <= MAX_STEPS + 5; n += 1)
        await insertRunStep(tx, id, 'message', n, { message: `${n}` });
    });
    const steps = await listRunSteps(db, id);
    assert.equal(steps.length, MAX_STEPS + 1);
    assert.deepEqual([steps[0]!.kind, steps[1]!.message, steps.at(-1)!.message], ['started', '6', '205']);
    assert.equal((await server.call(`/v2/actor-runs/${id}`, { method: 'DELETE' })).status, 204);
    assert.deepEqual(await listRunSteps(db, id), []);
  });
});
