// Home in a real browser: the first run, whose cards turn green by calls from a shell; then the activity; and the search page.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { insertMember, type Member } from '../../src/kernel/identity/store-members.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { giveToken } from '../people.ts';
import { startServer, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole, THEMES, WIDTHS } from './console.ts';

const CARDS = ['Read flags', 'Reach the Actors', 'Reach the code'];

describe('home of the console', { skip: noBrowser, timeout: 5 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let ada: Member;

  before(async () => {
    server = await startServer({ limits: 'off' });
    const { db, clock } = server.app.kernel;
    const person = { username: 'ada', email: 'ada@example.com', role: 'owner' as const };
    ada = await insertMember(db, person, null, clock.now());
    const flag = { key: 'dark-mode', name: 'Dark mode' };
    assert.equal((await server.call('/api/v2/flags/default', { method: 'POST', body: flag })).status, 201);
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const card = (page: Page, name: string) => page.getByRole('region', { name });
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

  /** What is in the clipboard comes there after the click. */
  async function copyCommand(page: Page, name: string): Promise<string> {
    await page.evaluate("navigator.clipboard.writeText('')");
    await card(page, name).getByRole('button', { name: 'Copy command' }).click();
    let copied = '';
    await eventually(async () => {
      copied = await page.evaluate<string>('navigator.clipboard.readText()');
      return copied !== '';
    }, 'the command in the clipboard');
    return copied;
  }

  test('a card of the first run turns green after its copied command was run unchanged in a shell', async () => {
    const { page, takeProblems, close } = await openConsole(browser, server, ada, '', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await heading(page, 'Three calls, and it runs');
    assert.match(await copyCommand(page, CARDS[0]!), /\$SIGNALBOX_TOKEN/);
    await page.getByRole('button', { name: 'Put tokens in' }).click();
    await page.getByRole('button', { name: 'Tokens are in' }).waitFor();
    for (const [index, name] of CARDS.entries()) {
      const client = ['curl', 'JavaScript', 'curl'][index]!;
      await card(page, name).getByRole('radio', { name: client }).click();
      const command = await copyCommand(page, name);
      const { stdout } = await promisify(execFile)('sh', ['-c', command], { timeout: PATIENCE_MS });
      assert.doesNotMatch(stdout, /"(message|error)":/);
      await card(page, name).getByText('Received').waitFor();
    }
    await page.getByText('All three calls have arrived').waitFor();
    assert.deepEqual(takeProblems(), []);
    await page.reload();
    await heading(page, 'Three calls, and it runs');
    assert.doesNotMatch(await page.content(), /api-\w{20}/, 'secrets are shown once');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await heading(page, 'Needs attention');
    await page.reload();
    await heading(page, 'Needs attention');
    await close();
  });

  test('what needs attention is snoozed at once, and Undo brings it back', async () => {
    const expiresAt = server.app.kernel.clock.now() + 3 * 24 * 60 * 60 * 1000;
    await giveToken(server, ada, { name: 'ci-deploy', expiresAt, role: 'reader' });
    const { value: token } = await giveToken(server, ada, { role: 'owner' });
    const call = (path: string, init: object = {}) => server.call(path, { token, ...init });
    const body = { name: 'shop-crawler', title: 'Shop crawler' };
    const made = await call('/v2/actors', { method: 'POST', body });
    const pinnedActors = [made.json['data'].id];
    await call('/signalbox/v1/me/preferences', { method: 'PATCH', body: { pinnedActors } });
    const { page, takeProblems, close } = await openConsole(browser, server, ada);
    const row = page.getByRole('listitem').filter({ hasText: 'The token ci-deploy expires' });
    await row.getByRole('link', { name: 'Replace the token' }).waitFor();
    await row.getByRole('button', { name: 'Snooze: ci-deploy' }).click();
    await page.getByRole('menuitem', { name: 'For one hour' }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'All clear' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await row.waitFor();
    const pins = page.getByRole('region', { name: 'Pinned Actors' });
    await pins.getByRole('link', { name: 'Shop crawler', exact: true }).waitFor();
    await pins.getByText('No runs yet').waitFor();
    await pins.getByRole('button', { name: 'Take Shop crawler from home' }).click();
    await pins.waitFor({ state: 'detached' });
    await eventually(
      async () => (await call('/signalbox/v1/me/preferences')).json['pinnedActors'].length === 0,
    );
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('the activity says that something is new, and shows it when it is asked for', async () => {
    const { page, takeProblems, close } = await openConsole(browser, server, ada);
    const activity = page.getByRole('list', { name: 'Activity' });
    await activity.getByRole('link', { name: 'Dark mode' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const flag = { key: 'new-search', name: 'New search' };
    await server.call('/api/v2/flags/default', { method: 'POST', body: flag });
    const fresh = page.getByRole('button', { name: '1 new, show' });
    await fresh.waitFor();
    assert.equal(await activity.getByRole('link', { name: 'New search' }).count(), 0, 'nothing has moved');
    await fresh.click();
    await activity.getByRole('link', { name: 'New search' }).waitFor();
    await fresh.waitFor({ state: 'detached' });
    const products = page.getByRole('group', { name: 'Filter the activity by product' });
    await products.getByRole('button', { name: 'Actors' }).click();
    await page.waitForURL(/\/console\/?\?product=actors$/);
    await activity.getByRole('link', { name: 'New search' }).waitFor({ state: 'detached' });
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a search is in the address, is moved over by keys, and says when nothing is found', async () => {
    const { page, takeProblems, close } = await openConsole(browser, server, ada, '/search');
    await page.getByRole('heading', { name: 'Search everything that you may see' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('dark');
    await page.waitForURL('**/search?q=dark');
    await page.getByRole('heading', { name: 'Flags' }).waitFor();
    assert.equal(await page.locator('mark').first().textContent(), 'Dark');
    await page.getByRole('button', { name: 'Flags 1', exact: true }).click();
    await page.waitForURL('**/search?q=dark&kinds=flag');
    await page.goto(`${server.url}/console/search?q=dark&kinds=token`);
    await page.getByRole('button', { name: 'Search all kinds' }).click();
    await page.getByRole('link', { name: 'Dark mode' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/flags/default/dark-mode');
    await page.goto(`${server.url}/console/search?q=back%20up%20and%20restore`);
    const guide = page.getByRole('link', { name: 'Back up and restore' });
    assert.equal(await guide.getAttribute('href'), '/docs/guide/operate#back-up-and-restore');
    await page.goto(`${server.url}/console/search?q=nowherezq`);
    await page.getByText('Nothing begins with “nowherezq”').waitFor();
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('home, the first run and the search have no barrier, in both themes, wide and narrow', async () => {
    // Each look takes seconds: two of the four pairs have every theme and every width.
    for (const [index, colorScheme] of THEMES.entries()) {
      const width = WIDTHS[index]!;
      const { page, takeProblems, close } = await openConsole(browser, server, ada, '', {
        colorScheme,
        viewport: { width, height: 900 },
      });
      for (const [path, shown] of [
        ['', 'list'],
        ['?first=1', 'radio'],
        ['/search?q=dark', 'link'],
      ] as const) {
        await page.goto(`${server.url}/console${path}`);
        await page.locator('#main').getByRole(shown).first().waitFor();
        assert.deepEqual(await findBarriers(page), [], `${path} ${colorScheme} ${width}`);
        const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.equal(await page.evaluate<number>(overflow), 0, `${path} at ${width} scrolls sideways`);
      }
      assert.deepEqual(takeProblems(), []);
      await close();
    }
  });

  test('the demo is loaded with one click, and removed with another that says what was changed', async () => {
    const { page, takeProblems, close } = await openConsole(browser, server, ada, '?first=1');
    await page.getByRole('button', { name: 'Load the demo' }).click();
    const remove = page.getByRole('button', { name: 'Remove the demo' });
    await remove.waitFor();
    await page.getByRole('link', { name: 'Demo shop' }).waitFor();
    const flag = { key: 'mine', name: 'Mine' };
    assert.equal((await server.call('/api/v2/flags/demo', { method: 'POST', body: flag })).status, 201);
    await page.reload();
    await remove.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Demo shop').waitFor();
    await dialog.getByText(/changed by admin@/).waitFor();
    await dialog.getByRole('button', { name: 'Remove all of it' }).click();
    await page.getByRole('button', { name: 'Load the demo' }).waitFor();
    assert.equal((await server.call('/api/v2/projects/demo')).status, 404);
    assert.deepEqual(takeProblems(), []);
    await close();
  });
});
