// An Actor written with the `apify` SDK and Crawlee, both unmodified: built with packages of the registry, run, aborted, migrated.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ApifyClient, DownloadItemsFormat } from 'apify-client';
import { findCounts } from '../../src/actors/datasets/store.ts';
import { readLog } from '../../src/actors/logs/stored-log.ts';
import { findQueues } from '../../src/actors/request-queues/store.ts';
import type { Db } from '../../src/kernel/storage/tables.ts';
import { createActor } from '../actors.ts';
import { openEngine } from '../engines.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { rounds } from '../long.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';
import { migratedFile } from '../templates.ts';
import { packageFilesFor } from './lockfile.ts';
import { isRegistryReachable } from './registry.ts';
import { startSite, type Site } from './site.ts';

const PAGES = rounds(100, 500);
/** Of the tests that stop a crawl in between. */
const FEW_PAGES = 30;
const HELD_AFTER = 10;
const LOCK_MS = 10 * 60_000;

const PACKAGES = packageFilesFor(['apify', '@crawlee/cheerio'], { type: 'module', main: 'main.js' });

const CRAWLER = `
import { CheerioCrawler } from '@crawlee/cheerio';
import { Actor } from 'apify';

await Actor.init();
const { startUrl } = await Actor.getInput();
const state = await Actor.useState('STATE', { starts: 0, handled: 0, events: [] });
state.starts += 1;
for (const name of ['aborting', 'migrating', 'persistState']) {
  Actor.on(name, (data) => {
    state.events.push(data?.isMigrating ? name + ' for migration' : name);
    console.log('event', name);
  });
}

const crawler = new CheerioCrawler({
  minConcurrency: 4,
  maxConcurrency: 4,
  async requestHandler({ request, $, enqueueLinks }) {
    await enqueueLinks();
    await Actor.pushData({ url: request.url, title: $('title').text() });
    state.handled += 1;
  },
});
await crawler.run([startUrl]);
await Actor.exit();
`;

interface CrawlState {
  starts: number;
  handled: number;
  events: string[];
}

const skip =
  (spawnSync('npm', ['--version']).error !== undefined && 'needs npm') ||
  (!(await isRegistryReachable()) && 'needs the npm registry, which cannot be reached');

