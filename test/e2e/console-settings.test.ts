// Settings in the console, in a real browser: a password for one who came by a link, sessions that end elsewhere, preferences.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { totpCode, totpStepAt } from '../../src/kernel/identity/second-factor/totp.ts';
import { insertMember, type Member } from '../../src/kernel/identity/store-members.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { quickHashOf } from '../people.ts';
import { startServer, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole } from './console.ts';

describe('settings in the console', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let ada: Member;

  before(async () => {
    server = await startServer({ limits: 'off' });
    const { db, clock } = server.app.kernel;
    const member = { username: 'ada', email: 'ada@example.com', role: 'owner' as const };
    ada = await insertMember(db, member, null, clock.now());
    const other = { username: 'bob', email: 'bob@example.com', role: 'reader' as const };
    await insertMember(db, other, null, clock.now());
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  test('who came by a link is asked for a password, which no call of the page shows', async () => {
    const { page, takeProblems, close } = await openConsole(browser, server, ada, '/account/settings');
    await page.getByText('You have no password yet').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('button', { name: 'Set a password' }).click();
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('At least 8 characters.', { exact: true }).waitFor();
    await page.getByLabel('New password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('The password is set').waitFor();
    await page.getByText('You have no password yet').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Settings' }).click();
    await page.keyboard.press('a');
    const drawer = page.getByRole('region', { name: 'Calls of this page' });
    await drawer.getByText('/signalbox/v1/me/password').first().click();
    await drawer.getByText('"password":"…"').waitFor();
    assert.equal((await page.content()).includes('correct horse'), false);
    await drawer.getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Present password').fill('wrong');
    await page.getByLabel('New password').fill('another one here');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('The present password is wrong.').waitFor();
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test("ending another session leads that browser's page to the login, and it keeps its place", async () => {
    const here = await openConsole(browser, server, ada, '/account/settings');
    const there = await openConsole(browser, server, ada, '/account/tokens');
    await here.page.reload();
    const rows = here.page.getByRole('table', { name: 'Sessions' }).locator('tbody tr');
    await eventually(async () => (await rows.count()) >= 2, 'both sessions are listed');
    const own = rows.filter({ hasText: 'this browser' });
    assert.equal(await own.getByRole('button', { name: /^End/ }).count(), 0);
    await here.page.getByRole('button', { name: 'End all others' }).click();
    const question = here.page.getByRole('dialog');
    await question.getByRole('button', { name: 'End all other sessions' }).click();
    await eventually(async () => (await rows.count()) === 1, 'the others are gone from the list');
    // A call of the page itself may have been refused first: then the link is behind the dialog already.
    await there.page.getByRole('link', { name: 'Home' }).dispatchEvent('click');
    await there.page.getByRole('dialog', { name: 'Log in to go on' }).waitFor();
    assert.equal(await here.page.getByRole('dialog').count(), 0);
    assert.deepEqual([...here.takeProblems(), ...there.takeProblems()], []);
    await here.close();
    await there.close();
  });

  test('name, time zone and keys are kept, and an address that somebody has is refused at its field', async () => {
    const { page, takeProblems, close } = await openConsole(browser, server, ada, '/account/settings');
    await page.getByLabel('First name').fill('Ada');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    await page.getByLabel('E-mail').fill('bob@example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.fld', { hasText: 'E-mail' }).locator('.err').waitFor();
    // Both are shown before they are saved.
    const isSaved = (name: string) =>
      page.waitForResponse((reply) => reply.request().postData()?.includes(name) === true);
    const saved = [isSaved('timeZone'), isSaved('hasKeys')];
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await page.getByRole('switch', { name: 'Single keys' }).click();
    await Promise.all(saved);
    await page.reload();
    const zone = page.getByLabel('Time zone');
    await eventually(async () => (await zone.inputValue()) === 'Asia/Tokyo', 'the preferences are read');
    const firstName = page.getByLabel('First name');
    await eventually(async () => (await firstName.inputValue()) === 'Ada', 'the profile is read');
    await page.keyboard.press('a');
    assert.equal(await page.getByRole('region', { name: 'Calls of this page' }).count(), 0);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a second factor is turned on with an app, shown once, and asked for where a session has ended', async () => {
    const { db, clock } = server.app.kernel;
    const member = { username: 'eve', email: 'eve@example.com', role: 'owner' as const };
    const eve = await insertMember(db, member, await quickHashOf('correct horse'), clock.now());
    const { page, takeProblems, close } = await openConsole(browser, server, eve, '/account/settings');
    await page.getByRole('button', { name: 'Turn on' }).click();
    const dialog = page.getByRole('dialog', { name: 'Turn on the second factor' });
    await dialog.getByLabel('Present password').fill('correct horse');
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByRole('img', { name: 'The secret as a picture for an authenticator app' }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    const secret = (await dialog.locator('.secret code').textContent())!;
    const codeNow = () => totpCode(secret, totpStepAt(clock.now()));
    await dialog.getByLabel('Code').fill('000000');
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await dialog.getByText('The code is wrong, or was used before.').waitFor();
    await dialog.getByLabel('Code').fill(codeNow());
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    const shown = page.getByRole('dialog', { name: 'Your recovery codes' });
    await shown.waitFor();
    const codes = (await shown.locator('.secret code').textContent())!.split('\n');
    assert.equal(codes.length, 10);
    assert.deepEqual(await findBarriers(page), []);
    await shown.getByLabel('I have stored it in a safe place').click();
    await shown.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Recovery codes left').waitFor();
    assert.equal((await page.content()).includes(secret), false);
    const { id } = eve;
    await db.deleteFrom('sessions').where('member_id', '=', id).execute();
    await server.app.kernel.identity.invalidate();
    await page.getByRole('link', { name: 'Home' }).dispatchEvent('click');
    const login = page.getByRole('dialog', { name: 'Log in to go on' });
    await login.getByLabel('Username or e-mail').fill('eve');
    await login.getByLabel('Password').fill('correct horse');
    await login.getByRole('button', { name: 'Log in', exact: true }).click();
    await login.getByLabel(/^Code of your authenticator app/).fill(codes[0]!);
    await login.getByRole('button', { name: 'Log in', exact: true }).click();
    await login.waitFor({ state: 'detached' });
    // The one login without its code was refused as it should be.
    takeProblems();
    await close();
  });
});
