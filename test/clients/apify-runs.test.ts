// Runs, builds and logs through the real `apify-client`: every method of its run, build and log clients, on real processes.
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { Log, Logger } from 'apify';
import { ApifyApiError, ApifyClient, type ActorRun, type RunClient } from 'apify-client';
import { newId } from '../../src/kernel/id.ts';
import { findRun, insertRun } from '../../src/actors/runs/store.ts';
import { createActor } from '../actors.ts';
import { OBEDIENT, script } from '../actor-sources.ts';
import { eventually } from '../eventually.ts';
import { giveToken, join } from '../people.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

let server: TestServer;
let client: ApifyClient;
before(async () => {
  server = await startServer({ limits: 'off' });
  client = clientWith(ADMIN_TOKEN);
  await createActor(server, OBEDIENT, { name: 'obedient' });
});
after(() => server.stop());

function clientWith(token: string): ApifyClient {
  return new ApifyClient({ baseUrl: server.url, publicBaseUrl: server.url, token, maxRetries: 0 });
}

const obedient = () => client.actor('admin/obedient');
const FOREVER = { sleep: 600_000 };

/** The client takes an empty log for none. */
async function logOf(run: RunClient): Promise<string> {
  return (await run.log().get()) ?? '';
}

/** Fields that its types do not know. */
function statsOf({ stats }: ActorRun): { rebootCount: number } {
  return stats as unknown as { rebootCount: number };
}

async function hasStatus(run: RunClient, status: ActorRun['status']): Promise<void> {
  await eventually(async () => (await run.get())?.status === status, `the status ${status}`);
}

/** A run whose process is there. */
async function startedRun(input: object = {}): Promise<RunClient> {
  const { id } = await obedient().start({ ...FOREVER, log: 'ready', ...input });
  const run = client.run(id);
  await eventually(async () => (await logOf(run)).includes('ready'), 'the first line');
  return run;
}

async function endRun(run: RunClient): Promise<void> {
  await run.abort();
  await run.waitForFinish();
}

const hasError = (statusCode: number, type: string) => (error: unknown) => {
  assert.ok(error instanceof ApifyApiError, String(error));
  assert.deepEqual([error.statusCode, error.type], [statusCode, type]);
  return true;
};

/** A log that keeps what it gets. */
class KeptLog extends Logger {
  readonly lines: string[] = [];
  override _log(_level: number, message: string): void {
    this.lines.push(message);
  }
}

function keptLog(): { log: Log; lines: string[] } {
  const logger = new KeptLog({});
  return { log: new Log({ logger }), lines: logger.lines };
}

describe('starting', () => {
  test('start answers at once, with the options that were given and dates as dates', async () => {
    const run = await obedient().start(FOREVER, {
      build: '0.1.1',
      memory: 256,
      timeout: 300,
      maxItems: 10,
      maxTotalChargeUsd: 1.5,
      restartOnError: true,
      forcePermissionLevel: 'LIMITED_PERMISSIONS',
    });
    assert.equal(run.status, 'READY');
    assert.ok(run.startedAt instanceof Date);
    assert.equal(run.actId, (await obedient().get())!.id);
    assert.equal(run.buildNumber, '0.1.1');
    const { options } = (await client.run(run.id).get())!;
    assert.deepEqual(
      [options.build, options.memoryMbytes, options.timeoutSecs, options.maxItems, options.maxTotalChargeUsd],
      ['0.1.1', 256, 300, 10, 1.5],
    );
    assert.equal(options.restartOnError, true);
    await endRun(client.run(run.id));
  });

  test('start with waitForFinish answers when the run has finished', async () => {
    const run = await obedient().start({ output: 'done' }, { waitForFinish: 60 });
    assert.equal(run.status, 'SUCCEEDED');
    assert.ok(run.finishedAt instanceof Date);
  });

  test('an input of any content type is stored as it was sent', async () => {
    const { id } = await obedient().start(Buffer.from([1, 2, 3, 255]), {
      contentType: 'application/octet-stream',
    });
    const record = await client.run(id).keyValueStore().getRecord('INPUT', { buffer: true });
    assert.deepEqual([record!.contentType, [...record!.value]], ['application/octet-stream', [1, 2, 3, 255]]);
    await endRun(client.run(id));
  });

  test('a function in the input arrives as its text', async () => {
    const { id } = await obedient().start({ pageFunction: () => 1 });
    const record = await client.run(id).keyValueStore().getRecord('INPUT');
    assert.deepEqual(record!.value, { pageFunction: '() => 1' });
    await endRun(client.run(id));
  });

  test('call waits for the end, and redirects every line of the log once', async () => {
    const lines = Array.from({ length: 100 }, (_, n) => `line ${n} of many`);
    const { log, lines: kept } = keptLog();
    const run = await obedient().call({ log: lines.join('\n'), push: [{ n: 1 }] }, { log });
    assert.equal(run.status, 'SUCCEEDED');
    assert.deepEqual((await client.dataset(run.defaultDatasetId).listItems()).items, [{ n: 1 }]);
    assert.deepEqual(
      kept.flatMap((line) => /line \d+ of many/.exec(line) ?? []),
      lines,
    );
    for (const line of kept) assert.match(line, /^\d{4}-\d\d-\d\dT[\d:.]+Z /);
  });

  test('call gives up waiting after waitSecs, and the run goes on', async () => {
    const run = await obedient().call(FOREVER, { waitSecs: 0, log: null });
    assert.ok(['READY', 'RUNNING'].includes(run.status));
    await endRun(client.run(run.id));
  });

  test('an error names the type and the message', async () => {
    await assert.rejects(obedient().start({}, { build: 'nonsense' }), hasError(400, 'unknown-build-tag'));
    await assert.rejects(client.actor('admin/nothing').start(), hasError(404, 'record-not-found'));
  });
});

