// The real `apify-client` on tasks: every method of its clients for tasks, on real processes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApifyApiError, ApifyClient, type Task } from 'apify-client';
import { createActor } from '../actors.ts';
import { OBEDIENT } from '../actor-sources.ts';
import { eventually } from '../eventually.ts';
import { giveToken, join } from '../people.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

let server: TestServer;
let client: ApifyClient;
let actId: string;
before(async () => {
  server = await startServer({ limits: 'off' });
  client = clientWith(ADMIN_TOKEN);
  actId = (await createActor(server, OBEDIENT, { name: 'obedient' }))['id'] as string;
});
after(() => server.stop());

function clientWith(token: string): ApifyClient {
  return new ApifyClient({ baseUrl: server.url, token, maxRetries: 0 });
}

const hasError = (statusCode: number, type: string) => (error: unknown) => {
  assert.ok(error instanceof ApifyApiError, String(error));
  assert.deepEqual([error.statusCode, error.type], [statusCode, type]);
  return true;
};

/** Fields that its types do not know. */
type WholeTask = Task & { removedAt: Date | null; standbyUrl: string };

test('tasks are created, listed, found by id and by name, changed and deleted', async () => {
  const created = (await client.tasks().create({
    actId,
    name: 'first',
    title: 'First',
    description: 'Does something',
    options: { build: 'latest', memoryMbytes: 256, timeoutSecs: 60, restartOnError: false },
    input: { output: 1 },
    actorStandby: { desiredRequestsPerActorRun: 2 },
  })) as WholeTask;
  assert.ok(created.createdAt instanceof Date);
  assert.deepEqual([created.username, created.actId, created.removedAt], ['admin', actId, null]);
  assert.equal(created.options!.memoryMbytes, 256);
  assert.deepEqual(created.input, { output: 1 });
  for (const reference of [created.id, 'admin/first', 'admin~first', '~first']) {
    assert.deepEqual(await client.task(reference).get(), created, reference);
  }
  const second = await client.tasks().create({ actId: 'admin/obedient' });
  assert.equal(second.name, 'obedient-task');

  const { items, total } = await client.tasks().list();
  assert.deepEqual([items.map(({ id }) => id), total], [[created.id, second.id], 2]);
  const newest = await client.tasks().list({ limit: 1, desc: true });
  assert.deepEqual([newest.items[0]!.id, newest.count], [second.id, 1]);
  const iterated: string[] = [];
  for await (const { id } of client.tasks().list({ limit: 10 })) iterated.push(id);
  assert.deepEqual(iterated, [created.id, second.id]);

  const task = client.task('admin/first');
  const changed = await task.update({ title: 'Other', options: { timeoutSecs: 30 } });
  assert.deepEqual([changed.title, changed.name, changed.input], ['Other', 'first', { output: 1 }]);
  assert.deepEqual([changed.options!.timeoutSecs, changed.options!.memoryMbytes], [30, 256]);
  assert.ok(changed.modifiedAt > created.modifiedAt);
  assert.equal((await task.publish()).isPublic, true);
  assert.ok((await task.get())!.publicConfig!.publishedAt instanceof Date);
  assert.equal((await task.unpublish()).isPublic, false);

  await task.delete();
  assert.equal(await client.task(created.id).get(), undefined);
  assert.equal(await client.task(created.id).getInput(), undefined);
  await client.task(created.id).delete();
  await client.task(second.id).delete();
});

test('the input is read and changed field by field', async () => {
  const { id } = await client.tasks().create({ actId, name: 'with-input', input: { log: 'a', exit: 0 } });
  const task = client.task(id);
  assert.deepEqual(await task.getInput(), { log: 'a', exit: 0 });
  assert.deepEqual(await task.updateInput({ log: 'b', more: { deep: [1] } }), {
    log: 'b',
    exit: 0,
    more: { deep: [1] },
  });
  assert.deepEqual(await task.getInput(), { log: 'b', exit: 0, more: { deep: [1] } });
  // From a kilobyte on, the client compresses what it sends.
  const large = 'x'.repeat(5000);
  assert.deepEqual(((await task.updateInput({ large })) as { large: string }).large, large);
  assert.deepEqual((await task.update({ input: { large } })).input, { large });
});

