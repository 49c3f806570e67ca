// Storages in a real browser: a large dataset to its end, hostile records that are only looked at, and a queue that is put in order.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Browser } from 'playwright-core';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { startServer, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole } from './console.ts';

const MANY = 10_000;
const MILLION = 1_000_000;
const CLIENTS = 50;

describe('storages in the console', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let ada: HostPerson;

  before(async () => {
    server = await startServer({ limits: 'off' });
    ada = await joinHost(server, 'ada', { role: 'owner' });
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const create = async (kind: string, name: string) =>
    (await ada.post(`/v2/${kind}?name=${name}`)).json['data'].id as string;

  test('a dataset of ten thousand items is scrolled to its end, and exported with the shown columns', async () => {
    const id = await create('datasets', 'products');
    const items = Array.from({ length: MANY }, (_, index) => ({
      sku: `P-${index + 1}`,
      title: `Product, no. ${index + 1}`,
      price: index % 90,
      details: { colour: 'green', sizes: [1, 2] },
    }));
    assert.equal((await ada.post(`/v2/datasets/${id}/items`, items)).status, 201);
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      `/storage/datasets/${id}`,
    );
    const grid = page.getByRole('grid', { name: 'Items' });
    await grid.getByText('P-1', { exact: true }).waitFor();
    await eventually(async () => (await grid.getAttribute('aria-rowcount')) === String(MANY + 1), 'all rows');
    assert.ok((await grid.getByRole('row').count()) < 100, 'only rows in view are drawn');
    assert.deepEqual(await findBarriers(page), []);
    await grid.getByText('P-1', { exact: true }).click();
    await page.getByRole('complementary', { name: 'sku' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+End');
    await grid.getByText(`P-${MANY}`, { exact: true }).waitFor();
    await page
      .getByText(`of ${MANY.toLocaleString('en')}`, { exact: false })
      .first()
      .waitFor();
    await page.waitForURL(/offset=99/);
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'details' });
    await panel.getByText('sizes').first().click();
    await panel.getByRole('button', { name: 'Copy the path details.sizes[1]' }).waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: '4 of 4 columns' }).click();
    await page.getByRole('button', { name: 'Keep sku in view' }).click();
    await page.getByRole('button', { name: 'Make sku wider' }).click();
    await eventually(async () => {
      const { tables = {} } = (await ada.get('/signalbox/v1/me/preferences')).json;
      const { pinned = [], widths = {} } = tables[`dataset/${id}`] ?? {};
      return pinned[0] === 'sku' && widths.sku === 260;
    });
    await page.getByRole('textbox', { name: 'Find a column' }).fill('det');
    await page.getByRole('checkbox', { name: 'details' }).uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByText('10,000 rows, 3 columns, ≈').waitFor();
    const begun = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const lines = (await readFile(await (await begun).path(), 'utf8')).trim().split('\n');
    assert.equal(lines.length, MANY + 1);
    assert.equal(lines[0]!.replace('\uFEFF', '').trim(), 'sku,title,price');
    assert.equal(lines.at(-1)!.trim(), `P-${MANY},"Product, no. ${MANY}",${(MANY - 1) % 90}`);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a dataset of a million items is opened by few calls, and its end is a key away', async () => {
    const id = await create('datasets', 'million');
    const items = Array.from({ length: 1000 }, (_, index) => ({ number: `no. ${index + 1}` }));
    assert.equal((await ada.post(`/v2/datasets/${id}/items`, items)).status, 201);
    // Pushed, they would take a minute: the others are copies.
    const { db } = server.app.kernel;
    const copies = MILLION / items.length;
    await sql`with recursive copied (n) as (select 1 union all select n + 1 from copied where n < ${copies - 1})
      insert into dataset_chunks (dataset_id, first_seq, item_count, bytes, outline, items)
      select dataset_id, first_seq + n * ${items.length}, item_count, bytes, outline, items
      from dataset_chunks, copied where dataset_id = ${id}`.execute(db);
    await sql`update datasets set item_count = item_count * ${copies}, bytes = bytes * ${copies},
      clean_item_count = clean_item_count * ${copies} where storage_id = ${id}`.execute(db);
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member);
    let reads = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith('/items')) reads += 1;
    });
    await page.goto(`${server.url}/console/storage/datasets/${id}`);
    const grid = page.getByRole('grid', { name: 'Items' });
    await grid.getByText('no. 1', { exact: true }).click();
    await page.keyboard.press('Escape');
    assert.equal(await grid.getAttribute('aria-rowcount'), String(MILLION + 1));
    await page.keyboard.press('Control+End');
    const last = grid.locator(`[aria-rowindex="${MILLION + 1}"]`);
    await last.getByText('no. 1000', { exact: true }).waitFor();
    await page.keyboard.press('Control+Home');
    await grid.locator('[aria-rowindex="2"]').getByText('no. 1', { exact: true }).waitFor();
    assert.ok(reads < 10, `${reads} reads of items`);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('an HTML record is previewed without running its script and without the session', async () => {
    const id = await create('key-value-stores', 'pages');
    const hostile = `<!doctype html><title>quiet</title><p>shown</p><script>
      document.title = 'ran'; parent.postMessage('ran', '*');
      fetch('/v2/users/me', { credentials: 'include' }).then(({ status }) => parent.postMessage('status ' + status, '*'));
    </script>`;
    const put = await ada.call(`/v2/key-value-stores/${id}/records/page.html`, {
      method: 'PUT',
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: hostile,
    });
    assert.equal(put.status, 201);
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      `/storage/stores/${id}`,
    );
    await page.evaluate("window.heard = []; addEventListener('message', ({ data }) => heard.push(data))");
    await page.getByRole('link', { name: 'page.html' }).click();
    const frame = page.frameLocator('iframe[title="Preview of page.html"]');
    await frame.getByText('shown').waitFor();
    assert.deepEqual(await page.evaluate('heard'), []);
    const inner = page.frames().find((one) => one !== page.mainFrame())!;
    assert.equal(await inner.evaluate('self.origin'), 'null');
    assert.equal(await inner.evaluate('document.title'), 'quiet');
    // That its script was not run is what the browser says of the frame.
    const problems = takeProblems().filter((one) => !one.includes("'allow-scripts' permission is not set"));
    assert.deepEqual(problems, []);
    assert.deepEqual(await findBarriers(page), []);
    await close();
  });

  test('a text record is edited in place, and never over what somebody else wrote meanwhile', async () => {
    const id = await create('key-value-stores', 'notes');
    const write = (text: string) =>
      ada.call(`/v2/key-value-stores/${id}/records/note`, {
        method: 'PUT',
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: text,
      });
    const read = async () => (await ada.get(`/v2/key-value-stores/${id}/records/note`)).text;
    await write('first');
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      `/storage/stores/${id}?key=note`,
    );
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Content' }).fill('second');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.spanel pre').getByText('second').waitFor();
    assert.equal(await read(), 'second');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Content' }).fill('mine');
    await write('theirs');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else has changed it meanwhile.').waitFor();
    assert.equal(await read(), 'theirs');
    await page.getByRole('button', { name: 'Replace theirs with mine' }).click();
    await page.locator('.spanel pre').getByText('mine').waitFor();
    assert.equal(await read(), 'mine');

    await page.getByRole('button', { name: 'Upload' }).click();
    await page.locator('input[type=file]').setInputFiles({
      name: 'a b.bin',
      mimeType: 'application/x-thing',
      buffer: Buffer.from([0, 1, 2, 255]),
    });
    await page.getByRole('button', { name: 'Upload 1' }).click();
    await page.getByLabel('Folders').selectOption('-');
    await page.getByRole('link', { name: 'a-', exact: true }).click();
    await page.getByRole('navigation', { name: 'Folder' }).getByText('a-').waitFor();
    await page.getByRole('link', { name: 'a-b.bin' }).click();
    await page.getByText('000000  00 01 02 ff').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a queue says why a request is not next, and releases what a client holds', async () => {
    const id = await create('request-queues', 'crawl');
    for (const name of ['a', 'b', 'c'])
      await ada.post(`/v2/request-queues/${id}/requests?clientKey=dead`, {
        url: `https://shop.example.com/${name}`,
      });
    await ada.post(`/v2/request-queues/${id}/head/lock?clientKey=dead&lockSecs=600&limit=1`);
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      `/storage/queues/${id}`,
    );
    await page.getByRole('region', { name: '2 pending, 1 locked, 0 handled' }).waitFor();
    await page.getByRole('link', { name: 'https://shop.example.com/c' }).click();
    await page.getByText('1 request is before it.').waitFor();
    await page.getByRole('button', { name: 'Move to front' }).click();
    await page.getByText('It is next: the first client that asks gets it.').waitFor();
    await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'Locked' }).click();
    await page.getByRole('button', { name: 'Release its lock' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release its lock' }).click();
    await page.getByText('Nothing is locked').waitFor();
    const head = (await ada.get(`/v2/request-queues/${id}/head?clientKey=dead`)).json['data'];
    const urls = head.items.map(({ url }: { url: string }) => new URL(url).pathname);
    assert.deepEqual(urls, ['/c', '/a', '/b']);
    const [{ id: done, url, uniqueKey }] = head.items;
    const failed = { id: done, url, uniqueKey, retryCount: 3, errorMessages: ['HTTP 503'] };
    const handledAt = new Date(server.clock.now()).toISOString();
    await ada.put(`/v2/request-queues/${id}/requests/${done}?clientKey=dead`, { ...failed, handledAt });
    await page.goto(`${server.url}/console/storage/queues/${id}?view=all&request=${done}`);
    await page.getByRole('complementary').getByText('HTTP 503').waitFor();
    await page.getByRole('complementary').getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('region', { name: '3 pending, 0 locked, 0 handled' }).waitFor();
    await ada.put(`/v2/request-queues/${id}/requests/${done}?clientKey=dead`, { ...failed, handledAt });
    await page.goto(`${server.url}/console/storage/queues/${id}?view=failed`);
    await page.getByText('of them with errors').waitFor();
    await page.getByRole('button', { name: 'HTTP <n>' }).click();
    await page.waitForURL(/[?&]error=HTTP/);
    await page.getByRole('table').getByText('HTTP 503').waitFor();
    await page.getByLabel('Select all rows').check();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('No request was handled with errors').waitFor();
    const again = (await ada.get(`/v2/request-queues/${id}/requests/${done}`)).json['data'];
    assert.deepEqual([again.handledAt ?? null, again.retryCount], [null, 0]);
    assert.deepEqual(await findBarriers(page), []);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('counters of a queue agree with the API while fifty clients lock and handle, and what a dead one held is next', async () => {
    const id = await create('request-queues', 'busy');
    const queue = `/v2/request-queues/${id}`;
    const requests = Array.from({ length: 4 * CLIENTS }, (_, index) => ({
      url: `https://shop.example.com/${index}`,
      uniqueKey: String(index),
    }));
    for (let from = 0; from < requests.length; from += 25)
      await ada.post(`${queue}/requests/batch`, requests.slice(from, from + 25));
    const path = `/storage/queues/${id}`;
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, path);
    await page.getByRole('region', { name: `${4 * CLIENTS} pending, 0 locked, 0 handled` }).waitFor();
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, index) => {
        const lock = `${queue}/head/lock?clientKey=client-${index}&lockSecs=600&limit=2`;
        const [one] = (await ada.post(lock)).json['data'].items;
        const handled = { ...one, handledAt: new Date(server.clock.now()).toISOString() };
        const put = await ada.put(`${queue}/requests/${one.id}?clientKey=client-${index}`, handled);
        assert.equal(put.status, 200, put.text);
      }),
    );
    await page
      .getByRole('region', { name: `${2 * CLIENTS} pending, ${CLIENTS} locked, ${CLIENTS} handled` })
      .waitFor();
    const { data } = (await ada.get(queue)).json;
    assert.deepEqual([data.pendingRequestCount, data.handledRequestCount], [3 * CLIENTS, CLIENTS]);
    await page.getByRole('link', { name: 'Locked' }).click();
    await page.getByText('client-49').first().waitFor();
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('storages are created, found, renamed and deleted by typing their name', async () => {
    const phone = { viewport: { width: 360, height: 780 } };
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, '/storage', phone);
    await page.getByRole('button', { name: 'New dataset' }).click();
    await page.getByRole('textbox', { name: 'Name optional' }).fill('garden-tools');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'garden-tools', level: 1 }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
    await page.goto(`${server.url}/console/storage/datasets?q=garden`);
    const row = page.getByRole('row', { name: 'garden-tools' });
    await row.getByRole('button', { name: 'Actions for garden-tools' }).click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await page.getByRole('textbox', { name: 'Name optional' }).fill('garden-things');
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => (await ada.get('/v2/datasets/~garden-things')).status === 200);
    await page.goto(`${server.url}/console/storage/datasets`);
    await page.getByRole('button', { name: 'Actions for garden-things' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const remove = page.getByRole('button', { name: 'Delete this dataset' });
    assert.equal(await remove.getAttribute('aria-disabled'), 'true');
    await page.getByRole('dialog').getByRole('textbox').fill('garden-things');
    await remove.click();
    await page.getByText('garden-things was deleted').first().waitFor();
    assert.equal((await ada.get('/v2/datasets/~garden-things')).status, 404);
    assert.deepEqual(await findBarriers(page), []);
    assert.deepEqual(takeProblems(), []);
    await close();
  });
});
