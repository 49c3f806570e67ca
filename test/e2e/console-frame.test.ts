// The frame of the console in a real browser: the way in, the session, one stream for all tabs, and what has no secure context.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { insertMember, type Member } from '../../src/kernel/identity/store-members.ts';
import { insertLoginLink } from '../../src/kernel/identity/sessions/store-login-links.ts';
import { hashPassword } from '../../src/kernel/secrets/secret.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { fixedPort } from '../fixed-port.ts';
import { startServer, type TestServer } from '../server.ts';
import { ELSEWHERE, noBrowser, openProfile, startBrowser } from './browser.ts';
import { openConsole } from './console.ts';

describe('the frame of the console', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let ada: Member;

  before(async () => {
    server = await startServer({ limits: 'off' });
    const { db, clock } = server.app.kernel;
    const member = { username: 'ada', email: 'ada@example.com', role: 'owner' as const };
    ada = await insertMember(db, member, await hashPassword('the password'), clock.now());
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const isLive = (page: Page) => page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  const openStreams = async (node: TestServer) => {
    const metrics = (await node.call('/metrics', { token: null })).text;
    return Number(/^signalbox_change_streams(?:\{[^}]*\})? (\d+)/m.exec(metrics)?.[1] ?? Number.NaN);
  };

  test('opening the server without a session ends at the login, and a login link leads home', async () => {
    const context = await openProfile(browser);
    const page = await context.newPage();
    await page.goto(server.url);
    await page.waitForURL(`${server.url}/session?return=%2Fconsole`);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    const { kernel } = server.app;
    await page.goto(`${server.url}/session/${await insertLoginLink(kernel.db, ada, kernel.clock.now())}`);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL(`${server.url}/console`);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.goto(server.url);
    await page.waitForURL(`${server.url}/console`);
    const { status, json } = await server.call('/', { token: null });
    assert.equal(status, 200);
    assert.ok('current_user_url' in json);
    await context.close();
  });

  test('a session that ends is renewed over the page, which goes on where it was', async () => {
    const { page, close } = await openConsole(browser, server, ada, '/account/settings');
    await isLive(page);
    await page.getByRole('button', { name: 'ada: account' }).waitFor();
    await page.evaluate('window.kept = true');
    await server.app.kernel.db.deleteFrom('sessions').execute();
    await server.app.kernel.identity.invalidate();
    const dialog = page.getByRole('dialog', { name: 'Log in to go on' });
    // A call of the page itself may have been refused first: then the link is behind the dialog already.
    await page.getByRole('link', { name: 'Home' }).dispatchEvent('click');
    await dialog.waitFor();
    assert.equal(await dialog.getByLabel('Username or e-mail').inputValue(), 'ada');
    await dialog.getByLabel('Password').fill('wrong');
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await dialog.getByText('The name or the password is wrong.').waitFor();
    await dialog.getByLabel('Password').fill('the password');
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await dialog.waitFor({ state: 'detached' });
    await isLive(page);
    assert.equal(await page.evaluate('window.kept'), true, 'the page was not loaded again');
    await close();
  });

  test('logging out in one tab is seen in the other, and leads back to its page', async () => {
    const { page, close } = await openConsole(browser, server, ada, '/account/settings?x=1');
    const other = await page.context().newPage();
    await other.goto(`${server.url}/console`);
    await other.getByRole('button', { name: 'ada: account' }).click();
    await other.getByRole('menuitem', { name: 'Log out' }).click();
    const dialog = page.getByRole('dialog', { name: 'You have logged out' });
    await dialog.waitFor();
    await dialog.getByRole('link', { name: 'To the login' }).click();
    await page.waitForURL(`${server.url}/session?return=%2Fconsole%2Faccount%2Fsettings%3Fx%3D1`);
    await close();
  });

  test('tabs share one stream, and another goes on with it when the first is closed', async () => {
    const { page, close } = await openConsole(browser, server, ada);
    await isLive(page);
    const hasOne = () => eventually(async () => (await openStreams(server)) === 1, 'one stream');
    await hasOne();
    const other = await page.context().newPage();
    await other.goto(`${server.url}/console/account/settings`);
    await isLive(other);
    await hasOne();
    await page.close();
    await hasOne();
    await isLive(other);
    await close();
  });

  test('what changes while it is being read is read once more', async () => {
    const { page, close } = await openConsole(browser, server, ada, '/environments');
    await isLive(page);
    const other = await page.context().newPage();
    const late = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    await other.route(
      '**/api/v2/projects?*',
      async (route) => {
        const response = await route.fetch();
        answered.resolve();
        await late.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await other.goto(`${server.url}/console/environments`);
    await isLive(other);
    await answered.promise;
    const made = await server.call('/api/v2/projects', {
      method: 'POST',
      body: { key: 'late', name: 'Late project' },
    });
    assert.equal(made.status, 201, made.text);
    // Both tabs hear of it at once.
    await page.getByText('1 new').waitFor();
    late.resolve();
    await other
      .getByText('1 new')
      .or(other.getByRole('link', { name: 'Late project' }))
      .first()
      .waitFor();
    await close();
  });

  test('on plain http at an address of the network, texts are copied and tabs share the stream', async () => {
    const port = await fixedPort();
    const publicUrl = `http://${ELSEWHERE}:${port}`;
    const node = await startServer({ limits: 'off', port, publicUrl });
    try {
      const { db, clock } = node.app.kernel;
      const bob = await insertMember(
        db,
        { username: 'bob', email: 'bob@example.com', role: 'owner' },
        null,
        clock.now(),
      );
      const { page, takeProblems, close } = await openConsole(
        browser,
        { ...node, app: node.app, log: node.log, url: publicUrl },
        bob,
      );
      assert.equal(await page.evaluate('isSecureContext'), false);
      await isLive(page);
      const other = await page.context().newPage();
      await other.goto(`${publicUrl}/console/account/settings`);
      await isLive(other);
      await eventually(async () => (await openStreams(node)) === 1, 'one stream');
      await page.bringToFront();
      await page.keyboard.press('a');
      const drawer = page.getByRole('region', { name: 'Calls of this page' });
      await drawer.getByRole('button', { name: /Copy/ }).first().click();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').focus();
      await page.keyboard.press('Control+v');
      const pasted = async () => (await page.getByRole('combobox').inputValue()).startsWith('curl ');
      await eventually(pasted, 'the command in the palette');
      assert.deepEqual(takeProblems(), []);
      await close();
    } finally {
      await node.stop();
    }
  });
});
