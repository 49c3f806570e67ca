// The lists of flags, runs and repositories in a real browser, and one item of each: empty, full, filtered by the address, live.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { insertManyFlags } from '../many-flags.ts';
import { insertRunRow } from '../run-rows.ts';
import { startServer, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole } from './console.ts';

const MANY = 1000;

describe('lists of the console', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let ada: HostPerson;
  let runId: string;

  before(async () => {
    server = await startServer({ limits: 'off' });
    const { kernel } = server.app;
    ada = await joinHost(server, 'ada', { role: 'owner' });
    await insertManyFlags(kernel, 'shop', MANY);
    runId = await insertRunRow(kernel, { userId: ada.member.id, finishedAt: kernel.clock.now() });
    await ada.repository('garden', { description: 'Plants & tools', auto_init: true });
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const rowsOf = (page: Page) => page.locator('tbody tr .two b').allInnerTexts();

  test('empty lists say what they are for, and what is not there is said too', async () => {
    const bob = await joinHost(server, 'bob', { role: 'owner' });
    const phone = { viewport: { width: 360, height: 780 } };
    const { page, takeProblems, close } = await openConsole(browser, server, bob.member, '', phone);
    const places: [path: string, shown: string][] = [
      ['/flags/default', 'This project has no flags yet'],
      ['/flags/shop?q=nothing-like-this', 'No flag fits this filter'],
      ['/runs', 'There are no runs yet'],
      ['/runs?status=FAILED', 'No run fits this filter'],
      ['/code', 'There are no repositories yet'],
      ['/flags/shop/nothing', 'Try again'],
      ['/runs/nothing', 'Try again'],
      ['/code/ada/nothing', 'Try again'],
    ];
    for (const [path, shown] of places) {
      await page.goto(`${server.url}/console${path}`);
      await page.getByText(shown).waitFor();
      assert.deepEqual(await findBarriers(page), [], path);
    }
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('the first of a thousand flags are shown while the others wait, and more come when asked for', async () => {
    const { page, close } = await openConsole(browser, server, ada.member);
    // A page that was read before the stream began is read once more.
    const offsets = new Set<string | null>();
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      // Counts ask for one.
      if (pathname === '/api/v2/flags/shop' && searchParams.get('limit') !== '1')
        offsets.add(searchParams.get('offset'));
    });
    await page.goto(`${server.url}/console/flags/shop?sort=name`);
    await page.getByText('50 of 1,000 flags').waitFor();
    // Those below the window are drawn a moment later.
    await eventually(async () => (await rowsOf(page)).length === 50, 'the rows of the first page');
    assert.deepEqual([...offsets], ['0']);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('150 of 1,000 flags').waitFor();
    assert.deepEqual([...offsets], ['0', '50']);
    assert.equal((await rowsOf(page)).at(-1), 'Flag 0150');
    await close();
  });

  test('keys go to the neighbours of a flag in its list, and nothing that is pressed too early is lost', async () => {
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/flags/shop?sort=name',
      { permissions: ['clipboard-read', 'clipboard-write'] },
    );
    /** Holds what the page asks for, until the returned function is called. */
    const hold = async (what: string) => {
      const held = Promise.withResolvers<void>();
      await page.route(what, async (route) => {
        await held.promise;
        await route.continue();
      });
      return held.resolve;
    };
    const palette = page.getByRole('combobox', { name: 'Search and commands' });
    // What was read stays fresh, so that the page that is gone back to makes no calls.
    await page.clock.setFixedTime(new Date());
    await page.getByRole('link', { name: 'Flag 0002' }).click();
    await page.getByRole('heading', { name: 'Flag 0002' }).waitFor();
    await page.getByRole('link', { name: 'Settings', exact: true }).first().waitFor();
    await page.keyboard.press(']');
    await page.getByRole('heading', { name: 'Flag 0003' }).waitFor();
    await page.keyboard.press('[');
    await page.getByRole('heading', { name: 'Flag 0002' }).waitFor();
    const sendPalette = await hold('**/assets/palette-list-*.js');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('>copy this');
    await page.keyboard.press('Enter');
    assert.equal(await palette.inputValue(), '>copy this');
    sendPalette();
    await page.getByText('Copied: /').first().waitFor();
    assert.match(await page.evaluate<string>('navigator.clipboard.readText()'), /^curl '?http/);

    const sendFound = await hold('**/signalbox/v1/search?*');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('f:flag-0900');
    await page.keyboard.press('Enter');
    await palette.waitFor();
    sendFound();
    await page.getByRole('heading', { name: 'Flag 0900' }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.waitForURL('**/flags/shop?sort=name');

    const sendPermissions = await hold('**/projects/shop/permissions');
    const sendPage = await hold('**/assets/flags-page-*.js');
    await page.reload();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.keyboard.press('c');
    sendPage();
    await page.getByText('50 of 1,000 flags').waitFor();
    sendPermissions();
    await page.waitForURL('**/new-flag/shop');
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a list that was filtered and sorted shows the same rows at its address in another browser', async () => {
    const { page, close } = await openConsole(browser, server, ada.member, '/flags/shop');
    await page.getByText('50 of 1,000 flags').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('flag-09');
    await page.getByText('50 of 100 flags').waitFor();
    await page.getByRole('button', { name: 'Flag', exact: true }).click();
    await page.waitForURL(/sort=name/);
    await page.getByRole('link', { name: 'Flag 0900' }).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'production' }).uncheck();
    await page.waitForURL(/env=test/);
    await page.keyboard.press('Escape');
    await page.locator('table[aria-busy="false"]').waitFor();
    await eventually(async () => (await rowsOf(page)).length === 50, 'the rows of the first page');
    const rows = await rowsOf(page);
    assert.equal(rows[0], 'Flag 0900');
    const second = await openConsole(browser, server, ada.member);
    await second.page.goto(page.url());
    await second.page.getByRole('link', { name: 'Flag 0900' }).waitFor();
    await eventually(async () => (await rowsOf(second.page)).length === 50, 'the rows in the second browser');
    assert.deepEqual(await rowsOf(second.page), rows);
    assert.equal(await second.page.getByRole('columnheader', { name: 'production' }).count(), 0);
    await close();
    await second.close();
  });

  test('what an environment serves is said in words, and changes while one looks', async () => {
    const flag = (await ada.post('/api/v2/flags/shop', { key: 'rolled', name: 'Rolled out' })).json;
    const { page, close } = await openConsole(browser, server, ada.member, '/flags/shop?q=rolled&env=test');
    const row = page.getByRole('row', { name: 'Rolled out' });
    await row.getByText('Off', { exact: true }).waitFor();
    const [first, second] = (flag['variations'] as { _id: string }[]).map(({ _id }) => _id);
    const instructions = [
      { kind: 'turnFlagOn' },
      {
        kind: 'updateFallthroughVariationOrRollout',
        rolloutWeights: { [first!]: 12_500, [second!]: 87_500 },
      },
    ];
    await page.getByText('Live', { exact: true }).waitFor();
    const changed = await ada.call('/api/v2/flags/shop/rolled', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' },
      body: { environmentKey: 'test', comment: 'An eighth', instructions },
    });
    assert.equal(changed.status, 200, changed.text);
    await row.getByText('On', { exact: true }).waitFor();
    assert.equal(
      (await row.locator('.serves').innerText()).replaceAll(/\s+/g, ' '),
      'A true 12.5 % B false 87.5 %',
    );
    await page.getByRole('link', { name: 'Rolled out' }).click();
    await page.waitForURL(/flags\/shop\/rolled\?env=test$/);
    await page.getByRole('heading', { name: 'Rolled out', level: 1 }).waitFor();
    await page.getByRole('img', { name: 'true 12.5 %, false 87.5 %' }).waitFor();
    await close();
  });

  test('a flag that appears is counted until somebody asks for it', async () => {
    const { page, close } = await openConsole(browser, server, ada.member, '/flags/shop?q=fresh');
    await page.getByText('No flag fits this filter').waitFor();
    const create = (key: string) => ada.post('/api/v2/flags/shop', { key, name: `Fresh ${key}` });
    await page.getByText('Live', { exact: true }).waitFor();
    await create('fresh-1');
    await page.getByRole('link', { name: 'Fresh fresh-1' }).waitFor();
    await create('fresh-2');
    await page.getByText('1 new').waitFor();
    assert.deepEqual(await rowsOf(page), ['Fresh fresh-1']);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('link', { name: 'Fresh fresh-2' }).waitFor();
    await close();
  });

  test('a log is downloaded by a link that the server signs', async () => {
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, `/runs/${runId}`);
    const begun = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const download = await begun;
    assert.match(new URL(download.url()).pathname, new RegExp(`^/v2/logs/${runId}$`));
    assert.equal(await download.failure(), null);
    assert.deepEqual(takeProblems(), []);
    await close();
  });
});
