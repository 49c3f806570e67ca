// Roles in the console, in a real browser: the tester says which statement decides, and saved cases guard the edits.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { insertMember, type Member } from '../../src/kernel/identity/store-members.ts';
import { PATIENCE_MS } from '../eventually.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole, type ConsolePage } from './console.ts';

const FLAG = 'proj/default:env/production:flag/dark-mode';
const ALLOW = { effect: 'allow', actions: ['update*'], resources: ['proj/*:env/*:flag/*'] };
const DENY = { effect: 'deny', actions: ['updateOn'], resources: ['proj/*:env/production:flag/*'] };

describe('roles in the console', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let ada: Member;
  let opened: ConsolePage;
  let page: Page;
  const open = (path: string) => page.goto(`${server.url}/console${path}`);
  const row = (at: number) => page.getByRole('listitem', { name: `Statement ${at}` });
  const roleNow = async (key: string) => (await server.call(`/api/v2/roles/${key}`)).json;
  const make = async (path: string, body: Json) => {
    const { status, text } = await server.call(path, { method: 'POST', body });
    assert.equal(status, 201, text);
  };
  const ask = async (action: string, resource: string) => {
    await page.getByLabel('Action', { exact: true }).fill(action);
    await page.getByLabel('Resource', { exact: true }).fill(resource);
  };

  before(async () => {
    server = await startServer({ limits: 'off' });
    const { db, clock } = server.app.kernel;
    const member = { username: 'ada', email: 'ada@example.com', role: 'owner' as const };
    ada = await insertMember(db, member, null, clock.now());
    for (const key of ['careful', 'guarded'])
      await make('/api/v2/roles', { key, name: `Role ${key}`, policy: [ALLOW, DENY] });
    browser = await startBrowser();
    opened = await openConsole(browser, server, ada, '/account/roles');
    ({ page } = opened);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  test('the tester says no by the statement that denies, and removing that statement turns the answer', async () => {
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('link', { name: 'Role careful' }).click();
    await page.getByRole('heading', { name: 'Role careful', level: 1 }).waitFor();
    await ask('updateOn', FLAG);
    await page.getByText('It is denied.').waitFor();
    await row(2).getByText('Decides').waitFor();
    assert.equal(await row(1).getByText('Decides').count(), 0);
    assert.deepEqual(await findBarriers(page), []);

    await page.getByRole('button', { name: 'Remove statement 2' }).click();
    await page.getByText('It is allowed.').waitFor();
    await row(1).getByText('Decides').waitFor();
    assert.equal(((await roleNow('careful'))['policy'] as Json[]).length, 2, 'nothing is saved yet');
    await page.reload();
    await page.getByText('It is allowed.').waitFor();

    await page.getByRole('button', { name: 'Review the change…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('region', { name: 'What changes in the role' }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await dialog.getByRole('button', { name: 'Save the role' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual((await roleNow('careful'))['policy'], [ALLOW]);
    assert.deepEqual(opened.takeProblems(), []);
  });

  test('a saved case fails when an edit breaks it, also one that is written as JSON', async () => {
    await open('/account/roles/guarded');
    await ask('updateOn', FLAG);
    await page.getByRole('button', { name: 'Keep: must be no' }).click();
    await page.getByText('As it should be').waitFor();
    await page.getByRole('radiogroup', { name: 'Effect of statement 2' }).getByText('Allow').click();
    await page.getByText('1 case fails').waitFor();

    await page.getByRole('radio', { name: 'JSON' }).click();
    const json = page.getByLabel('Statements, as JSON');
    const allowed = await json.inputValue();
    assert.deepEqual(JSON.parse(allowed), [ALLOW, { ...DENY, effect: 'allow' }]);
    await json.fill('[{');
    await page.getByText('The answer waits until the policy has no fault.').waitFor();
    await page.getByRole('radio', { name: 'Rows' }).click();
    await page.getByText('These statements cannot be shown as rows.').waitFor();
    await page.getByRole('radio', { name: 'JSON' }).click();
    assert.equal(await json.inputValue(), '[{', 'switching loses nothing');
    await json.fill(JSON.stringify([ALLOW, DENY]));
    await page.getByText('1 case passes').waitFor();
    assert.deepEqual(opened.takeProblems(), []);
  });

  test('a role that somebody else has changed meanwhile is not overwritten', async () => {
    await open('/account/roles/guarded');
    await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
    const changed = await server.call('/api/v2/roles/guarded', {
      method: 'PATCH',
      body: [{ op: 'replace', path: '/name', value: 'Theirs' }],
    });
    assert.equal(changed.status, 200, changed.text);
    await page.getByText('This role was changed elsewhere since you began.').waitFor();
    await page.getByRole('button', { name: 'Review the change…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save the role' }).click();
    await dialog.getByText('the test failed').waitFor();
    assert.equal((await roleNow('guarded'))['name'], 'Theirs');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Keep mine, on top of theirs' }).click();
    await page.getByRole('button', { name: 'Review the change…' }).click();
    await dialog.getByRole('button', { name: 'Save the role' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await roleNow('guarded'))['name'], 'Mine');
    assert.deepEqual(opened.takeProblems(), []);
  });
});