describe('a run', () => {
  test('get is undefined for a run that is not there, or of another account', async () => {
    const run = await startedRun();
    const { value } = await giveToken(server, await join(server, 'nosy', { role: 'writer' }), {
      role: 'writer',
    });
    assert.equal(await client.run('nothing').get(), undefined);
    assert.equal(await clientWith(value).run(run.id!).get(), undefined);
    assert.equal(await clientWith(value).run(run.id!).log().get(), undefined);
    await endRun(run);
  });

  test('abort ends it at once', async () => {
    const run = await startedRun();
    assert.equal((await run.abort()).status, 'ABORTING');
    const ended = await run.waitForFinish();
    assert.equal(ended.status, 'ABORTED');
    assert.equal((await run.abort()).status, 'ABORTED');
  });

  test('abort gracefully tells it, and it ends by itself', async () => {
    await createActor(
      server,
      script(`const events = new WebSocket(env.ACTOR_EVENTS_WEBSOCKET_URL);
      const seen = [];
      events.onopen = () => console.log('connected');
      events.onmessage = async ({ data }) => {
        const { name, data: detail } = JSON.parse(data);
        if (name === 'systemInfo') return;
        seen.push([name, detail]);
        if (name !== 'persistState') return;
        await setValue('SEEN', seen);
        process.exit(0);
      };`),
      { name: 'polite' },
    );
    const { id } = await client.actor('admin/polite').start();
    const run = client.run(id);
    await eventually(async () => (await logOf(run)).includes('connected'));
    assert.equal((await run.abort({ gracefully: true })).status, 'ABORTING');
    assert.equal((await run.waitForFinish()).status, 'ABORTED');
    const seen = await run.keyValueStore().getRecord('SEEN');
    assert.deepEqual(seen!.value, [
      ['aborting', {}],
      ['persistState', { isMigrating: false }],
    ]);
  });

  test('waitForFinish gives up after waitSecs', async () => {
    const run = await startedRun();
    assert.equal((await run.waitForFinish({ waitSecs: 0 })).status, 'RUNNING');
    assert.equal((await run.get({ waitForFinish: 0 }))!.status, 'RUNNING');
    await endRun(run);
  });

  test('delete removes it with its storages and its log, once it has finished', async () => {
    const run = await startedRun();
    await assert.rejects(run.delete(), hasError(400, 'cannot-remove-running-run'));
    await endRun(run);
    const { defaultDatasetId } = (await run.get())!;
    await run.delete();
    assert.equal(await run.get(), undefined);
    assert.equal(await client.dataset(defaultDatasetId).get(), undefined);
    assert.equal(await run.log().get(), undefined);
    // As a second time.
    await run.delete();
  });

  test('metamorph hands it to another Actor, with an input of its own', async () => {
    const reader = await createActor(
      server,
      script(`console.log(env.ACTOR_INPUT_KEY, (await api(record(env.ACTOR_INPUT_KEY))).text);`),
      { name: 'reader' },
    );
    const run = await startedRun({ push: { by: 'obedient' } });
    await eventually(async () => (await run.dataset().listItems()).total === 1);
    const moved = await run.metamorph('admin/reader', 'a plain text', {
      contentType: 'text/plain',
      build: 'latest',
    });
    assert.deepEqual([moved.id, moved.actId], [run.id, reader['id']]);
    assert.equal((await run.waitForFinish()).status, 'SUCCEEDED');
    assert.match(await logOf(run), /INPUT-METAMORPH-1 a plain text/);
    assert.deepEqual((await run.dataset().listItems()).items, [{ by: 'obedient' }]);
  });

  test('reboot starts its process anew', async () => {
    const run = await startedRun();
    assert.equal((await run.reboot()).id, run.id);
    await eventually(async () => ((await logOf(run)).match(/ready/g) ?? []).length === 2);
    assert.equal(statsOf((await run.get())!).rebootCount, 1);
    await endRun(run);
    await assert.rejects(run.reboot(), hasError(403, 'job-finished'));
  });

  test('update changes the status message and the access', async () => {
    const run = await startedRun();
    const updated = await run.update({
      statusMessage: 'Almost there',
      isStatusMessageTerminal: true,
      generalAccess: 'ANYONE_WITH_ID_CAN_READ',
    });
    assert.deepEqual(
      [updated.statusMessage, updated.generalAccess],
      ['Almost there', 'ANYONE_WITH_ID_CAN_READ'],
    );
    await endRun(run);
    assert.equal((await run.get())!.statusMessage, 'Almost there');
  });

  test('resurrect lets a finished run go on, with other options', async () => {
    const { id } = await obedient().call({ exit: 1, push: { n: 1 } }, { log: null });
    const run = client.run(id);
    const options = { memory: 512, timeout: 200, maxItems: 5, restartOnError: false, build: '0.1.1' };
    const revived = await run.resurrect({ ...options, maxTotalChargeUsd: 2 });
    assert.equal(revived.finishedAt ?? undefined, undefined);
    const ended = await run.waitForFinish();
    assert.deepEqual([ended.status, ended.exitCode], ['FAILED', 1]);
    assert.deepEqual([ended.options.memoryMbytes, ended.options.timeoutSecs], [512, 200]);
    assert.equal(ended.stats.resurrectCount, 1);
    assert.equal((await run.dataset().listItems()).total, 2);
  });

  test('charge counts events', async () => {
    const pricing = {
      pricingModel: 'PAY_PER_EVENT',
      pricingPerEvent: { actorChargeEvents: { page: { eventTitle: 'Page', eventPriceUsd: 0.01 } } },
    };
    await obedient().update({ pricingInfos: [pricing] } as never);
    const run = await startedRun();
    await obedient().update({ pricingInfos: [] } as never);
    const { status } = await run.charge({ eventName: 'page' });
    assert.equal(status, 201);
    await run.charge({ eventName: 'page', count: 3, idempotencyKey: 'once' });
    await run.charge({ eventName: 'page', count: 3, idempotencyKey: 'once' });
    assert.deepEqual((await run.get())!.chargedEventCounts, { page: 4 });
    await endRun(run);
  });

  test('its storages are reached through it', async () => {
    const run = await startedRun();
    await run.dataset().pushItems([{ n: 1 }, { n: 2 }]);
    await run.keyValueStore().setRecord({ key: 'note', value: { a: 1 } });
    const { requestId } = await run
      .requestQueue()
      .addRequest({ url: 'https://example.com', uniqueKey: 'https://example.com' });
    const record = (await run.get())!;
    assert.equal((await client.dataset(record.defaultDatasetId).listItems()).total, 2);
    assert.equal((await run.dataset().get())!.id, record.defaultDatasetId);
    const note = await client.keyValueStore(record.defaultKeyValueStoreId).getRecord('note');
    assert.deepEqual(note!.value, { a: 1 });
    assert.deepEqual(
      (await run.keyValueStore().listKeys()).items.map(({ key }) => key),
      ['INPUT', 'note'],
    );
    assert.equal(
      (await client.requestQueue(record.defaultRequestQueueId).getRequest(requestId))!.url,
      'https://example.com',
    );
    assert.equal((await run.requestQueue().listHead()).items.length, 1);
    await endRun(run);
  });
});

