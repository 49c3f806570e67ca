// What an Actor written with the `apify` SDK, unmodified, does to its own run and to others from inside a run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { ApifyClient, type ActorRun } from 'apify-client';
import { OBEDIENT } from '../actor-sources.ts';
import { createActor } from '../actors.ts';
import { PATIENCE_MS } from '../eventually.ts';
import { ADMIN_TOKEN, startServer, type Json, type TestServer } from '../server.ts';
import { openReceiver } from '../webhook-receiver.ts';
import { packageFilesFor } from './lockfile.ts';
import { isRegistryReachable } from './registry.ts';

const PACKAGES = packageFilesFor(['apify'], { type: 'module', main: 'main.js' });

/** Does one thing that its input names, and stores what came of it. */
const CONDUCTOR = `
import { Actor } from 'apify';

// By default the SDK exits as soon as it hears of an abort, before what comes of it is stored.
await Actor.init({ gracefulShutdown: false });
const { act, ...input } = await Actor.getInput();
const tell = (value) => Actor.setValue('OUTPUT', value);
const shown = ({ id, status, actId }) => ({ id, status, actId });
const acts = {
  call: async () => tell(shown(await Actor.call('admin/worker', input.input, { memory: 256 }))),
  start: async () => tell(shown(await Actor.start('admin/worker', input.input, { memory: 256 }))),
  async callTask() {
    await tell(shown(await Actor.callTask('admin/worker-task', input.input)));
  },
  async addWebhook() {
    const { id } = await Actor.addWebhook({
      eventTypes: ['ACTOR.RUN.SUCCEEDED'],
      requestUrl: input.input.requestUrl,
      payloadTemplate: '{"status":{{resource.status}},"run":{{eventData.actorRunId}}}',
    });
    await tell({ id });
  },
  metamorph: () => Actor.metamorph('admin/worker', input.input),
  async reboot() {
    const state = await Actor.useState('STATE', { starts: 0 });
    state.starts += 1;
    if (state.starts === 1) await Actor.reboot();
    await tell(state);
  },
  async setStatusMessage() {
    await Actor.setStatusMessage('half way', { level: 'INFO' });
    const { statusMessage } = await Actor.apifyClient.run(Actor.getEnv().actorRunId).get();
    await tell({ statusMessage });
    await Actor.setStatusMessage('all done', { isStatusMessageTerminal: true });
  },
  async publicUrl() {
    const store = await Actor.openKeyValueStore();
    await store.setValue('page', '<p>open to all</p>', { contentType: 'text/html' });
    await tell({ url: store.getPublicUrl('page') });
  },
  async aliases() {
    const categories = await Actor.openDataset({ alias: 'categories' });
    await categories.pushData({ title: 'Books' });
    const images = await Actor.openKeyValueStore({ alias: 'images' });
    await images.setValue('cover', { width: 3 });
    const later = await Actor.openRequestQueue({ alias: 'later' });
    await later.addRequest({ url: 'https://shop.test/' });
    await tell({ datasets: categories.id, keyValueStores: images.id, requestQueues: later.id });
  },
  async pushBeyondBudget() {
    const results = [await Actor.pushData([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]), await Actor.pushData({ n: 5 })];
    await tell(results.map(({ chargedCount, eventChargeLimitReached }) => [chargedCount, eventChargeLimitReached]));
  },
  charge: async () => tell([await Actor.charge({ eventName: 'page', count: 3 }), await Actor.charge({ eventName: 'page' })]),
};
await acts[act]();
await Actor.exit();
`;

const skip =
  (spawnSync('npm', ['--version']).error !== undefined && 'needs npm') ||
  (!(await isRegistryReachable()) && 'needs the npm registry, which cannot be reached');

