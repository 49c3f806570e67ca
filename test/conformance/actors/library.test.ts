// The Actors that come with the server: there from the first start, built and run on first use, and nobody's to change.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../../src/kernel/id.ts';
import { LIBRARY_ID } from '../../../src/kernel/identity/store-accounts.ts';
import { finishedRun, logOf, runActor, startRun } from '../../actors.ts';
import { startShop, type ShopSite } from '../../clients/shop-site.ts';
import { onEachEngine } from '../../engines.ts';
import { giveToken, join } from '../../people.ts';
import { startServer, type Json, type TestServer } from '../../server.ts';
import { migratedFile } from '../../templates.ts';
import { giveRun } from './runs/run-rows.ts';

const ACTORS = ['hello-world', 'web-crawler'];

onEachEngine((engine) => {
  let settings: { data: string; database?: string; limits: 'off'; role: 'api' };
  let server: TestServer;
  before(async () => {
    const data = mkdtempSync(joinPath(tmpdir(), 'signalbox-library-'));
    if (engine.kind === 'sqlite') writeFileSync(joinPath(data, 'signalbox.db'), await migratedFile());
    const database = engine.kind === 'postgres' ? { database: await engine.migratedDatabase() } : {};
    settings = { data, limits: 'off', role: 'api', ...database };
    server = await startServer(settings);
  });
  after(async () => {
    await server.stop();
    for (const folder of [settings.data, `${settings.data}-work`])
      rmSync(folder, { recursive: true, force: true });
  });

  async function restart(change?: () => Promise<void>): Promise<void> {
    await change?.();
    await server.stop();
    server = await startServer(settings);
  }

  async function read(path: string): Promise<Json> {
    const { status, json, text } = await server.call(`/v2${path}`);
    assert.equal(status, 200, text);
    return json['data'] as Json;
  }

  const actorOf = (name: string) => read(`/actors/apify~${name}`);

  test('they are there from the first start, public, with sources, README, input schema and example', async () => {
    for (const name of ACTORS) {
      const actor = await actorOf(name);
      assert.deepEqual([actor['username'], actor['isPublic']], ['apify', true]);
      assert.ok(actor['title'] && actor['description'] && actor['categories'].length > 0);
      const files = actor['versions'][0].sourceFiles.map((file: Json) => file['name']);
      for (const file of ['.actor/actor.json', 'README.md', 'main.js', 'package-lock.json'])
        assert.ok(files.includes(file), file);
      assert.ok(files.every((file: string) => !/^test|node_modules/.test(file)));
      const build = await read(`/actors/apify~${name}/builds/default`);
      assert.deepEqual([build['status'], build['buildNumber']], ['SUCCEEDED', '1.0.1']);
      assert.match(build['readme'], /^# /);
      assert.equal(actor['taggedBuilds'].latest.buildId, build['id']);
      const example = JSON.parse(actor['exampleRunInput'].body) as Json;
      const schema = JSON.parse(build['inputSchema']) as Json;
      for (const field of Object.keys(example)) assert.ok(schema['properties'][field], field);
      const checked = await server.call(`/v2/actors/apify~${name}/validate-input`, {
        method: 'POST',
        body: example,
      });
      assert.equal(checked.status, 200, checked.text);
    }
  });

  test('nobody can change, build or delete them, not even an owner of the account', async () => {
    for (const [method, path] of [
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/builds?version=1.0'],
      ['PUT', '/versions/1.0'],
      ['POST', '/versions'],
      ['GET', '/versions/1.0/env-vars'],
    ] as const) {
      const body = method === 'PUT' ? { title: 'Mine' } : method === 'POST' ? {} : undefined;
      const answer = await server.call(`/v2/actors/apify~hello-world${path}`, { method, body });
      assert.equal(answer.status, 404, `${method} ${path}: ${answer.text}`);
    }
    assert.equal((await actorOf('hello-world'))['title'], 'Hello World');
  });

  test('nobody can take the name of their owner, or log in as it', async () => {
    const invited = await server.call('/api/v2/members', {
      method: 'POST',
      body: [{ email: 'apify@example.com' }, { email: 'Apify@example.org' }],
    });
    assert.equal(invited.status, 201, invited.text);
    const { db } = server.app.kernel;
    const rows = await db.selectFrom('members').select('username').execute();
    assert.deepEqual(
      rows.map(({ username }) => username).filter((name) => name.startsWith('apify')),
      ['apify-2', 'apify-3'],
    );
    await assert.rejects(join(server, 'Apify'), /cannot be a username/);
    const login = await server.call('/session', {
      method: 'POST',
      token: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: server.url },
      body: 'name=apify&password=',
    });
    assert.equal(login.status, 401);
    assert.equal(login.headers.get('set-cookie'), null);
    assert.deepEqual(await read('/users/apify'), { username: 'apify', profile: { name: 'Signalbox' } });
    assert.equal((await server.call('/users/apify')).status, 200);
    const { json } = await server.call('/api/v2/members?limit=100');
    assert.ok(json['items'].every(({ _id }: Json) => _id !== LIBRARY_ID));
  });

  test('a restart leaves them as they are', async () => {
    const earlier = await actorOf('web-crawler');
    await restart();
    assert.deepEqual(await actorOf('web-crawler'), earlier);
  });

  test('changed sources of a new release give a new build, and older builds stay while runs need them', async () => {
    const { db } = server.app.kernel;
    const [hello, crawler] = [await actorOf('hello-world'), await actorOf('web-crawler')];
    const [unused, used] = [hello, crawler].map((actor) => actor['taggedBuilds'].latest.buildId as string);
    const run = await giveRun(server, { id: crawler['id'] } as never);
    await restart(async () => {
      await db.updateTable('runs').set({ build_id: used! }).where('id', '=', run.id).execute();
      await db
        .updateTable('builds')
        .set({ sources: 'of an older release' })
        .where('id', 'in', [unused!, used!])
        .execute();
      await db.updateTable('actors').set({ title: 'Old' }).where('id', '=', hello['id']).execute();
    });
    const updated = await actorOf('hello-world');
    assert.deepEqual([updated['id'], updated['title']], [hello['id'], 'Hello World']);
    assert.equal(updated['taggedBuilds'].latest.buildNumber, '1.0.2');
    assert.equal((await server.call(`/v2/actor-builds/${unused}`)).status, 404);
    assert.equal((await read(`/actor-builds/${used}`))['buildNumber'], '1.0.1');
    assert.equal((await actorOf('web-crawler'))['taggedBuilds'].latest.buildNumber, '1.0.2');
    const { json } = await server.call('/api/v2/auditlog?limit=5');
    assert.ok(json['items'].some(({ titleVerb }: Json) => titleVerb === 'updated the Actor'));
  });

  test('where a member of an older database has the name, they have another owner name until that member is gone', async () => {
    const { db, clock } = server.app.kernel;
    const id = newId(clock.now());
    await join(server, 'old-member', { email: 'old@example.com' });
    await restart(async () => {
      await db
        .updateTable('members')
        .set({ id, username: 'apify' })
        .where('username', '=', 'old-member')
        .execute();
    });
    const { items } = await read('/store?username=apify.library');
    assert.deepEqual(
      items.map(({ username }: Json) => username as string),
      ['apify.library', 'apify.library'],
    );
    assert.equal((await read('/actors/apify.library~hello-world'))['username'], 'apify.library');
    assert.equal((await server.call('/v2/actors/apify~hello-world')).status, 404);
    assert.deepEqual((await read('/store?username=apify'))['items'], []);
    assert.equal((await server.call(`/api/v2/members/${id}`, { method: 'DELETE' })).status, 204);
    assert.equal((await actorOf('hello-world'))['username'], 'apify');
  });

  if (engine.kind === 'postgres') {
    test('two nodes that start at once create them once', async () => {
      const database = await engine.migratedDatabase();
      const nodes = await Promise.all(
        [1, 2].map(() => startServer({ database, limits: 'off', role: 'api' })),
      );
      const { json } = await nodes[0]!.call('/v2/store?username=apify');
      assert.equal(json['data'].total, 2);
      await Promise.all(nodes.map((node) => node.stop()));
    });
  }
});