describe('logs', () => {
  const colored = '\u001B[32mgreen\u001B[39m';

  test('get answers with the text so far, without colors unless it is raw', async () => {
    const run = await startedRun({ log: `ready ${colored}` });
    assert.match(await logOf(run), /^\S+Z ready green$/m);
    assert.ok((await client.log(run.id!).get({ raw: true }))!.includes(`ready ${colored}\n`));
    await endRun(run);
  });

  test('get is a text for a run that prints nothing', async () => {
    const { id } = await obedient().call({}, { log: null });
    // The client, and programs that use it, take an empty body for no log.
    assert.match((await client.log(id).get())!, /Z ACTOR: Starting build 0\.1\.1\.\n$/);
  });

  test('stream stays open until the run ends, and has everything', async () => {
    const run = await startedRun();
    const all = text((await run.log().stream()) as Readable);
    const raw = text((await client.log(run.id!).stream({ raw: true })) as Readable);
    await endRun(run);
    assert.equal(await all, await run.log().get());
    assert.equal(await raw, await run.log().get({ raw: true }));
  });

  test('getStreamedLog redirects from the start, or only what comes from now on', async () => {
    const run = await startedRun();
    const [old, fresh] = [keptLog(), keptLog()];
    const streams = [
      await run.getStreamedLog({ toLog: old.log }),
      await run.getStreamedLog({ toLog: fresh.log, fromStart: false }),
    ];
    assert.equal(await run.getStreamedLog({ toLog: null }), undefined);
    for (const stream of streams) stream!.start();
    await eventually(() => old.lines.some((line) => line.endsWith('ready')));
    await run.reboot();
    const count = (lines: string[]) => lines.filter((line) => line.endsWith('ready')).length;
    // A stream that is stopped reads no further.
    await eventually(() => count(old.lines) >= 2 && count(fresh.lines) >= 1, 'the second start');
    await endRun(run);
    for (const stream of streams) await stream!.stop();
    assert.deepEqual([count(old.lines), count(fresh.lines)], [2, 1]);
  });

  test('the default redirection names the Actor and the run', async (t) => {
    const run = await startedRun();
    await endRun(run);
    const print = t.mock.method(console, 'log', () => {});
    const stream = await run.getStreamedLog();
    const printed = () => String(print.mock.calls.map(({ arguments: [line] }) => String(line)));
    stream!.start();
    // The log may come in several pieces, and a stream that is stopped reads no further.
    await eventually(() => printed().includes('ready'), 'the whole log');
    await stream!.stop();
    print.mock.restore();
    assert.match(printed(), new RegExp(`obedient runId:${run.id} -> .*ready`));
  });
});