describe('the SDK inside a run', { skip }, () => {
  let server: TestServer;
  let client: ApifyClient;
  before(async () => {
    server = await startServer({ limits: 'off', nodeMemory: 8192, allowPrivateWebhooks: true });
    client = new ApifyClient({ baseUrl: server.url, token: ADMIN_TOKEN, maxRetries: 0 });
    await createActor(server, OBEDIENT, { name: 'worker' });
    await createActor(server, { ...PACKAGES, 'main.js': CONDUCTOR }, { name: 'conductor' });
  });
  after(() => server.stop());

  /** The run once it has finished, and its output. */
  async function conduct(
    act: string,
    input: Record<string, unknown> = {},
  ): Promise<{ run: ActorRun; output: Json; log: string }> {
    const run = await client
      .actor('admin/conductor')
      .call({ act, input }, { memory: 1024, log: null, waitSecs: PATIENCE_MS / 1000 });
    const log = (await client.log(run.id).get())!;
    assert.equal(run.status, 'SUCCEEDED', log);
    const record = await client.run(run.id).keyValueStore().getRecord('OUTPUT');
    return { run, output: record?.value as Json, log };
  }

  const outputOf = async (id: string) => (await client.run(id).keyValueStore().getRecord('OUTPUT'))!.value;

  test('Actor.call waits for the run of another Actor, with its log and its result', async () => {
    const { output, log } = await conduct('call', { log: 'I was called', output: { sum: 5 } });
    assert.equal(output['status'], 'SUCCEEDED');
    const called = (await client.run(output['id']).get())!;
    assert.deepEqual([called.meta.origin, called.options.memoryMbytes], ['ACTOR', 256]);
    assert.deepEqual(await outputOf(output['id']), { sum: 5 });
    assert.match(log, /I was called/);
  });

  test('Actor.start does not wait', async () => {
    const { output } = await conduct('start', { sleep: 500, output: { later: true } });
    assert.ok(['READY', 'RUNNING'].includes(output['status']), output['status']);
    const finished = await client.run(output['id']).waitForFinish({ waitSecs: PATIENCE_MS / 1000 });
    assert.deepEqual([finished.status, finished.meta.origin], ['SUCCEEDED', 'ACTOR']);
    assert.deepEqual(await outputOf(output['id']), { later: true });
  });

  test('Actor.callTask runs a task with its saved input', async () => {
    const { id: actId } = (await client.actor('admin/worker').get())!;
    const task = await client.tasks().create({
      actId,
      name: 'worker-task',
      input: { output: { from: 'the task' }, log: 'of the task' },
      options: { memoryMbytes: 256 },
    });
    const { output } = await conduct('callTask', { log: 'of the call' });
    assert.equal(output['status'], 'SUCCEEDED');
    const called = (await client.run(output['id']).get())!;
    assert.deepEqual([called.actorTaskId, called.meta.origin], [task.id, 'ACTOR']);
    assert.deepEqual(await outputOf(output['id']), { from: 'the task' });
    assert.match((await client.log(output['id']).get())!, /of the call/);
  });

  test('Actor.metamorph goes on as another Actor, in the same run with the same storages', async () => {
    const { run, output } = await conduct('metamorph', { output: { butterfly: true } });
    const worker = (await client.actor('admin/worker').get())!;
    assert.equal(run.actId, worker.id);
    assert.deepEqual(output, { butterfly: true });
    const { value } = (await client.run(run.id).keyValueStore().getRecord('INPUT-METAMORPH-1'))!;
    assert.deepEqual(value, { output: { butterfly: true } });
  });

  test('Actor.reboot starts the program again, with its state', async () => {
    const { run, output } = await conduct('reboot');
    assert.deepEqual(output, { starts: 2 });
    assert.equal((run.stats as unknown as { rebootCount: number }).rebootCount, 1);
  });

  test('Actor.setStatusMessage shows on the run', async () => {
    const { run, output } = await conduct('setStatusMessage');
    assert.deepEqual(output, { statusMessage: 'half way' });
    const { isStatusMessageTerminal } = run as unknown as { isStatusMessageTerminal: boolean };
    assert.deepEqual([run.statusMessage, isStatusMessageTerminal], ['all done', true]);
  });

  test('the public URL of a record answers without a token', async () => {
    const { output } = await conduct('publicUrl');
    assert.ok(output['url'].startsWith(`${server.url}/v2/key-value-stores/`), output['url']);
    const answer = await fetch(output['url'] as string);
    assert.deepEqual([answer.status, await answer.text()], [200, '<p>open to all</p>']);
  });

  test('Actor.charge counts the events of an Actor that is paid by event', async () => {
    const prices = { page: { eventTitle: 'Page', eventDescription: 'A page', eventPriceUsd: 0.01 } };
    await client.actor('admin/conductor').update({
      pricingInfos: [{ pricingModel: 'PAY_PER_EVENT', pricingPerEvent: { actorChargeEvents: prices } }],
    } as never);
    const { run, output } = await conduct('charge');
    assert.deepEqual(
      output.map(({ chargedCount }: Json) => chargedCount),
      [3, 1],
    );
    assert.deepEqual(run.chargedEventCounts, { page: 4 });
  });

  test('Actor.openDataset and its like open the storages of the run by alias', async () => {
    const storages = {
      datasets: { default: {}, categories: {} },
      keyValueStores: { images: {} },
      requestQueues: { later: {} },
    };
    await createActor(
      server,
      {
        ...PACKAGES,
        'main.js': CONDUCTOR,
        '.actor/actor.json': JSON.stringify({
          actorSpecification: 1,
          name: 'with-aliases',
          version: '0.1',
          storages,
        }),
      },
      { name: 'with-aliases' },
    );
    const run = await client
      .actor('admin/with-aliases')
      .call({ act: 'aliases' }, { memory: 1024, log: null, waitSecs: PATIENCE_MS / 1000 });
    assert.equal(run.status, 'SUCCEEDED', await client.log(run.id).get());
    const { storageIds } = run as unknown as { storageIds: Record<string, Record<string, string>> };
    const { categories } = storageIds['datasets']!;
    const { images } = storageIds['keyValueStores']!;
    const { later } = storageIds['requestQueues']!;
    assert.deepEqual(await outputOf(run.id), {
      datasets: categories,
      keyValueStores: images,
      requestQueues: later,
    });
    assert.deepEqual((await client.dataset(categories!).listItems()).items, [{ title: 'Books' }]);
    assert.deepEqual((await client.keyValueStore(images!).getRecord('cover'))!.value, { width: 3 });
    assert.equal((await client.requestQueue(later!).get())!.totalRequestCount, 1);
  });

  test('Actor.pushData stops at the budget of a run that is paid by item, and the run is aborted', async () => {
    const priceOf = (eventTitle: string, eventPriceUsd: number) => ({
      eventTitle,
      eventDescription: eventTitle,
      eventPriceUsd,
    });
    const prices = {
      'apify-actor-start': priceOf('Start', 0.05),
      'apify-default-dataset-item': priceOf('Item', 0.1),
    };
    await createActor(
      server,
      { ...PACKAGES, 'main.js': CONDUCTOR },
      {
        name: 'paid-by-item',
        fields: {
          pricingInfos: [{ pricingModel: 'PAY_PER_EVENT', pricingPerEvent: { actorChargeEvents: prices } }],
        },
      },
    );
    const run = await client
      .actor('admin/paid-by-item')
      .call(
        { act: 'pushBeyondBudget' },
        { memory: 1024, maxTotalChargeUsd: 0.37, log: null, waitSecs: PATIENCE_MS / 1000 },
      );
    assert.equal(run.status, 'ABORTED', await client.log(run.id).get());
    assert.match(run.statusMessage!, /maximum cost of \$0\.37/);
    assert.deepEqual(run.chargedEventCounts, { 'apify-actor-start': 1, 'apify-default-dataset-item': 3 });
    assert.deepEqual(await outputOf(run.id), [
      [3, true],
      [1, true],
    ]);
    assert.equal((await client.run(run.id).dataset().listItems()).total, 4);
  });

  test('Actor.addWebhook tells a receiver of the end of its own run', async () => {
    const receiver = await openReceiver();
    try {
      const { run, output } = await conduct('addWebhook', {
        requestUrl: `${receiver.url}/end`,
      });
      const [received] = await receiver.wait('/end');
      assert.deepEqual(received!.json, { status: 'SUCCEEDED', run: run.id });
      const dispatches = await client.webhookDispatches().list();
      assert.equal(dispatches.items[0]!.webhookId, output['id']);
    } finally {
      await receiver.close();
    }
  });
});