describe('the SDK', { skip }, () => {
  let data: string;
  let server: TestServer;
  let client: ApifyClient;
  const sites: Site[] = [];
  /** Of the clock: a server that goes on must not be behind the one before. */
  let ahead = 0;

  async function start(): Promise<void> {
    server = await startServer({ data, limits: 'off', nodeMemory: 8192 });
    server.clock.ahead = ahead;
    client = new ApifyClient({ baseUrl: server.url, token: ADMIN_TOKEN, maxRetries: 0 });
  }
  before(async () => {
    data = mkdtempSync(join(tmpdir(), 'signalbox-sdk-'));
    writeFileSync(join(data, 'signalbox.db'), await migratedFile());
    await start();
    await createActor(server, { ...PACKAGES, 'main.js': CRAWLER }, { name: 'crawler' });
  });
  after(async () => {
    for (const site of sites) site.close();
    await server.stop();
    for (const folder of [data, `${data}-work`]) rmSync(folder, { recursive: true, force: true });
  });

  async function startCrawl(pages: number, holdAfter?: number): Promise<{ id: string; site: Site }> {
    const site = await startSite(pages, holdAfter === undefined ? {} : { holdAfter });
    sites.push(site);
    const { id } = await client
      .actor('admin/crawler')
      .start({ startUrl: `${site.url}/page/0` }, { memory: 4096 });
    return { id, site };
  }

  /** All pages that the site has answered are in the dataset, and the next ones are under way. */
  async function isHeld(id: string, site: Site): Promise<void> {
    await eventually(
      async () =>
        site.fetched.size > HELD_AFTER &&
        (await client.run(id).requestQueue().get())!.handledRequestCount === HELD_AFTER,
      'the pages before the held ones',
    );
  }

  /** The pages under way are answered when it is told, so that it can finish them. */
  async function isTold(id: string, event: string): Promise<void> {
    const { kernel } = server.app;
    const isLogged = async () => {
      const pieces = await Array.fromAsync(readLog(kernel, id));
      return Buffer.concat(pieces.map(({ content }) => content)).includes(`event ${event}`);
    };
    // A server that has stopped waits for nothing more.
    await eventually(() => isLogged().catch(() => true), `the event ${event}`);
  }

  /**
   * Pages whose items are there and that are not marked as handled, when the process has ended: these alone may be handled
   * again. There are none unless the process was still busy with them when the server's patience ended and it was killed.
   */
  async function countUnderWay(db: Db, id: string): Promise<number> {
    const { dataset_id: datasetId, queue_id: queueId } = await db
      .selectFrom('runs')
      .select(['dataset_id', 'queue_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const { handled } = (await findQueues(db, [queueId])).get(queueId)!;
    const { itemCount } = (await findCounts(db, [datasetId])).get(datasetId)!;
    assert.ok(itemCount >= HELD_AFTER && itemCount >= handled, `${itemCount} items, ${handled} handled`);
    return itemCount - handled;
  }

  /** Every page is there, and none twice but those. */
  function checkPages(urls: readonly string[], underWay: number): void {
    assert.equal(new Set(urls).size, FEW_PAGES);
    const repeated = urls.length - FEW_PAGES;
    assert.ok(repeated <= underWay, `${repeated} pages twice, and ${underWay} were under way`);
  }

  /** Requests that a crawler had in its hands when it ended are locked for a while. */
  function expireLocks(): void {
    ahead += LOCK_MS;
    server.clock.ahead = ahead;
  }

  async function finish(id: string) {
    // A crawl is the work of minutes on a machine that does much else.
    const run = await client.run(id).waitForFinish({ waitSecs: (3 * PATIENCE_MS) / 1000 });
    const log = await client.log(id).get();
    assert.equal(run.status, 'SUCCEEDED', log);
    const { items } = await client.run(id).dataset().listItems();
    const record = await client.run(id).keyValueStore().getRecord('STATE');
    return {
      run,
      log: log!,
      urls: items.map(({ url }) => url as string),
      state: record!.value as unknown as CrawlState,
    };
  }

  test(`crawls ${PAGES} pages, each once`, async () => {
    const { id, site } = await startCrawl(PAGES);
    const { state, urls, log } = await finish(id);
    assert.doesNotMatch(log, /ERROR/, log);
    assert.equal(new Set(urls).size, PAGES);
    assert.deepEqual([state.starts, state.handled], [1, PAGES]);
    assert.deepEqual(
      [...site.fetched.values()].filter((count) => count !== 1),
      [],
    );
    const csv = await client.run(id).dataset().downloadItems(DownloadItemsFormat.CSV);
    const [header, ...rows] = csv.toString().replace('\uFEFF', '').trim().split(/\r?\n/);
    assert.deepEqual([header, rows.length], ['url,title', PAGES]);
  });

  test('a graceful abort reaches it as an event, and its state is there after it is resurrected', async () => {
    const { id, site } = await startCrawl(FEW_PAGES, HELD_AFTER);
    await isHeld(id, site);
    await client.run(id).abort({ gracefully: true });
    await isTold(id, 'aborting');
    site.release();
    assert.equal((await client.run(id).waitForFinish()).status, 'ABORTED');
    const underWay = await countUnderWay(server.app.kernel.db, id);
    expireLocks();
    await client.run(id).resurrect();
    const { run, urls, state } = await finish(id);
    checkPages(urls, underWay);
    assert.equal(state.starts, 2);
    // On a slow machine the state has been persisted before, which happens once a minute.
    const told = state.events.slice(state.events.indexOf('aborting'));
    assert.deepEqual(told.slice(0, 2), ['aborting', 'persistState'], String(state.events));
    assert.equal(run.stats.resurrectCount, 1);
  });

  test('a server that stops in an orderly way tells it, and it goes on with its state on the next one', async () => {
    const { id, site } = await startCrawl(FEW_PAGES, HELD_AFTER);
    await isHeld(id, site);
    const stopped = server.stop();
    await isTold(id, 'migrating');
    site.release();
    await stopped;
    const engine = await openEngine(join(data, 'signalbox.db'));
    const underWay = await countUnderWay(engine.db, id);
    await engine.close();
    await start();
    expireLocks();
    const { run, urls, state } = await finish(id);
    checkPages(urls, underWay);
    assert.equal(state.starts, 2);
    assert.ok(state.events.includes('migrating'), String(state.events));
    assert.ok(state.events.includes('persistState for migration'), String(state.events));
    assert.equal((run.stats as unknown as { migrationCount: number }).migrationCount, 1);
  });

  test('a secret field of the input is stored encrypted, and the SDK decrypts it', async () => {
    const schema = {
      title: 'Input',
      type: 'object',
      schemaVersion: 1,
      properties: {
        user: { title: 'User', type: 'string', description: 'A name', editor: 'textfield' },
        password: {
          title: 'Password',
          type: 'string',
          description: 'A secret',
          editor: 'textfield',
          isSecret: true,
        },
        options: {
          title: 'Options',
          type: 'object',
          description: 'A secret object',
          editor: 'json',
          isSecret: true,
        },
      },
    };
    await createActor(
      server,
      {
        ...PACKAGES,
        '.actor/actor.json': JSON.stringify({
          actorSpecification: 1,
          name: 'secretive',
          version: '0.1',
          input: schema,
        }),
        'main.js': `
import { createHash } from 'node:crypto';
import { Actor } from 'apify';
await Actor.init();
const { user, password, options } = await Actor.getInput();
await Actor.setValue('OUTPUT', { user, digest: createHash('sha256').update(password).digest('hex'), keys: Object.keys(options) });
await Actor.exit();
`,
      },
      { name: 'secretive' },
    );
    const input = { user: 'ada', password: 'correct horse', options: { key: 'battery staple' } };
    const { id } = await client.actor('admin/secretive').call(input, { log: null, memory: 1024 });
    const store = client.run(id).keyValueStore();
    const { value } = (await store.getRecord('OUTPUT'))!;
    assert.deepEqual(value, {
      user: 'ada',
      digest: '4104d36f8da2c254349f85836793ebe029e0c957063a34c91c2e9203187b5631',
      keys: ['key'],
    });
    const stored = JSON.stringify((await store.getRecord('INPUT'))!.value);
    assert.match(stored, /"user":"ada"/);
    assert.doesNotMatch(stored, /horse|staple/);
    assert.match(stored, /ENCRYPTED_/);
  });
});