describe('the last run', () => {
  test('is found by status and origin, with its log and storages', async () => {
    const { id: failed } = await obedient().call({ exit: 1 }, { log: null });
    const { id: good } = await obedient().call(
      { push: { n: 7 }, output: { a: 1 }, log: 'last' },
      { log: null },
    );
    const last = obedient().lastRun();
    assert.equal((await last.get())!.id, good);
    assert.equal((await obedient().lastRun({ status: 'FAILED' }).get())!.id, failed);
    assert.equal((await obedient().lastRun({ origin: 'API' }).get())!.id, good);
    assert.equal(await obedient().lastRun({ origin: 'SCHEDULER' }).get(), undefined);
    assert.deepEqual((await last.dataset().listItems()).items, [{ n: 7 }]);
    assert.deepEqual((await last.keyValueStore().getRecord('OUTPUT'))!.value, { a: 1 });
    assert.equal((await last.requestQueue().get())!.totalRequestCount, 0);
    assert.match((await last.log().get())!, /last$/m);
    assert.match(await text((await last.log().stream()) as Readable), /last$/m);
    assert.equal((await last.waitForFinish()).id, good);
    const none = obedient().lastRun({ origin: 'WEBHOOK' }).dataset();
    assert.equal(await none.get(), undefined);
  });

  test('is aborted, rebooted and resurrected as any other', async () => {
    const run = await startedRun();
    const last = obedient().lastRun({ status: 'RUNNING' });
    assert.equal((await last.reboot()).id, run.id);
    await eventually(async () => statsOf((await run.get())!).rebootCount === 1);
    await hasStatus(run, 'RUNNING');
    assert.equal((await last.abort()).id, run.id);
    await run.waitForFinish();
    assert.equal((await obedient().lastRun({ status: 'ABORTED' }).resurrect()).id, run.id);
    await endRun(run);
  });
});