test('start and call run it with what the task has and what they are given', async () => {
  const { id } = await client.tasks().create({
    actId,
    name: 'runs',
    options: { memoryMbytes: 128, timeoutSecs: 100 },
    input: { push: [{ a: 1 }], output: { from: 'saved' } },
  });
  const task = client.task(id);
  const begun = await task.start();
  assert.deepEqual([begun.actorTaskId, begun.options.memoryMbytes], [id, 128]);
  assert.ok(begun.startedAt instanceof Date);
  assert.equal((await client.run(begun.id).waitForFinish()).status, 'SUCCEEDED');

  const called = await task.call(
    { output: { from: 'sent' } },
    { memory: 256, timeout: 50, waitSecs: 60, build: 'latest' },
  );
  assert.deepEqual([called.status, called.options.memoryMbytes], ['SUCCEEDED', 256]);
  assert.equal(called.options.timeoutSecs, 50);
  const output = await client.keyValueStore(called.defaultKeyValueStoreId).getRecord('OUTPUT');
  assert.deepEqual(output!.value, { from: 'sent' });
  const { items } = await client.dataset(called.defaultDatasetId).listItems();
  assert.deepEqual(items, [{ a: 1 }]);

  const options = { maxItems: 5, maxTotalChargeUsd: 1, restartOnError: false, waitForFinish: 60 };
  const waited = await task.start({ exit: 2 }, options);
  assert.deepEqual([waited.status, waited.options.maxItems], ['FAILED', 5]);
  assert.equal((await task.get())!.stats.totalRuns, 3);

  const { items: runs, total } = await task.runs().list({ desc: true });
  assert.deepEqual([runs.map((run) => run.id), total], [[waited.id, called.id, begun.id], 3]);
  assert.deepEqual(
    (await task.runs().list({ status: 'FAILED' })).items.map((run) => run.id),
    [waited.id],
  );
});

test('the last run is reached with its log and storages', async () => {
  const { id } = await client.tasks().create({ actId, name: 'last', input: { log: 'here I am' } });
  const task = client.task(id);
  assert.equal(await task.lastRun().get(), undefined);
  const good = await task.call({ push: [{ n: 1 }, { n: 2 }], output: { done: true } });
  const bad = await task.call({ exit: 1 });
  assert.equal((await task.lastRun().get())!.id, bad.id);
  const last = task.lastRun({ status: 'SUCCEEDED', origin: 'API' });
  assert.equal((await last.get())!.id, good.id);
  assert.deepEqual((await last.dataset().listItems()).items, [{ n: 1 }, { n: 2 }]);
  assert.deepEqual((await last.keyValueStore().getRecord('OUTPUT'))!.value, { done: true });
  const queue = last.requestQueue();
  const { requestId } = await queue.addRequest({ url: 'https://a.test/', uniqueKey: 'a' });
  assert.equal((await queue.getRequest(requestId))!.url, 'https://a.test/');
  assert.deepEqual(
    (await queue.listHead()).items.map(({ id: one }) => one),
    [requestId],
  );
  assert.match((await last.log().get())!, /here I am/);
  assert.equal((await last.waitForFinish()).id, good.id);

  const { id: running } = await task.start({ sleep: 600_000 });
  const now = task.lastRun();
  await eventually(async () => (await now.get())!.status === 'RUNNING', 'the start of the run');
  await now.abort();
  assert.equal((await client.run(running).waitForFinish()).status, 'ABORTED');
});

test('its webhooks are listed, and end with it', async () => {
  const { id } = await client.tasks().create({ actId, name: 'with-webhooks' });
  const task = client.task(id);
  assert.deepEqual((await task.webhooks().list()).items, []);
  const webhook = await client.webhooks().create({
    eventTypes: ['ACTOR.RUN.SUCCEEDED'],
    condition: { actorTaskId: id },
    requestUrl: 'https://a.test/',
  });
  const { items, total } = await task.webhooks().list({ desc: true });
  assert.deepEqual([items.map((item) => item.id), total], [[webhook.id], 1]);
  await task.delete();
  assert.equal(await client.webhook(webhook.id).get(), undefined);
});

test('errors come as the client knows them', async () => {
  const { id } = await client.tasks().create({ actId, name: 'with-errors' });
  await assert.rejects(
    client.tasks().create({ actId, name: 'With-Errors' }),
    hasError(409, 'actor-task-name-not-unique'),
  );
  await assert.rejects(client.tasks().create({ actId: 'nobody/nothing' }), hasError(404, 'record-not-found'));
  await assert.rejects(client.task(id).update({ name: 'a b' }), hasError(400, 'invalid-input'));
  await assert.rejects(
    client.task(id).start([1] as unknown as Record<string, unknown>),
    hasError(403, 'input-json-not-object'),
  );
  await assert.rejects(client.task('nothing').start(), hasError(404, 'record-not-found'));
  await assert.rejects(client.task('nothing').update({ title: 'x' }), hasError(404, 'record-not-found'));
  const member = await join(server, 'other', { role: 'writer' });
  const other = clientWith((await giveToken(server, member, { role: 'writer' })).value);
  assert.equal(await other.task(id).get(), undefined);
  await assert.rejects(other.task(id).start(), hasError(404, 'record-not-found'));
});
