// Crawlee, unmodified: two crawlers on one queue handle each page once, also when one of them is killed.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ApifyClient } from 'apify-client';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';
import { eventually, inTime } from '../eventually.ts';
import { isLongRun, rounds } from '../long.ts';
import { startSite, type Site } from './site.ts';

const PAGES = rounds(100, 500);

let server: TestServer;
let site: Site;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-crawl-'));
  [server, site] = await Promise.all([startServer({ limits: 'off' }), startSite(PAGES)]);
  // The clock stands still, so that a slow crawler loses no lock.
  server.clock.stop();
  const client = new ApifyClient({ baseUrl: server.url, token: ADMIN_TOKEN });
  const queue = await client.requestQueues().getOrCreate('site');
  await client
    .requestQueue(queue.id)
    .addRequest({ url: `${site.url}/page/0`, uniqueKey: `${site.url}/page/0` });
});
afterEach(async () => {
  site.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function startCrawler(): ChildProcess {
  return spawn(process.execPath, [new URL('./crawler-process.ts', import.meta.url).pathname], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      APIFY_TOKEN: ADMIN_TOKEN,
      APIFY_API_BASE_URL: server.url,
      APIFY_API_PUBLIC_BASE_URL: server.url,
      CRAWLEE_LOG_LEVEL: 'ERROR',
      CRAWLEE_STORAGE_DIR: folder,
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

const end = async (crawler: ChildProcess) => {
  if (crawler.exitCode === null && crawler.signalCode === null) await inTime(once(crawler, 'exit'));
};

async function handledPages(): Promise<{ counts: Map<string, number>; handled: number; pending: number }> {
  const client = new ApifyClient({ baseUrl: server.url, token: ADMIN_TOKEN });
  const { items } = await client.dataset('~pages').listItems();
  const counts = new Map<string, number>();
  for (const { url } of items as { url: string }[]) counts.set(url, (counts.get(url) ?? 0) + 1);
  const queue = await client.requestQueue('~site').get();
  return { counts, handled: queue!.handledRequestCount, pending: queue!.pendingRequestCount };
}

// The test with a killed crawler covers the same for all other pages.
if (isLongRun) {
  test(`two crawlers on one queue handle each of ${PAGES} pages exactly once`, async () => {
    await Promise.all([startCrawler(), startCrawler()].map(end));
    const { counts, handled, pending } = await handledPages();
    assert.deepEqual([handled, pending, counts.size], [PAGES, 0, PAGES]);
    assert.deepEqual(
      [...counts.values()].filter((count) => count !== 1),
      [],
    );
    assert.deepEqual(
      [...site.fetched.values()].filter((count) => count !== 1),
      [],
    );
  });
}

/** The requests that no crawler has handled. */
async function listPending() {
  const client = new ApifyClient({ baseUrl: server.url, token: ADMIN_TOKEN });
  const { items } = await client.requestQueue('~site').listRequests({ limit: 10 * PAGES });
  return (items as unknown as { handledAt?: Date; lockByClient?: string }[]).filter(
    ({ handledAt }) => !handledAt,
  );
}

test('when a crawler is killed the other one finishes, and only what was in its hands is fetched again', async () => {
  const [doomed, survivor] = [startCrawler(), startCrawler()];
  const [key] = (await inTime(once(doomed, 'message'))) as [string];
  await eventually(() => site.fetched.size >= PAGES / 4);
  doomed.kill('SIGKILL');
  await end(doomed);
  // Its locks expire when the other crawler has nothing else to do.
  await eventually(async () => (await listPending()).every(({ lockByClient }) => lockByClient === key));
  server.clock.ahead += 60 * 60 * 1000;
  await end(survivor);
  const { counts, handled, pending } = await handledPages();
  assert.deepEqual([handled, pending, counts.size], [PAGES, 0, PAGES]);
  const again = [...site.fetched.values()].filter((count) => count !== 1);
  assert.ok(again.length <= 8 && again.every((count) => count === 2), `fetched again: ${again.length}`);
});