describe('first use', () => {
  let server: TestServer;
  let shop: ShopSite;
  let ada: string;
  before(async () => {
    shop = await startShop();
    server = await startServer({ limits: 'off', nodeMemory: 8192 });
    const member = await join(server, 'ada', { role: 'writer' });
    ada = (await giveToken(server, member, { role: 'writer' })).value;
  });
  after(async () => {
    await server.stop();
    shop.close();
  });

  const path = (url: string) => url.slice(shop.url.length);

  async function items(run: Json): Promise<Json[]> {
    const { json } = await server.call(`/v2/datasets/${run['defaultDatasetId']}/items`);
    return (json as Json[]).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }

  async function record(run: Json, key: string): Promise<Json> {
    const { status, json } = await server.call(
      `/v2/key-value-stores/${run['defaultKeyValueStoreId']}/records/${key}`,
    );
    assert.equal(status, 200, key);
    return json;
  }

  test('hello-world answers at once, and anybody who may run Actors can run it', async () => {
    const answer = await server.call('/v2/actors/apify~hello-world/run-sync', {
      method: 'POST',
      body: { name: 'Ada' },
      token: ada,
    });
    assert.deepEqual([answer.status, answer.json], [201, { greeting: 'Hello Ada!' }]);
    const found = await server.call('/v2/actors/apify~hello-world/run-sync-get-dataset-items', {
      method: 'POST',
    });
    assert.equal((found.json as unknown as Json[])[0]!['greeting'], 'Hello World!');
    const { json } = await server.call('/v2/store?search=hello');
    assert.equal(json['data'].items[0].stats.totalRuns, 2);
  });

  test('runs that come first share one installation, and crawl as their inputs say', async () => {
    const crawl = (input: Json) => startRun(server, 'apify~web-crawler', { input });
    const start = [{ url: `${shop.url}/` }];
    const [byFields, byFunction, byDefault] = await Promise.all([
      crawl({
        startUrls: start,
        includeGlobs: [`${shop.url}/products/**`, `${shop.url}/private/**`, `${shop.url}/m*`],
        excludeGlobs: ['**/products/2*'],
        maxDepth: 2,
        maxRetries: 2,
        fields: {
          title: 'h1',
          price: { selector: '.price', number: true },
          pictures: { selector: 'img', attribute: 'src', all: true },
        },
      }),
      crawl({
        startUrls: [{ url: `${shop.url}/products/5` }],
        useSitemaps: true,
        maxDepth: 0,
        errorsAs: 'items',
        sitemapUrls: [`${shop.url}/no-sitemap.xml`],
        pageFunction: `async ({ $, request, response, extract, enqueue }) => {
          if (request.depth === 0) await enqueue('/missing');
          const people = extract({ name: 'b', stars: { selector: 'i', number: true } }, '.review');
          return people.length > 0 ? people : { title: $('title').text(), depth: request.depth, status: response.status };
        }`,
      }),
      crawl({ startUrls: start, maxPages: 3 }),
    ]);
    const runs: Json[] = [];
    for (const run of [byFields, byFunction, byDefault])
      runs.push(await finishedRun(server, run['id'] as string));
    const logs = await Promise.all(runs.map(({ id }) => logOf(server, id as string)));
    for (const [index, run] of runs.entries()) assert.equal(run['status'], 'SUCCEEDED', logs[index]);
    assert.equal(logs.filter((log) => log.includes('Installing the packages')).length, 1);

    // By fields: depth 2 ends at /products/11 and /products/13; robots.txt closes /private/; globs leave out /products/2.
    const found = (await items(runs[0]!)).map(({ url, ...fields }) => ({ at: path(url), ...fields }));
    assert.deepEqual(found.map(({ at }) => at).sort(), [
      '/',
      '/moody',
      '/products/1',
      '/products/11',
      '/products/13',
      '/products/3',
    ]);
    assert.deepEqual(
      found.find(({ at }) => at === '/products/13'),
      {
        at: '/products/13',
        title: 'Product 13',
        price: 1013.5,
        pictures: [`${shop.url}/products/pictures/13.png`],
      },
    );
    assert.deepEqual(
      found.find(({ at }) => at === '/'),
      { at: '/', title: 'Shop', price: null, pictures: [] },
    );
    const output = await record(runs[0]!, 'OUTPUT');
    assert.deepEqual([output['pages'].succeeded, output['pages'].failed, output['items']], [6, 1, 6]);
    assert.ok(output['pages'].skipped.robotsTxt >= 1);
    const [error] = (await record(runs[0]!, 'ERRORS')) as unknown as Json[];
    assert.deepEqual(
      [path(error!['url']), error!['error'], error!['retries']],
      ['/missing', 'The page answers with status 404.', 0],
    );
    assert.equal(runs[0]!['statusMessage'], 'Crawled 7 pages, 1 failed, stored 6 items.');
    const queue = await server.call(`/v2/request-queues/${runs[0]!['defaultRequestQueueId']}`);
    assert.deepEqual(
      [queue.json['data'].handledRequestCount, queue.json['data'].pendingRequestCount],
      // The page that robots.txt closes is not put into the queue.
      [7, 0],
    );

    // By a function: the sitemap adds /hidden and /products/7, and the function asks for pages that maxDepth forbids.
    assert.deepEqual(await items(runs[1]!), [
      { name: 'Ada', stars: 5 },
      { name: 'Ada', stars: 5 },
      { name: 'Ben', stars: 3 },
      { name: 'Ben', stars: 3 },
      { title: 'hidden', depth: 0, status: 200 },
    ]);
    assert.ok(!shop.fetched.includes('/private/secret'));

    // By default: title and description, and no more pages than asked for.
    const plain = await items(runs[2]!);
    assert.equal(plain.length, 3);
    assert.deepEqual(
      plain.find(({ url }) => path(url) === '/'),
      {
        url: `${shop.url}/`,
        title: 'Shop',
        description: 'All we have',
      },
    );
  });

  test('a second run uses what is installed, and reports a mistake in its input', async () => {
    const run = await runActor(server, 'apify~web-crawler', { input: { maxPages: 5 } });
    assert.deepEqual(
      [run['status'], run['statusMessage']],
      ['FAILED', 'The input has no startUrls: name at least one page to begin with.'],
    );
    assert.doesNotMatch(await logOf(server, run['id']), /Installing/);
    const wrong = await server.call('/v2/actors/apify~web-crawler/runs', {
      method: 'POST',
      body: { maxDepth: 'deep' },
    });
    assert.deepEqual([wrong.status, wrong.json['error'].type], [400, 'invalid-input']);
    assert.match(wrong.json['error'].message, /maxDepth/);
  });
});

test('without the registry and its packages in the cache, a run says what is missing', async (t) => {
  const cache = mkdtempSync(joinPath(tmpdir(), 'signalbox-npm-cache-'));
  const settings = {
    npm_config_cache: cache,
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_fetch_retries: '0',
  };
  const earlier = { ...process.env };
  Object.assign(process.env, settings);
  t.after(() => {
    for (const name of Object.keys(settings)) {
      delete process.env[name];
      if (earlier[name] !== undefined) process.env[name] = earlier[name];
    }
    rmSync(cache, { recursive: true, force: true, maxRetries: 10 });
  });
  const server = await startServer({ limits: 'off' });
  t.after(() => server.stop());
  const run = await runActor(server, 'apify~web-crawler', {
    input: { startUrls: [{ url: 'https://example.com' }] },
  });
  assert.equal(run['status'], 'FAILED');
  assert.match(
    run['statusMessage'],
    /packages are not on this machine yet.*ECONNREFUSED.*npm config get registry/,
  );
  assert.match(await logOf(server, run['id']), /Installing the packages[\s\S]*ECONNREFUSED/);
});
