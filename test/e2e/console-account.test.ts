// The account pages of the console in a browser: the audit log, members, and the state of the server.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { insertMember, type Member } from '../../src/kernel/identity/store-members.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { startServer, type TestServer } from '../server.ts';
import { noBrowser, openProfile, startBrowser } from './browser.ts';
import { findBarriers, openConsole } from './console.ts';

const FLAGS = 60;
/** The other end of what is looked at: narrow and dark. */
const PHONE = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' as const };

describe('account pages of the console', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let owner: Member;
  let reader: Member;

  before(async () => {
    server = await startServer({ limits: 'off' });
    const { db, clock } = server.app.kernel;
    const person = (username: string, role: 'owner' | 'reader') =>
      insertMember(db, { username, email: `${username}@example.com`, role }, null, clock.now());
    owner = await person('ada', 'owner');
    reader = await person('rea', 'reader');
    for (let index = 0; index < FLAGS; index++) await createFlag(`night-${index}`);
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function createFlag(key: string): Promise<void> {
    const made = await server.call('/api/v2/flags/default', { method: 'POST', body: { key, name: key } });
    assert.equal(made.status, 201);
  }

  const rowsOf = (page: Page) =>
    page.evaluate<string[]>("[...document.querySelectorAll('tr[data-key]')].map((row) => row.dataset.key)");
  const isScrolledSideways = (page: Page) =>
    page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
  const waitForRows = (page: Page, count: number) =>
    eventually(async () => (await rowsOf(page)).length === count, `a list of ${count} rows`);
  /** What is said is in the toast, and in the live region. */
  const said = (page: Page, text: string | RegExp) =>
    page.getByRole('region', { name: 'Notifications' }).getByText(text).waitFor();

  test('a filtered, scrolled audit log shows the same rows and the same entry in a second browser', async () => {
    const first = await openConsole(browser, server, owner, '/account/audit?product=flags');
    const { page } = first;
    await waitForRows(page, 50);
    await page.getByLabel('Filter by words').fill('night');
    await page.waitForURL(/q=night/);
    await waitForRows(page, 50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await waitForRows(page, FLAGS);
    await page.getByRole('link', { name: 'created the flag night-3', exact: false }).last().click();
    await page.getByRole('heading', { name: /created the flag night-3/ }).waitFor();
    await page.getByRole('region', { name: 'Before and after' }).waitFor();
    const rows = await rowsOf(page);
    assert.equal(new Set(rows).size, FLAGS);

    const second = await openConsole(
      browser,
      server,
      owner,
      page.url().slice(`${server.url}/console`.length),
    );
    await waitForRows(second.page, FLAGS);
    assert.deepEqual(await rowsOf(second.page), rows);
    await second.page.getByRole('heading', { name: /created the flag night-3/ }).waitFor();
    assert.deepEqual([...first.takeProblems(), ...second.takeProblems()], []);
    assert.deepEqual([...(await findBarriers(page)), ...(await findBarriers(second.page))], []);
    assert.equal(await isScrolledSideways(second.page), false);
    await Promise.all([first.close(), second.close()]);
  });

  test('changes that come are counted, and move nothing until they are shown; an export has all that fits', async () => {
    const { page, takeProblems, close } = await openConsole(browser, server, owner, '/account/audit?q=dusk');
    await page.getByRole('heading', { name: 'No change matches' }).waitFor();
    await createFlag('dusk-1');
    await page.getByText('1 new').waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await waitForRows(page, 1);
    const rows = await rowsOf(page);
    await createFlag('dusk-2');
    await page.getByText('1 new').waitFor();
    assert.deepEqual(await rowsOf(page), rows);
    await page.getByRole('button', { name: 'Export' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'As JSON lines' }).click();
    const lines = (await readFile(await (await saved).path(), 'utf8')).trim().split('\n');
    const names = lines.map((line) => (JSON.parse(line) as { name: string }).name);
    assert.deepEqual(names, ['dusk-2', 'dusk-1']);
    await page.getByText('Saved 2 changes').waitFor();
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('somebody who is invited comes in by the link that the page has shown once', async () => {
    const { page, takeProblems, close } = await openConsole(browser, server, owner, '/account/members');
    await waitForRows(page, 3);
    await page.keyboard.press('c');
    await page.getByLabel('E-mail addresses').fill('Grace Hopper <grace@example.com>, ada@example.com');
    await page.getByRole('radio', { name: /Writer/ }).check();
    await page.getByRole('button', { name: 'Invite 2 people' }).click();
    await page.getByText('These addresses are members already: ada@example.com').waitFor();
    await page.getByLabel('E-mail addresses').fill('Grace Hopper <grace@example.com>');
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    const link = await page.locator('.secret code').innerText();
    assert.ok(link.startsWith(`${server.url}/session/`));
    await page.getByRole('button', { name: 'I have handed it over' }).click();
    await waitForRows(page, 4);
    const secret = link.slice(`${server.url}/session/`.length);
    assert.ok(!(await page.content()).includes(secret), 'the link is shown once');
    assert.ok(!page.url().includes('invite'));

    const guest = await openProfile(browser);
    const theirs = await guest.newPage();
    await theirs.goto(link);
    await theirs.getByRole('button', { name: 'Log in' }).click();
    await theirs.waitForURL(/\/console/);
    await theirs.goto(`${server.url}/console/account/members`);
    await theirs.getByText('grace@example.com').waitFor();
    await guest.close();

    await page.reload();
    await page.getByRole('link', { name: /Grace Hopper/ }).click();
    await page.getByText('May create, change and delete projects', { exact: false }).waitFor();
    await page.getByLabel('Role', { exact: true }).selectOption('reader');
    await page.getByRole('button', { name: 'Review the change…' }).click();
    await page.getByText('Role: Writer becomes Reader.').waitFor();
    await page.getByRole('button', { name: 'Change it' }).click();
    await said(page, 'Grace Hopper has other permissions now.');
    await page
      .getByText('May create, change and delete projects', { exact: false })
      .waitFor({ state: 'detached' });
    assert.deepEqual(await findBarriers(page), []);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('removing a member says what happens, and takes their username', async () => {
    const { db, clock } = server.app.kernel;
    const gone = { username: 'gone', email: 'gone@example.com', role: 'reader' as const };
    const { id } = await insertMember(db, gone, null, clock.now());
    await db.updateTable('members').set({ last_seen_at: clock.now() }).where('id', '=', id).execute();
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      owner,
      `/account/members?member=${id}`,
    );
    await page.getByRole('button', { name: 'Remove the member' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Hand over first what others need', { exact: false }).waitFor();
    const button = dialog.getByRole('button', { name: 'Remove gone' });
    assert.equal(await button.getAttribute('aria-disabled'), 'true');
    await dialog.getByRole('textbox').fill('gone');
    await button.click();
    await said(page, 'gone is no longer a member.');
    assert.equal((await server.call(`/api/v2/members/${id}`)).status, 404);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('the state of the server is shown to its owner, and a reader learns which permission is missing', async () => {
    const own = await openConsole(browser, server, owner, '/account/system');
    await own.page.getByRole('heading', { name: 'Due work' }).waitFor();
    await own.page.getByLabel('Level of this node').selectOption('error');
    await said(own.page, 'This node now logs error.');
    assert.equal(server.app.kernel.log.level, 'error');
    await own.page.getByRole('button', { name: 'Undo' }).click();
    await said(own.page, /This node now logs (?!error)/);
    assert.deepEqual(await findBarriers(own.page), []);
    assert.deepEqual(own.takeProblems(), []);
    await own.close();

    const other = await openConsole(browser, server, reader, '/account/system', PHONE);
    await other.page.getByRole('heading', { name: 'You may not see this' }).waitFor();
    await other.page.getByText('administerServer').waitFor();
    await other.page.goto(`${server.url}/console/account/members`);
    await waitForRows(other.page, 4);
    await other.page.getByRole('button', { name: 'Invite', exact: true, disabled: true }).waitFor();
    assert.deepEqual(await findBarriers(other.page), []);
    assert.equal(await isScrolledSideways(other.page), false);
    assert.deepEqual(other.takeProblems(), []);
    await other.close();
  });
});