describe('lists', () => {
  test('runs are filtered by status and time, and paged', async () => {
    const actor = (await createActor(server, OBEDIENT, { name: 'listed' }))['id'] as string;
    const ids: string[] = [];
    for (const exit of [0, 1, 0]) {
      const { id } = await client.actor(actor).call({ exit }, { log: null });
      ids.push(id);
    }
    const listed = async (options: Parameters<ReturnType<ApifyClient['runs']>['list']>[0]) =>
      (await client.actor(actor).runs().list(options)).items.map(({ id }) => id);
    assert.deepEqual(await listed({}), ids);
    assert.deepEqual(await listed({ desc: true }), ids.toReversed());
    assert.deepEqual(await listed({ limit: 1, offset: 1 }), [ids[1]]);
    assert.deepEqual(await listed({ status: 'FAILED' }), [ids[1]]);
    assert.deepEqual(await listed({ status: ['SUCCEEDED', 'TIMED-OUT'] }), [ids[0], ids[2]]);
    const { startedAt } = (await client.run(ids[1]!).get())!;
    assert.deepEqual(await listed({ startedAfter: startedAt }), [ids[1], ids[2]]);
    assert.deepEqual(await listed({ startedBefore: startedAt.toISOString() }), [ids[0], ids[1]]);
    const page = await client.runs().list({ limit: 2, desc: true });
    assert.deepEqual([page.count, page.limit, page.offset, page.desc], [2, 2, 0, true]);
    assert.ok(page.total >= 3 && page.items[0]!.startedAt instanceof Date);
  });

  test('iterating fetches further pages', async () => {
    const { db } = server.app.kernel;
    const actor = (await createActor(server, OBEDIENT, { name: 'often-run' }))['id'] as string;
    const { id } = await client.actor(actor).call({}, { log: null });
    const sample = (await findRun(db, id))!;
    await db.transaction().execute(async (tx) => {
      for (let n = 0; n < 1200; n += 1)
        await insertRun(tx, { ...sample, id: newId(sample.startedAt + n), startedAt: sample.startedAt + n });
    });
    const seen = new Set<string>();
    for await (const run of client.actor(actor).runs().list({ desc: true })) seen.add(run.id);
    assert.equal(seen.size, 1201);
    let some = 0;
    for await (const run of client.actor(actor).runs().list({ limit: 1100, offset: 50 }))
      some += Number(seen.has(run.id));
    assert.equal(some, 1100);
  });
});

describe('builds', () => {
  test('build, wait, read, tag, list, delete', async () => {
    const actor = client.actor((await createActor(server, OBEDIENT, { name: 'built' }))['id'] as string);
    const started = await actor.build('0.1', { tag: 'beta', useCache: true, betaPackages: false });
    const build = client.build(started.id);
    const ended = await build.waitForFinish();
    assert.deepEqual([ended.status, ended.buildNumber], ['SUCCEEDED', '0.1.2']);
    assert.ok(ended.finishedAt instanceof Date);
    assert.equal((await build.get({ waitForFinish: 1 }))!.id, started.id);
    assert.match((await build.log().get())!, /ACTOR: Build finished/);
    assert.equal(await text((await build.log().stream()) as Readable), await client.log(started.id).get());
    const openapi = (await build.getOpenApiDefinition()) as unknown as { openapi: string };
    assert.match(openapi.openapi, /^3\./);
    assert.equal((await actor.get())!.taggedBuilds!['beta']!.buildId, started.id);
    const first = await actor.defaultBuild();
    assert.equal((await first.get())!.buildNumber, '0.1.1');
    const { items, total } = await actor.builds().list({ desc: true, limit: 1 });
    assert.deepEqual([items[0]!.id, total], [started.id, 2]);
    const numbers: string[] = [];
    for await (const { id } of actor.builds().list())
      numbers.push((await client.build(id).get())!.buildNumber);
    assert.deepEqual(numbers, ['0.1.1', '0.1.2']);
    assert.ok((await client.builds().list({ limit: 1000 })).items.some(({ id }) => id === started.id));
    assert.equal((await build.abort()).status, 'SUCCEEDED');
    await assert.rejects((await actor.defaultBuild()).delete(), hasError(400, 'deleting-default-build'));
    await build.delete();
    assert.equal(await build.get(), undefined);
    await assert.rejects(actor.build('7.7'), hasError(404, 'record-not-found'));
  });

  test('validateInput tells whether an input is right', async () => {
    const schema = {
      title: 'Input',
      type: 'object',
      schemaVersion: 1,
      properties: { n: { title: 'N', type: 'integer', description: 'A number', editor: 'number' } },
      required: ['n'],
    };
    const files = { ...OBEDIENT, '.actor/input_schema.json': JSON.stringify(schema) };
    const actor = client.actor((await createActor(server, files))['id'] as string);
    assert.equal(await actor.validateInput({ n: 1 }), true);
    await assert.rejects(actor.validateInput({ n: 'one' }), hasError(400, 'invalid-input'));
    await assert.rejects(actor.start({}), hasError(400, 'invalid-input'));
  });
});
