// Pages for members in a real browser: the login keeps the second secret, shells fetch pages, forms are sent, logging out removes both.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { hashPassword } from '../../src/kernel/secrets/secret.ts';
import { insertMember, type Member } from '../../src/kernel/identity/store-members.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { startServer, type TestServer } from '../server.ts';
import { logIn, noBrowser, openProfile, startBrowser } from './browser.ts';

describe('in a browser', { skip: noBrowser, timeout: 5 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let ada: Member;
  let thief: Server;
  let stolen: string | undefined;
  const secretIn = () => page.evaluate<string | null>("localStorage.getItem('signalbox_session')");
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

  before(async () => {
    server = await startServer({ limits: 'off' });
    const { db, clock } = server.app.kernel;
    const member = { username: 'ada', email: 'ada@example.com', role: 'owner' as const };
    ada = await insertMember(db, member, await hashPassword('the password'), clock.now());
    thief = createServer((request, response) => {
      stolen = request.headers.cookie;
      response.end('hello');
    });
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
    browser = await startBrowser();
    context = await openProfile(browser);
    page = await context.newPage();
  });
  after(async () => {
    await browser?.close();
    thief?.close();
    await server?.stop();
  });

  test('a page leads through the login and back, and its forms are sent by its script', async () => {
    await page.goto(`${server.url}/settings/apps/new`);
    await page.waitForURL(`${server.url}/session?return=*`);
    await page.locator('[name=name]').fill('ada');
    await page.locator('[name=password]').fill('the password');
    await page.locator('[name=password]').press('Enter');
    await page.waitForURL(`${server.url}/settings/apps/new`);
    const manifest = {
      name: 'Night Watch',
      url: 'https://builder.example',
      default_permissions: { contents: 'read' },
    };
    await page.locator('[name=manifest]').fill(JSON.stringify(manifest));
    await page.locator('main button').click();
    await page.waitForURL(`${server.url}/settings/apps/new?manifest=*`);
    await page.getByRole('button', { name: 'Register the app for ada' }).click();
    await page.getByText('app-manifests/').first().waitFor();
  });

  test('another port of the host gets the cookie, and nothing for it', async () => {
    await page.goto(`http://127.0.0.1:${(thief.address() as AddressInfo).port}/`);
    assert.match(stolen!, /^signalbox_session=\w{43}; signalbox_known=[\w.-]+$/);
    const headers = { cookie: stolen!, origin: server.url, 'sec-fetch-site': 'same-origin' };
    const token = await server.call('/api/v2/tokens', { method: 'POST', token: null, headers, body: {} });
    assert.equal(token.status, 401);
    assert.equal(await secretIn(), null, 'the storage is that of the other origin');
  });

  test('logging out ends the session, and removes the secret', async () => {
    await page.goto(`${server.url}/session`);
    await heading('Logged in as ada');
    assert.match((await secretIn())!, /^\w{43}$/);
    await page.getByRole('button', { name: 'Log out' }).click();
    await heading('Log in');
    await eventually(async () => (await secretIn()) === null, 'the secret is gone');
  });

  test('with a cookie whose second secret is gone one logs in again, and comes back', async () => {
    await logIn(page, server, ada);
    await page.evaluate("localStorage.setItem('signalbox_session', 'another')");
    await page.goto(`${server.url}/settings/apps`);
    await heading('Log in');
    await page.locator('[name=name]').fill('ada');
    await page.locator('[name=password]').fill('the password');
    await page.locator('[name=password]').press('Enter');
    await heading('Apps of ada');
    await page.waitForURL(`${server.url}/settings/apps`);
  });
});
