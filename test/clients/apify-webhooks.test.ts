// The platform's own client on webhooks: every method of its webhook and dispatch clients, and ad-hoc webhooks of calls.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ApifyClient } from 'apify-client';
import { createActor } from '../actors.ts';
import { OBEDIENT } from '../actor-sources.ts';
import { eventually } from '../eventually.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';
import { openReceiver, type WebhookReceiver } from '../webhook-receiver.ts';

describe('apify-client', () => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  let client: ApifyClient;
  let actorId: string;
  before(async () => {
    receiver = await openReceiver();
    server = await startServer({ limits: 'off', allowPrivateWebhooks: true });
    client = new ApifyClient({ baseUrl: server.url, token: ADMIN_TOKEN, maxRetries: 0 });
    actorId = (await createActor(server, OBEDIENT))['id'] as string;
  });
  after(async () => {
    await server.stop();
    await receiver.close();
  });

  test('creates, gets, changes, lists and deletes a webhook', async () => {
    const created = await client.webhooks().create({
      eventTypes: ['ACTOR.RUN.SUCCEEDED', 'ACTOR.RUN.FAILED'],
      condition: { actorId },
      requestUrl: `${receiver.url}/client`,
      idempotencyKey: 'a-key-of-the-client',
      description: 'from the client',
    });
    assert.ok(created.createdAt instanceof Date);
    assert.deepEqual([created.isAdHoc, created.stats.totalDispatches], [false, 0]);
    const again = await client.webhooks().create({
      eventTypes: ['TEST'],
      condition: { actorId },
      requestUrl: `${receiver.url}/other`,
      idempotencyKey: 'a-key-of-the-client',
    });
    assert.equal(again.id, created.id);
    const webhook = client.webhook(created.id);
    assert.deepEqual(await webhook.get(), created);
    const changed = await webhook.update({ description: 'changed', shouldInterpolateStrings: true });
    assert.deepEqual(
      [changed.description, changed.shouldInterpolateStrings, changed.requestUrl],
      ['changed', true, created.requestUrl],
    );
    for (const list of [client.webhooks(), client.actor(actorId).webhooks()]) {
      const page = await list.list({ desc: true, limit: 1 });
      assert.deepEqual([page.items[0]?.id, page.count, page.limit, page.desc], [created.id, 1, 1, true]);
      const ids: string[] = [];
      for await (const { id } of list.list()) ids.push(id);
      assert.equal(ids.length, page.total);
    }
    await webhook.delete();
    assert.equal(await webhook.get(), undefined);
    await webhook.delete();
  });

  test('lists the webhooks of a task', async () => {
    const task = await client.tasks().create({ actId: actorId, name: 'with-webhooks' });
    const { id } = await client.webhooks().create({
      eventTypes: ['ACTOR.RUN.CREATED'],
      condition: { actorTaskId: task.id },
      requestUrl: `${receiver.url}/task`,
    });
    const { items } = await client.task(task.id).webhooks().list();
    assert.deepEqual(
      items.map((webhook) => webhook.id),
      [id],
    );
  });

  test('tests a webhook, and follows its dispatches', async () => {
    const { id } = await client.webhooks().create({
      eventTypes: ['ACTOR.RUN.SUCCEEDED'],
      condition: { actorId },
      requestUrl: `${receiver.url}/dispatched`,
    });
    const sent = await client.webhook(id).test();
    assert.deepEqual([sent?.eventType, sent?.webhookId], ['TEST', id]);
    await receiver.wait('/dispatched');
    await eventually(
      async () => String((await client.webhookDispatch(sent!.id).get())?.status) === 'SUCCEEDED',
    );
    const dispatch = (await client.webhookDispatch(sent!.id).get())!;
    assert.ok(dispatch.createdAt instanceof Date);
    assert.ok(dispatch.calls[0]!.startedAt instanceof Date);
    assert.deepEqual([dispatch.calls[0]!.responseStatus, dispatch.calls[0]!.errorMessage], [200, null]);
    assert.equal(dispatch.webhook.requestUrl, `${receiver.url}/dispatched`);
    await client.actor(actorId).call(undefined, { memory: 128 });
    const payloads = await receiver.wait('/dispatched', 2);
    assert.equal(payloads[1]!.json['eventType'], 'ACTOR.RUN.SUCCEEDED');
    for (const list of [client.webhook(id).dispatches(), client.webhookDispatches()]) {
      const page = await list.list({ desc: true, limit: 2 });
      assert.deepEqual([page.items[1]?.id, page.count, page.desc], [sent!.id, 2, true]);
      let count = 0;
      for await (const _one of list.list()) count += 1;
      assert.equal(count, page.total);
    }
    assert.equal(await client.webhookDispatch('0'.repeat(24)).get(), undefined);
  });

  test('brings ad-hoc webhooks along with a run', async () => {
    const run = await client.actor(actorId).call(
      {},
      {
        memory: 128,
        webhooks: [
          {
            eventTypes: ['ACTOR.RUN.SUCCEEDED'],
            requestUrl: `${receiver.url}/ad-hoc`,
            payloadTemplate: '{"dataset": {{resource.defaultDatasetId}}}',
          },
        ],
      },
    );
    const [got] = await receiver.wait('/ad-hoc');
    assert.deepEqual(got!.json, { dataset: run.defaultDatasetId });
  });

  test('gets the types of errors', async () => {
    const bad = client.webhooks().create({
      eventTypes: ['ACTOR.RUN.SUCCEEDED'],
      condition: { actorId },
      requestUrl: 'https://a.test',
      payloadTemplate: '{"a": {{unknown}}}',
    });
    await assert.rejects(bad, { name: 'ApifyApiError', statusCode: 400, type: 'schema-validation' });
    const unknown = client.webhook('nothing').update({ description: 'x' });
    await assert.rejects(unknown, { statusCode: 404, type: 'record-not-found' });
  });
});
