// The real `apify-client` on the store and on the Actors that come with the server, and `apify actors search` and `info`.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ApifyApiError, ApifyClient } from 'apify-client';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';
import { runApifyCli } from './apify-cli.ts';

let server: TestServer;
let client: ApifyClient;
let home: string;
before(async () => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-cli-'));
  server = await startServer({ limits: 'off' });
  client = new ApifyClient({ baseUrl: server.url, token: ADMIN_TOKEN, maxRetries: 0 });
  for (let index = 0; index < 7; index += 1)
    await client.actors().create({ name: `listed-${index}`, isPublic: true, title: `Listed ${index}` });
});
after(async () => {
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

test('the store is listed, searched and filtered, without a token too', async () => {
  const anonymous = new ApifyClient({ baseUrl: server.url, maxRetries: 0 });
  const { items, total, offset, limit, count } = await anonymous.store().list({ search: 'crawler' });
  assert.deepEqual([total, offset, limit, count], [1, 0, 1000, 1]);
  const [crawler] = items;
  assert.deepEqual(
    [crawler!.username, crawler!.name, crawler!.title],
    ['apify', 'web-crawler', 'Web Crawler'],
  );
  assert.equal(crawler!.currentPricingInfo.pricingModel, 'FREE');
  assert.equal(crawler!.stats.totalRuns, 0);
  assert.match(crawler!.readmeSummary!, /^Crawls web sites/);
  const list = client.store().list({ sortBy: 'newest', limit: 2, pricingModel: 'FREE', username: 'admin' });
  assert.deepEqual(
    (await list).items.map(({ name }) => name),
    ['listed-6', 'listed-5'],
  );
  assert.equal((await client.store().list({ category: 'AUTOMATION' })).total, 1);
  assert.ok((await client.store().list({ includeUnrunnableActors: true })).total >= 9);
});

test('iterating over the store gives every Actor once', async () => {
  const names: string[] = [];
  for await (const { name } of client.store().list({ search: 'listed', limit: 5, offset: 1 }))
    names.push(name);
  assert.equal(names.length, 5);
  const all: string[] = [];
  for await (const { username, name } of client.store().list({})) all.push(`${username}/${name}`);
  assert.equal(new Set(all).size, all.length);
  assert.ok(all.includes('apify/hello-world') && all.includes('admin/listed-3'));
});

test('a wrong order is an error that the client shows', async () => {
  await assert.rejects(
    async () => await client.store().list({ sortBy: 'price' }),
    (error: unknown) => error instanceof ApifyApiError && error.type === 'invalid-input',
  );
});

test('an Actor of the store is read and called by its name', async () => {
  const actor = client.actor('apify/hello-world');
  assert.equal((await actor.get())!.exampleRunInput!.body, '{ "name": "Ada" }');
  const run = await actor.call({ name: 'Grace' }, { log: null });
  assert.equal(run.status, 'SUCCEEDED');
  const { items } = await client.dataset(run.defaultDatasetId).listItems();
  assert.equal(items[0]!['greeting'], 'Hello Grace!');
  const build = await actor.defaultBuild();
  assert.match((await build.get())!.readme!, /^# Hello World/);
  assert.equal((await client.store().list({ search: 'hello' })).items[0]!.stats.totalRuns, 1);
});

async function apify(...args: string[]): Promise<string> {
  const { stdout } = await runApifyCli(args, { url: server.url, home });
  return stdout;
}

test('apify-cli searches the store, and shows what an Actor of it is and takes', async () => {
  await apify('login', '--token', ADMIN_TOKEN);
  const found = JSON.parse(await apify('actors', 'search', 'hello', '--json')) as {
    items: { name: string; username: string }[];
  };
  assert.deepEqual(
    found.items.map(({ username, name }) => `${username}/${name}`),
    ['apify/hello-world'],
  );
  assert.match(await apify('actors', 'search', 'crawler'), /apify\/web-crawler/);
  assert.match(await apify('actors', 'info', 'apify/web-crawler', '--readme'), /# Web Crawler/);
  assert.match(await apify('actors', 'info', 'apify/web-crawler', '--input'), /"startUrls"/);
});
