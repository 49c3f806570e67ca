// A manifest that another site sends, in a real browser: through the login, or with a session, to the consent and back to the site.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { hashPassword } from '../../src/kernel/secrets/secret.ts';
import { insertMember } from '../../src/kernel/identity/store-members.ts';
import { MANIFEST } from '../app-forms.ts';
import { startServer, type TestServer } from '../server.ts';
import { ELSEWHERE, noBrowser, openProfile, startBrowser } from './browser.ts';

const options = { skip: noBrowser };
let server: TestServer;
let browser: Browser;
let site: Server;

before(async () => {
  if (noBrowser !== false) return;
  server = await startServer({ limits: 'off' });
  const { db, clock } = server.app.kernel;
  const member = { username: 'ada', email: 'ada@example.com', role: 'writer' as const };
  await insertMember(db, member, await hashPassword('the password'), clock.now());
  browser = await startBrowser();
  site = createServer((request, response) => {
    const manifest = {
      ...MANIFEST,
      name: 'From Elsewhere',
      redirect_url: `http://${request.headers.host}/made`,
    };
    const value = JSON.stringify(manifest).replaceAll('"', '&quot;');
    response.setHeader('content-type', 'text/html').end(
      `<form method="post" action="${server.url}/settings/apps/new?state=s1">
         <input type="hidden" name="manifest" value="${value}"><button>Register</button></form>`,
    );
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  if (noBrowser !== false) return;
  await browser.close();
  site.close();
  await server.stop();
});

/** From the button of the site to its code. */
async function consent(page: Page): Promise<void> {
  await page.waitForURL(`${server.url}/settings/apps/new?manifest=*`);
  // The button is there when the script of the page's shell has fetched the page.
  const button = page.getByRole('button', { name: 'Register the app for ada' });
  await button.waitFor();
  assert.equal(await page.title(), 'Register an app for ada · Signalbox');
  await button.click();
  await page.waitForURL(`http://${ELSEWHERE}:*/made?*`);
  const { searchParams } = new URL(page.url());
  assert.equal(searchParams.get('state'), 's1');
  assert.ok(searchParams.get('code')!.length > 20);
}

test(
  'a manifest of another site comes to the consent, with a session and through the login',
  options,
  async () => {
    const context = await openProfile(browser);
    const page = await context.newPage();
    const start = async () => {
      await page.goto(`http://${ELSEWHERE}:${(site.address() as AddressInfo).port}/`);
      await page.getByRole('button', { name: 'Register' }).click();
    };
    await start();
    await page.waitForURL(`${server.url}/session?return=*`);
    await page.locator('[name=name]').fill('ada');
    await page.locator('[name=password]').fill('the password');
    await page.locator('[name=password]').press('Enter');
    await consent(page);
    // The browser has a session now, which it sends with the page after the post of the other site.
    await start();
    await consent(page);
    await context.close();
  },
);
