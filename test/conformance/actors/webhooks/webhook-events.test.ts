// What fires the webhooks of the scraping platform, and what arrives: all event types, templates, headers, and who gets nothing.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endBuild } from '../../../../src/actors/builds/execution/execute-build.ts';
import type { Job } from '../../../../src/actors/jobs/job.ts';
import { createActor, finishedRun, runActor, startRun, statusOf } from '../../../actors.ts';
import { OBEDIENT, script } from '../../../actor-sources.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { giveToken, join } from '../../../people.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { openReceiver, type WebhookReceiver } from '../../../webhook-receiver.ts';

const RUN_EVENTS = ['ABORTED', 'CREATED', 'FAILED', 'RESURRECTED', 'SUCCEEDED', 'TIMED_OUT'].map(
  (name) => `ACTOR.RUN.${name}`,
);
const BUILD_EVENTS = ['ABORTED', 'CREATED', 'FAILED', 'SUCCEEDED', 'TIMED_OUT'].map(
  (name) => `ACTOR.BUILD.${name}`,
);

onEachEngine((engine) => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  let actor: Json;
  let actorId: string;
  let userId: string;
  before(async () => {
    receiver = await openReceiver();
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
    actor = await createActor(server, OBEDIENT);
    actorId = actor['id'] as string;
    userId = actor['userId'] as string;
  });
  after(async () => {
    await server.stop();
    await receiver.close();
  });

  const call = (path: string, init?: CallInit) => server.call(`/v2${path}`, init);
  const post = (path: string, body?: unknown, init: CallInit = {}) =>
    call(path, { method: 'POST', ...(body !== undefined && { body }), ...init });
  const create = async (path: string, more: Json, init: CallInit = {}): Promise<string> => {
    const body = { requestUrl: receiver.url + path, condition: { actorId }, eventTypes: RUN_EVENTS, ...more };
    const answer = await post('/webhooks', body, init);
    assert.equal(answer.status, 201, answer.text);
    return answer.json['data'].id as string;
  };
  const eventsAt = (path: string) => receiver.at(path).map(({ json }) => json['eventType'] as string);
  /** The events of a run, once so many have come. */
  const eventsOf = async (path: string, runId: string, count: number): Promise<string[]> => {
    const ofRun = () => receiver.at(path).filter(({ json }) => json['eventData']?.actorRunId === runId);
    await eventually(() => ofRun().length >= count, `${count} events of the run`);
    return ofRun().map(({ json }) => json['eventType'] as string);
  };

  describe('runs', () => {
    test('A25 A29 a webhook on an Actor gets every event of its runs, with the run as the API shows it', async () => {
      await create('/all', {});
      const succeeded = await runActor(server, actorId, { input: { output: 1 } });
      const id = succeeded['id'] as string;
      assert.deepEqual((await eventsOf('/all', id, 2)).toSorted(), [
        'ACTOR.RUN.CREATED',
        'ACTOR.RUN.SUCCEEDED',
      ]);
      const end = receiver.at('/all').find(({ json }) => json['eventType'] === 'ACTOR.RUN.SUCCEEDED')!;
      assert.deepEqual(Object.keys(end.json), ['userId', 'createdAt', 'eventType', 'eventData', 'resource']);
      assert.deepEqual(end.json['eventData'], { actorId, actorRunId: id });
      assert.equal(end.json['userId'], userId);
      assert.deepEqual(end.json['resource'], succeeded);
      const begin = receiver.at('/all').find(({ json }) => json['eventType'] === 'ACTOR.RUN.CREATED')!;
      assert.deepEqual([begin.json['resource'].id, begin.json['resource'].status], [id, 'READY']);

      const failed = await runActor(server, actorId, { input: { exit: 3 } });
      assert.ok((await eventsOf('/all', failed['id'] as string, 2)).includes('ACTOR.RUN.FAILED'));

      await post(`/actor-runs/${failed['id']}/resurrect`);
      await finishedRun(server, failed['id'] as string);
      const again = await eventsOf('/all', failed['id'] as string, 4);
      assert.deepEqual(again.toSorted(), [
        'ACTOR.RUN.CREATED',
        'ACTOR.RUN.FAILED',
        'ACTOR.RUN.FAILED',
        'ACTOR.RUN.RESURRECTED',
      ]);

      const { id: aborted } = await startRun(server, actorId, { input: { sleep: 600_000 } });
      await eventually(async () => (await statusOf(server, aborted as string)) === 'RUNNING');
      await post(`/actor-runs/${aborted}/abort`);
      assert.ok((await eventsOf('/all', aborted as string, 2)).includes('ACTOR.RUN.ABORTED'));

      const { id: slow } = await startRun(server, actorId, {
        input: { sleep: 600_000 },
        query: 'timeout=3000',
      });
      await eventually(async () => (await statusOf(server, slow as string)) === 'RUNNING');
      server.clock.ahead += 3_000_000;
      // The jump may have ended the lease of a turn that had sent the first, which then comes once more.
      await eventually(
        async () => (await eventsOf('/all', slow as string, 1)).includes('ACTOR.RUN.TIMED_OUT'),
        'the event of the time-out',
      );
      assert.deepEqual([...new Set(eventsAt('/all'))].toSorted(), RUN_EVENTS);
    });

    test('A25 only the event types it names, and only while it is enabled', async () => {
      await create('/some', { eventTypes: ['ACTOR.RUN.FAILED'] });
      const off = await create('/off', { isEnabled: false });
      await runActor(server, actorId);
      await runActor(server, actorId, { input: { exit: 1 } });
      await receiver.wait('/some');
      assert.deepEqual(eventsAt('/some'), ['ACTOR.RUN.FAILED']);
      const { lastDispatch, stats } = (await call(`/webhooks/${off}`)).json['data'];
      assert.deepEqual([eventsAt('/off'), lastDispatch, stats.totalDispatches], [[], null, 0]);
      await call(`/webhooks/${off}`, { method: 'PUT', body: { isEnabled: true } });
      await runActor(server, actorId);
      await receiver.wait('/off', 2);
    });

    test('A25 a webhook on a task gets the runs of the task alone, and tells its id', async () => {
      const task = (await post('/actor-tasks', { actId: actorId, name: 'hooked' })).json['data'];
      const webhook = await create('/task', { condition: { actorTaskId: '~hooked' } });
      assert.equal((await call(`/webhooks/${webhook}`)).json['data'].condition.actorTaskId, task.id);
      assert.equal((await call(`/actor-tasks/${task.id}/webhooks`)).json['data'].items[0].id, webhook);
      await runActor(server, actorId);
      const run = (await post(`/actor-tasks/${task.id}/runs?waitForFinish=60`, {})).json['data'];
      const [first] = await receiver.wait('/task', 2);
      assert.deepEqual(first!.json['eventData'], { actorId, actorTaskId: task.id, actorRunId: run.id });
      assert.deepEqual(eventsAt('/task').toSorted(), ['ACTOR.RUN.CREATED', 'ACTOR.RUN.SUCCEEDED']);
      await call(`/actor-tasks/${task.id}`, { method: 'DELETE' });
      assert.equal((await call(`/webhooks/${webhook}`)).status, 404);
    });

    test('A25 who runs the public Actor of somebody else discloses nothing to its owner', async () => {
      const shown = await createActor(server, OBEDIENT, { fields: { isPublic: true } });
      const condition = { actorId: shown['id'] };
      await create('/owner', { condition, eventTypes: [...RUN_EVENTS, ...BUILD_EVENTS] });
      const token = (
        await giveToken(server, await join(server, 'guest', { role: 'writer' }), { role: 'writer' })
      ).value;
      await create('/guest', { condition, eventTypes: [...RUN_EVENTS, ...BUILD_EVENTS] }, { token });
      await runActor(server, shown['id'] as string, { token });
      await receiver.wait('/guest', 2);
      await post(`/actors/${shown['id']}/builds?version=0.1&waitForFinish=60`);
      await receiver.wait('/owner', 2);
      assert.deepEqual([...new Set(eventsAt('/owner'))].toSorted(), [
        'ACTOR.BUILD.CREATED',
        'ACTOR.BUILD.SUCCEEDED',
      ]);
      assert.deepEqual(eventsAt('/guest').toSorted(), ['ACTOR.RUN.CREATED', 'ACTOR.RUN.SUCCEEDED']);
    });
  });

  describe('builds', () => {
    test('A25 A29 a webhook on an Actor gets every event of its builds', async () => {
      const made = await createActor(server, OBEDIENT);
      const id = made['id'] as string;
      await create('/builds', { condition: { actorId: id }, eventTypes: BUILD_EVENTS });
      const build = (await post(`/actors/${id}/builds?version=0.1&waitForFinish=60`)).json['data'];
      await receiver.wait('/builds', 2);
      const end = receiver.at('/builds').find(({ json }) => json['eventType'] === 'ACTOR.BUILD.SUCCEEDED')!;
      assert.deepEqual(end.json['eventData'], { actorId: id, actorBuildId: build.id });
      assert.deepEqual(end.json['resource'], (await call(`/actor-builds/${build.id}`)).json['data']);

      const broken = { name: 'package.json', format: 'TEXT', content: 'no JSON' };
      await call(`/actors/${id}/versions/0.1`, { method: 'PUT', body: { sourceFiles: [broken] } });
      await post(`/actors/${id}/builds?version=0.1&waitForFinish=60`);
      await receiver.wait('/builds', 4);
      assert.ok(eventsAt('/builds').includes('ACTOR.BUILD.FAILED'));

      // One that no node claims, as it is claimed by the test.
      const { db } = server.app.kernel;
      const claimed = async (): Promise<Job> => {
        const owner = 'the-test/1.1';
        for (;;) {
          const started = (await post(`/actors/${id}/builds?version=0.1`)).json['data'].id as string;
          const { numUpdatedRows } = await db
            .updateTable('jobs')
            .set({ owner, lease_until: server.clock.now() + 3_600_000 })
            .where('id', '=', started)
            .where('owner', 'is', null)
            .executeTakeFirstOrThrow();
          if (numUpdatedRows > 0n)
            return { id: started, kind: 'build', userId, memoryMbytes: 1, owner, claims: 1, deaths: 0 };
        }
      };
      const job = await claimed();
      assert.ok(await endBuild(server.app.kernel, job, { status: 'TIMED-OUT', message: 'too slow' }, 1));
      const other = await claimed();
      await post(`/actor-builds/${other.id}/abort`);
      assert.ok(await endBuild(server.app.kernel, other, { status: 'SUCCEEDED', message: '' }, 1));
      await eventually(() => new Set(eventsAt('/builds')).size === 5, 'all events of builds');
      assert.deepEqual([...new Set(eventsAt('/builds'))].toSorted(), BUILD_EVENTS);
    });
  });

  describe('payloads and headers', () => {
    test('A25 variables are values, and inside strings only when it is asked for', async () => {
      const template = `{"id": {{resource.id}}, "type": "{{eventType}}", "text": "run {{resource.id}} of {{userId}}: {{eventData}}",
        "none": {{resource.no.such}}, "code": {{resource.exitCode}}, "at": {{globals.dateISO}}, "unix": {{globals.dateUnix}},
        "proto": {{resource.constructor}}, "list": [1, {{eventData.actorId}}]}`;
      const eventTypes = ['ACTOR.RUN.SUCCEEDED'];
      await create('/typed', { payloadTemplate: template, shouldInterpolateStrings: true, eventTypes });
      await create('/plain', { payloadTemplate: template, eventTypes });
      const { id } = await runActor(server, actorId);
      const [typed] = await receiver.wait('/typed');
      const { at, unix, ...rest } = typed!.json;
      assert.deepEqual(rest, {
        id,
        type: 'ACTOR.RUN.SUCCEEDED',
        text: `run ${id} of ${userId}: {"actorId":"${actorId}","actorRunId":"${id}"}`,
        none: null,
        code: 0,
        proto: null,
        list: [1, actorId],
      });
      assert.equal(Math.floor(Date.parse(at as string) / 1000), unix);
      const [plain] = await receiver.wait('/plain');
      assert.deepEqual([plain!.json['type'], plain!.json['id']], ['{{eventType}}', id]);
    });

    test('A26 headers of the template are sent, and none of the forced ones is overridden', async () => {
      const forced = [
        'Host',
        'content-type',
        'X-Apify-Webhook',
        'x-apify-webhook-dispatch-id',
        'X-Apify-Request-Origin',
      ];
      const ours = ['X-Platform-Webhook', 'X-Platform-Webhook-Dispatch-Id', 'X-Platform-Request-Origin'];
      const headers = Object.fromEntries([...forced, ...ours].map((name) => [name, 'mine']));
      const template = `{"Authorization": "Bearer {{resource.id}}", "X-Run": {{resource.id}}, "X-None": null, ${JSON.stringify(headers).slice(1)}`;
      const webhook = await create('/headers', {
        headersTemplate: template,
        shouldInterpolateStrings: true,
        eventTypes: ['ACTOR.RUN.SUCCEEDED'],
      });
      const { id } = await runActor(server, actorId);
      const [got] = await receiver.wait('/headers');
      const dispatch = (await call(`/webhooks/${webhook}/dispatches`)).json['data'].items[0].id as string;
      const sent = got!.headers;
      assert.deepEqual(
        [sent['authorization'], sent['x-run'], sent['x-none']],
        [`Bearer ${id}`, id, undefined],
      );
      assert.equal(sent.host, new URL(receiver.url).host);
      assert.equal(sent['content-type'], 'application/json');
      for (const prefix of ['x-apify', 'x-platform']) {
        assert.equal(sent[`${prefix}-webhook`], 'true');
        assert.equal(sent[`${prefix}-webhook-dispatch-id`], dispatch);
        assert.equal(sent[`${prefix}-request-origin`], 'WEBHOOK');
      }
    });

    test('A25 a payload that is too large is not sent, and the dispatch says so', async () => {
      const payloadTemplate = `[${Array.from({ length: 2000 }, () => '{{resource}}').join(',')}]`;
      const webhook = await create('/huge', { payloadTemplate, eventTypes: ['ACTOR.RUN.SUCCEEDED'] });
      await runActor(server, actorId);
      await eventually(
        async () => (await call(`/webhooks/${webhook}`)).json['data'].lastDispatch?.status === 'FAILED',
        'the failed dispatch',
      );
      const [dispatch] = (await call(`/webhooks/${webhook}/dispatches`)).json['data'].items;
      assert.equal(dispatch.calls.length, 1);
      assert.match(dispatch.calls[0].errorMessage, /more than 2,097,152 characters/);
      assert.deepEqual(receiver.at('/huge'), []);
    });
  });

  describe('ad-hoc', () => {
    const encode = (webhooks: unknown) =>
      encodeURIComponent(Buffer.from(JSON.stringify(webhooks)).toString('base64'));

    test('A25 webhooks of one run come along with its start, on every way to start one', async () => {
      const task = (await post('/actor-tasks', { actId: actorId })).json['data'];
      const paths = [
        `/actors/${actorId}/runs`,
        `/actors/${actorId}/run-sync`,
        `/actors/${actorId}/run-sync-get-dataset-items`,
        `/actor-tasks/${task.id}/runs`,
        `/actor-tasks/${task.id}/run-sync`,
        `/actor-tasks/${task.id}/run-sync-get-dataset-items`,
      ];
      for (const [index, path] of paths.entries()) {
        const at = `/ad-hoc-${index}`;
        const webhooks = [
          { eventTypes: ['ACTOR.RUN.CREATED'], requestUrl: receiver.url + at },
          {
            eventTypes: ['ACTOR.RUN.SUCCEEDED'],
            requestUrl: receiver.url + at,
            payloadTemplate: '{"run": {{resource.id}}}',
          },
        ];
        const answer = await post(`${path}?webhooks=${encode(webhooks)}`, {});
        assert.equal(answer.status, 201, answer.text);
        const got = await receiver.wait(at, 2);
        const runId = got.find(({ json }) => json['eventData'])!.json['eventData'].actorRunId as string;
        assert.ok(got.some(({ json }) => json['run'] === runId));
        const recent = (await call('/webhook-dispatches?desc=1&limit=100')).json['data'].items as Json[];
        const dispatches = recent.filter(({ webhook }) => webhook.condition.actorRunId === runId);
        assert.equal(dispatches.length, 2);
        for (const { webhook, webhookId } of dispatches) {
          assert.equal(webhook.isAdHoc, true);
          const shown = (await call(`/webhooks/${webhookId}`)).json['data'];
          assert.deepEqual([shown.isAdHoc, shown.condition.actorRunId], [true, runId]);
        }
        const listed = (await call('/webhooks?desc=1')).json['data'].items as Json[];
        const ofRun = listed.filter(({ condition }) => condition.actorRunId === runId);
        assert.deepEqual(
          ofRun.map(({ id, isAdHoc }) => `${id} ${isAdHoc}`).toSorted(),
          dispatches.map(({ webhookId }) => `${webhookId} true`).toSorted(),
        );
        for (const { id } of ofRun) {
          const own = (await call(`/webhooks/${id}/dispatches`)).json['data'];
          assert.deepEqual([own.total, own.items[0].webhookId, own.items[0].webhook.isAdHoc], [1, id, true]);
        }
        // They listen to the run, and not to its Actor or task.
        for (const list of [`/actors/${actorId}/webhooks`, `/actor-tasks/${task.id}/webhooks`]) {
          const { items } = (await call(list)).json['data'] as { items: Json[] };
          assert.ok(items.every(({ isAdHoc }) => isAdHoc === false));
        }
        await finishedRun(server, runId);
        await call(`/actor-runs/${runId}`, { method: 'DELETE' });
        for (const { webhookId } of dispatches)
          assert.equal((await call(`/webhooks/${webhookId}`)).status, 404);
        const { items } = (await call('/webhooks?desc=1')).json['data'] as { items: Json[] };
        assert.ok(items.every(({ condition }) => condition.actorRunId !== runId));
      }
    });

    for (const [what, parameter] of Object.entries({
      'no base64': '%7Bnot%7D',
      'no JSON': Buffer.from('[{').toString('base64'),
      'no array': encode({ eventTypes: ['TEST'] }),
      'no URL': encode([{ eventTypes: ['TEST'] }]),
      'a wrong event': encode([{ eventTypes: ['X'], requestUrl: 'https://a.test' }]),
      'a URL that is none': encode([{ eventTypes: ['TEST'], requestUrl: 'a' }]),
      'a broken template': encode([
        { eventTypes: ['TEST'], requestUrl: 'https://a.test', payloadTemplate: '{' },
      ]),
      'too many': encode(
        Array.from({ length: 21 }, () => ({ eventTypes: ['TEST'], requestUrl: 'https://a.test' })),
      ),
    })) {
      test(`A28 ${what} starts no run`, async () => {
        const { total } = (await call('/actor-runs')).json['data'];
        const answer = await post(`/actors/${actorId}/runs?webhooks=${parameter}`, {});
        assert.deepEqual([answer.status, answer.json['error'].type], [400, 'schema-validation'], answer.text);
        assert.equal((await call('/actor-runs')).json['data'].total, total);
      });
    }

    test('A28 a token that may not create webhooks brings none along', async () => {
      const inlinePolicy = [
        { effect: 'allow' as const, actions: ['*'], resources: ['*'] },
        { effect: 'deny' as const, actions: ['createWebhook'], resources: ['*'] },
      ];
      const { value: token } = await giveToken(server, { id: userId } as never, { inlinePolicy });
      const webhooks = encode([{ eventTypes: ['TEST'], requestUrl: 'https://a.test' }]);
      const answer = await post(`/actors/${actorId}/runs?webhooks=${webhooks}`, {}, { token });
      assert.deepEqual([answer.status, answer.json['error'].type], [403, 'insufficient-permissions']);
    });

    test('A25 a program adds webhooks to its own run, and to no other', async () => {
      const adding = await createActor(
        server,
        script(`
          const add = (condition, more = {}) => api('/webhooks', { method: 'POST', body: {
            isAdHoc: condition.actorRunId !== undefined, condition, eventTypes: ['ACTOR.RUN.SUCCEEDED'],
            requestUrl: '${receiver.url}/added', ...more } });
          const key = 'key-of-' + env.ACTOR_RUN_ID;
          const first = await add({ actorRunId: env.ACTOR_RUN_ID }, { idempotencyKey: key });
          const again = await add({ actorRunId: env.ACTOR_RUN_ID }, { idempotencyKey: key });
          const { other, taken } = await getInput();
          await setValue('OUTPUT', {
            ids: [first.json.data?.id, again.json.data?.id],
            shown: (await api('/webhooks/' + first.json.data?.id)).status,
            removed: (await api('/webhooks/' + first.json.data?.id, { method: 'DELETE' })).status,
            listed: (await api('/webhooks')).status,
            actor: (await add({ actorId: env.ACTOR_ID })).status,
            other: (await add({ actorRunId: other })).status,
            taken: (await add({ actorRunId: env.ACTOR_RUN_ID }, { idempotencyKey: taken })).status,
          });
        `),
      );
      const taken = 'a-key-that-is-taken-1';
      await create('/elsewhere', { idempotencyKey: taken });
      const { id: other } = await runActor(server, actorId);
      const { id } = await startRun(server, adding['id'] as string, { input: { other, taken } });
      const run = await finishedRun(server, id as string);
      assert.equal(run['status'], 'SUCCEEDED');
      const output = await call(`/key-value-stores/${run['defaultKeyValueStoreId']}/records/OUTPUT`);
      const { ids, ...statuses } = output.json;
      assert.equal(ids[0], ids[1]);
      assert.ok(ids[0]);
      assert.deepEqual(statuses, {
        shown: 200,
        removed: 404,
        listed: 403,
        actor: 403,
        other: 403,
        taken: 403,
      });
      const [got] = await receiver.wait('/added');
      assert.equal(got!.json['eventData'].actorRunId, id);
    });
  });
});
