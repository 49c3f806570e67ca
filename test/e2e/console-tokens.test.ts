// Tokens in the console, in a real browser: created with a secret that is shown once, seen in use, rotated, revoked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { insertMember, type Member } from '../../src/kernel/identity/store-members.ts';
import { PATIENCE_MS } from '../eventually.ts';
import { startServer, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole, type ConsolePage } from './console.ts';

describe('tokens in the console', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let ada: Member;
  let opened: ConsolePage;
  let page: Page;
  const dialog = () => page.getByRole('dialog');
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
  const statusOf = async (token: string) => (await server.call('/signalbox/v1/me', { token })).status;
  /** Everything that the page and the browser's storage hold. */
  const holdings = async () =>
    (await page.content()) +
    page.url() +
    (await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, history.state])'));

  before(async () => {
    server = await startServer({ limits: 'off' });
    const { db, clock } = server.app.kernel;
    const member = { username: 'ada', email: 'ada@example.com', role: 'owner' as const };
    ada = await insertMember(db, member, null, clock.now());
    browser = await startBrowser();
    opened = await openConsole(browser, server, ada, '/account/tokens');
    ({ page } = opened);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Fills in the form, and returns the secret that the dialog shows. */
  async function createToken(name: string): Promise<string> {
    await page.goto(`${server.url}/console/account/tokens?new=1`);
    await page.getByLabel('Name').fill(name);
    await page.getByRole('radio', { name: 'By role' }).click();
    await page.getByRole('button', { name: 'Create token' }).click();
    return await shownSecret();
  }

  async function shownSecret(): Promise<string> {
    const secret = await dialog().locator('.secret code').textContent();
    assert.match(secret!, /^api-\w{43}$/);
    return secret!;
  }

  async function storeSecret(): Promise<void> {
    await dialog().getByLabel('I have stored it in a safe place').check();
    await dialog().getByRole('button', { name: 'Done' }).click();
    await dialog().waitFor({ state: 'detached' });
  }

  test('a new token has its secret in the page once, is seen in use, and stops when it is revoked', async () => {
    await page.getByRole('heading', { name: 'No tokens yet' }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await page.keyboard.press('c');
    await heading('New token');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Give it a name.').waitFor();
    await page.getByText('Choose a task.').waitFor();
    await page.getByLabel('Name').fill('price-report');
    await page.getByText('Read flags', { exact: true }).click();
    await page.getByRole('combobox', { name: 'Project' }).selectOption('default');
    await page.getByText('proj/default').filter({ visible: true }).first().waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('button', { name: 'Create token' }).click();
    const secret = await shownSecret();
    assert.equal((await holdings()).split(secret).length, 2, 'once in the page, and nowhere else');
    assert.deepEqual(await findBarriers(page), []);
    await page.keyboard.press('Escape');
    assert.equal(await shownSecret(), secret, 'only the button closes it');

    await dialog().getByText('Waiting for its first call').waitFor();
    assert.equal(await statusOf(secret), 200);
    await dialog().getByText('It works').waitFor();
    await storeSecret();
    assert.equal((await holdings()).includes(secret), false);
    await page.keyboard.press('a');
    const drawer = page.getByRole('region', { name: 'Calls of this page' });
    await drawer.getByText('POST').first().click();
    await drawer.getByText('proj/default').first().waitFor();
    assert.equal((await holdings()).includes(secret), false, 'the drawer has the call without its reply');

    await page.reload();
    await page.getByRole('link', { name: 'price-report' }).click();
    const panel = page.getByRole('complementary', { name: 'price-report' });
    await panel.getByText('account API, getMe').waitFor();
    assert.equal((await holdings()).includes(secret), false);
    assert.deepEqual(await findBarriers(page), []);

    await panel.getByRole('button', { name: 'Revoke…' }).click();
    await dialog().getByText('Last used').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    assert.equal(await statusOf(secret), 200, 'nothing has happened yet');
    await dialog().getByRole('button', { name: 'Revoke the token' }).click();
    await dialog().waitFor({ state: 'detached' });
    assert.equal(await statusOf(secret), 401);
    await page.getByRole('heading', { name: 'No tokens yet' }).waitFor();
    assert.deepEqual(opened.takeProblems(), []);
  });

  test('rotating gives a new secret, and the old one works on for as long as was chosen', async () => {
    const old = await createToken('nightly');
    await storeSecret();
    await page.getByRole('link', { name: 'nightly' }).click();
    await page.getByRole('button', { name: 'Rotate…' }).click();
    await dialog().getByRole('combobox').selectOption({ label: '1 hour more' });
    await dialog().getByRole('button', { name: 'Rotate and show the new secret' }).click();
    await dialog().getByText('has a new secret').waitFor();
    const fresh = await shownSecret();
    assert.notEqual(fresh, old);
    await storeSecret();
    assert.deepEqual([await statusOf(old), await statusOf(fresh)], [200, 200]);
    server.clock.ahead += 61 * 60_000;
    assert.deepEqual([await statusOf(old), await statusOf(fresh)], [401, 200]);
    server.clock.ahead = 0;
    assert.deepEqual(opened.takeProblems(), []);
  });

  test('a policy is checked while it is written, and what was typed survives a reload', async () => {
    await page.goto(`${server.url}/console/account/tokens?new=1`);
    await page.getByLabel('Name').fill('by hand');
    await page.getByRole('radio', { name: 'Policy' }).click();
    const policy = page.getByLabel('Statements, as JSON');
    await policy.fill('[{ "effect": "allow", "actions": ["viewProject"] }]');
    await policy.blur();
    await page.getByText('Statement 1 needs exactly one of “resources” and “notResources”').waitFor();
    await policy.fill('[{ "effect": "allow", "actions": ["viewProject"], "resources": ["proj/*"] }]');
    await page.getByText('1 statement: the form is right.').waitFor();
    await page.reload();
    assert.equal(await page.getByLabel('Name').inputValue(), 'by hand');
    await page.getByRole('button', { name: 'Create token' }).click();
    const secret = await shownSecret();
    await storeSecret();
    assert.equal((await server.call('/api/v2/projects/default', { token: secret })).status, 200);
    assert.notEqual((await server.call('/api/v2/members', { token: secret })).status, 200);
  });

  test('of another member one sees the token, and may revoke it, but not rotate it', async () => {
    const token = await server.call('/api/v2/tokens', { method: 'POST', body: { name: 'of the admin' } });
    assert.equal(token.status, 201);
    await page.goto(`${server.url}/console/account/tokens`);
    await page.getByRole('link', { name: 'by hand' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'of the admin' }).count(), 0);
    await page.getByRole('button', { name: "Everyone's" }).click();
    await page.getByRole('link', { name: 'of the admin' }).click();
    const panel = page.getByRole('complementary', { name: 'of the admin' });
    const rotate = panel.getByRole('button', { name: 'Rotate…', disabled: true });
    // What is read above the button moves it.
    await panel.getByText('No calls in the last 7 days.').waitFor();
    // It is off for assistive technology, and pressing it says why.
    await rotate.click({ force: true });
    const reason = page.getByText('Only its owner can rotate a personal token.');
    await reason.waitFor();
    // Browsers tell of a scroll after it: one that moves nothing takes nothing away.
    await page.evaluate(
      "dispatchEvent(new Event('scroll')), new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))",
    );
    assert.ok(await reason.isVisible());
    await panel.getByRole('button', { name: 'Revoke…' }).click();
    await dialog().getByRole('button', { name: 'Revoke the token' }).click();
    await dialog().waitFor({ state: 'detached' });
    assert.equal(await statusOf(token.json['token']), 401);
    assert.deepEqual(opened.takeProblems(), []);
  });

  test('a reader is offered what a reader may give, and cannot see the tokens of others', async () => {
    const { db, clock } = server.app.kernel;
    const bob = { username: 'bob', email: 'bob@example.com', role: 'reader' as const };
    const own = await openConsole(
      browser,
      server,
      await insertMember(db, bob, null, clock.now()),
      '/account/tokens',
      {
        viewport: { width: 360, height: 740 },
        colorScheme: 'dark',
      },
    );
    await own.page.getByRole('link', { name: 'New token' }).first().click();
    await own.page.getByRole('radio', { name: 'By role' }).click();
    await own.page.getByRole('radio', { name: 'Reader' }).waitFor();
    assert.equal(await own.page.getByRole('radio', { name: 'Writer' }).count(), 0);
    assert.deepEqual(await findBarriers(own.page), []);
    const width = await own.page.evaluate<number>('document.documentElement.scrollWidth');
    assert.ok(width <= 360, `no sideways scrolling: ${width}`);
    await own.page.goto(`${server.url}/console/account/tokens`);
    await own.page.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor();
    assert.equal(await own.page.getByRole('button', { name: "Everyone's" }).count(), 0);
    assert.deepEqual(own.takeProblems(), []);
    await own.close();
  });
});
