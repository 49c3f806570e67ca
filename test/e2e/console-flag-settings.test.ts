// Settings around flags in a real browser: projects, environments and their keys, the end of a flag, and webhooks that fail.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { join } from '../people.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { openReceiver, type WebhookReceiver } from '../webhook-receiver.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole, THEMES, WIDTHS } from './console.ts';

const HOUR = 3_600_000;
const SEMANTIC_PATCH = 'application/json; domain-model=launchdarkly.semanticpatch';

describe('settings of flags in the console', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let receiver: WebhookReceiver;
  let isBroken = true;
  let ada: Awaited<ReturnType<typeof join>>;

  const call = async (path: string, init: Parameters<TestServer['call']>[1] = {}): Promise<Json> => {
    const { status, json, text } = await server.call(`/api/v2/${path}`, init);
    assert.ok(status < 300, text);
    return text === '' ? {} : json;
  };
  const post = (path: string, body: Json) => call(path, { method: 'POST', body });
  const instruct = (flag: string, body: Json) =>
    call(`flags/shop/${flag}`, { method: 'PATCH', headers: { 'content-type': SEMANTIC_PATCH }, body });

  before(async () => {
    receiver = await openReceiver((response) =>
      response.writeHead(isBroken ? 503 : 200).end(isBroken ? 'closed today' : 'thanks'),
    );
    server = await startServer({ limits: 'off', allowPrivateWebhooks: true });
    ada = await join(server, 'ada', { role: 'owner' });
    await post('projects', { key: 'shop', name: 'Shop' });
    await post('flags/shop', { key: 'base', name: 'Base', tags: ['web'] });
    await post('flags/shop', { key: 'above', name: 'Above' });
    const { variations } = await call('flags/shop/base');
    const prerequisite = { kind: 'addPrerequisite', key: 'base', variationId: variations[0]._id };
    await instruct('above', { environmentKey: 'test', instructions: [prerequisite] });
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    await receiver?.close();
  });

  const open = (path: string, options = {}) => openConsole(browser, server, ada, path, options);
  const dialog = (page: Page) => page.getByRole('dialog');
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const addTo = (page: Page, section: RegExp) =>
    page
      .locator('section', { has: page.getByRole('heading', { name: section }) })
      .getByRole('button', { name: 'Add…' });

  test('a project and an environment are created, and the API has them as they were typed', async () => {
    const { page, takeProblems, close } = await open('/environments');
    await button(page, 'New project').click();
    await dialog(page).getByLabel('Name').fill('Garden tools');
    assert.equal(await dialog(page).getByLabel('Key', { exact: true }).inputValue(), 'garden-tools');
    await dialog(page).getByLabel('Form of the keys of new flags').selectOption('kebabCase');
    await button(page, 'Create project').click();
    await page.getByRole('heading', { name: 'Garden tools', level: 1 }).waitFor();
    const project = await call('projects/garden-tools');
    assert.deepEqual([project['name'], project['namingConvention'].case], ['Garden tools', 'kebabCase']);

    await button(page, 'New environment').click();
    await dialog(page).getByLabel('Name').fill('Staging');
    await dialog(page).getByLabel('Time to live, in minutes').fill('61');
    await dialog(page).getByLabel('Require comments').check();
    await button(page, 'Create environment').click();
    await dialog(page).getByText('A whole number from 0 to 60.').waitFor();
    await dialog(page).getByLabel('Time to live, in minutes').fill('5');
    await button(page, 'Create environment').click();
    await page.getByRole('complementary', { name: 'Staging' }).waitFor();
    const made = await call('projects/garden-tools/environments/staging');
    assert.deepEqual([made['name'], made['requireComments'], made['defaultTtl']], ['Staging', true, 5]);
    assert.deepEqual(await findBarriers(page), []);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('an SDK key is shown on demand, and after its reset the old one works as long as was chosen', async () => {
    await post('projects', { key: 'keys', name: 'Keys' });
    await call('projects/keys/environments/production', {
      method: 'PATCH',
      body: [{ op: 'replace', path: '/critical', value: true }],
    });
    const keyNow = async () => (await call('projects/keys/environments/production'))['apiKey'] as string;
    const isGood = async (key: string) =>
      (await server.call('/sdk/latest-all', { token: null, headers: { authorization: key } })).status === 200;
    const first = await keyNow();
    const { page, takeProblems, close } = await open('/environments/keys?env=production');
    await page.getByText('sdk-••••').waitFor();
    assert.equal(await page.getByText(first).count(), 0);
    await button(page, 'Show the SDK key').click();
    await page.getByText(first).waitFor();

    await button(page, 'Reset the SDK key').click();
    const confirm = dialog(page).getByRole('button', { name: 'Reset the SDK key' });
    assert.equal(await confirm.getAttribute('aria-disabled'), 'true');
    await dialog(page).getByText('No SDK has connected to this environment').waitFor();
    await dialog(page).getByLabel('Type this to confirm').fill('production');
    await confirm.click();
    await page.getByText('The old one works until').waitFor();
    const second = await keyNow();
    assert.notEqual(second, first);
    assert.deepEqual([await isGood(first), await isGood(second)], [true, true]);
    await page.getByText(second).waitFor();

    await button(page, 'Reset the SDK key').click();
    await dialog(page).getByLabel('How long the old one works').selectOption('0');
    await dialog(page).getByText('What uses it now will fail at once.').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await dialog(page).getByLabel('Type this to confirm').fill('production');
    await confirm.click();
    await dialog(page).waitFor({ state: 'detached' });
    await eventually(async () => !(await isGood(second)));
    assert.equal(await isGood(await keyNow()), true);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a trigger is called by its address, which is shown once, and a target is let expire', async () => {
    await post('flags/shop', { key: 'alarmed', name: 'Alarmed' });
    const { variations } = await call('flags/shop/alarmed');
    const target = { kind: 'addUserTargets', variationId: variations[0]._id, values: ['grace'] };
    await instruct('alarmed', { environmentKey: 'test', instructions: [target] });
    const { page, takeProblems, close } = await open('/flags/shop/alarmed/settings?env=test');
    await addTo(page, /^Triggers in/).click();
    await dialog(page).getByText('New trigger in').waitFor();
    await dialog(page).getByLabel('When it is called').selectOption('turnFlagOn');
    await button(page, 'Create and show the address').click();
    const url = (await dialog(page).locator('.secret code').textContent())!;
    assert.equal((await fetch(url, { method: 'POST' })).status, 204);
    assert.equal((await call('flags/shop/alarmed'))['environments'].test.on, true);
    await dialog(page).getByLabel('I have stored it in a safe place').check();
    await button(page, 'Done').click();
    await dialog(page).waitFor({ state: 'detached' });
    assert.equal(await page.getByText(url).count(), 0);
    await addTo(page, /^Expiring targets in/).click();
    await dialog(page).getByLabel('Target').selectOption({ index: 1 });
    await button(page, 'Set the expiry').click();
    await dialog(page).waitFor({ state: 'detached' });
    const { items } = await call('flags/shop/alarmed/expiring-targets/test');
    assert.deepEqual(
      items.map(({ contextKey }: { contextKey: string }) => contextKey),
      ['grace'],
    );
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a big segment takes a file in, knows who is in it, and gives a file back', async () => {
    const body = { key: 'customers', name: 'Customers', unbounded: true, unboundedContextKind: 'user' };
    await post('segments/shop/test', body);
    const { page, takeProblems, close } = await open('/segments/shop/customers?env=test');
    await button(page, 'Import…').click();
    const file = { name: 'keys.csv', mimeType: 'text/csv', buffer: Buffer.from('ada\ngrace\n') };
    await dialog(page).locator('input[type="file"]').setInputFiles(file);
    await button(page, 'Import into Customers in test').click();
    await dialog(page).getByText('Import complete: 2 changed, 0 removed.').waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await page.locator('.keyform input').fill('grace');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'grace' }).waitFor();
    await button(page, 'Export').click();
    await page.getByText('The file is ready').waitFor();
    const download = page.waitForEvent('download');
    await button(page, 'Download').click();
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\n');
    assert.equal(lines.length, 2, lines.join(', '));
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a flag that others need is neither archived nor deleted; without them both work', async () => {
    const { page, takeProblems, close } = await open('/flags/shop/base/settings?env=test');
    await page.getByLabel('Name', { exact: true }).fill('The base');
    await page.getByLabel('Tags optional').fill('core');
    await page.keyboard.press('Enter');
    await button(page, 'Review and save…').click();
    await dialog(page).getByText('The base').first().waitFor();
    await dialog(page).getByRole('button', { name: 'Save now' }).click();
    await page.getByRole('heading', { name: 'The base', level: 1 }).waitFor();
    const saved = await call('flags/shop/base');
    assert.deepEqual([saved['name'], saved['tags']], ['The base', ['core', 'web']]);

    const archive = button(page, 'Archive…');
    await eventually(async () => (await archive.getAttribute('aria-disabled')) === 'true');
    await button(page, 'Delete…').click();
    await dialog(page).getByRole('link', { name: 'Above' }).waitFor();
    await dialog(page).getByLabel('Type this to confirm').fill('base');
    const remove = dialog(page).getByRole('button', { name: 'Delete the flag' });
    assert.equal(await remove.getAttribute('aria-disabled'), 'true');
    assert.deepEqual(await findBarriers(page), []);
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();

    await instruct('above', {
      environmentKey: 'test',
      instructions: [{ kind: 'removePrerequisite', key: 'base' }],
    });
    await eventually(async () => (await archive.getAttribute('aria-disabled')) === null);
    await archive.click();
    await dialog(page).getByRole('button', { name: 'Save now' }).click();
    await button(page, 'Restore').waitFor();
    assert.equal((await call('flags/shop/base'))['archived'], true);
    await button(page, 'Delete…').click();
    await dialog(page).getByText('No other flag depends on it.').waitFor();
    await dialog(page).getByLabel('Type this to confirm').fill('base');
    await remove.click();
    await page.getByText('The flag “The base” is deleted.').first().waitFor();
    assert.equal((await server.call('/api/v2/flags/shop/base')).status, 404);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a webhook that fails shows each attempt, and once the receiver is mended it is delivered', async () => {
    const { page, takeProblems, close } = await open('/account/webhooks?new=webhook');
    await dialog(page).getByLabel('Name optional').fill('Board');
    await dialog(page).getByLabel('Address').fill(`${receiver.url}/board`);
    await button(page, 'Create').click();
    await dialog(page).getByText('This is the only time that it is shown.').waitFor();
    const secret = await dialog(page).locator('.secret code').innerText();
    await dialog(page).getByLabel('I have stored it in a safe place').check();
    await button(page, 'Done').click();
    await page.getByRole('complementary', { name: 'Board' }).waitFor();
    assert.equal((await page.content()).includes(secret), false);

    await button(page, 'Send a test').click();
    await receiver.wait('/board', 2);
    // The next attempt comes when it is asked for.
    server.clock.stop();
    await page.getByRole('radio', { name: 'Waiting' }).click();
    const row = page.locator('.hook-dels li', { hasText: 'test' });
    await row.getByRole('button', { name: 'Waiting' }).click();
    await row.getByText('Attempt 1').waitFor();
    await row.getByText('Status 503').first().waitFor();
    await row.getByText('closed today').first().waitFor();
    await row.getByText('tested the webhook').first().waitFor();
    await page.getByRole('button', { name: /^Failing 1/ }).waitFor();
    assert.deepEqual(await findBarriers(page), []);

    isBroken = false;
    await row.getByRole('button', { name: 'Send once more' }).click();
    await page.getByRole('radio', { name: 'Delivered' }).click();
    await row.getByRole('button', { name: 'Delivered' }).waitFor();
    // So do others that have failed, at their time.
    server.clock.ahead += HOUR;
    const { items } = (await server.call('/signalbox/v1/flag-webhooks')).json;
    await eventually(async () => {
      const { json } = await server.call(`/signalbox/v1/webhook-deliveries?webhook=${items[0].id}`);
      return json['items'].every(({ state }: Json) => state === 'delivered');
    });
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('the pages open without a fault, a barrier or sideways scrolling, narrow and wide, light and dark', async () => {
    await post('flags/shop', {
      key: 'limits',
      name: 'Limits',
      variations: [{ value: { most: 5 } }, { value: { most: 9 }, name: 'Many' }],
    });
    await post('account/relay-auto-configs', {
      name: 'Frankfurt',
      policy: [{ effect: 'allow', actions: ['*'], resources: ['proj/shop:env/*'] }],
    });
    const places: [path: string, shown: string][] = [
      ['/environments', 'Shop'],
      ['/environments/shop?env=test', 'Client-side ID'],
      ['/flags/shop/limits/variations', 'Defaults of new environments'],
      ['/flags/shop/limits/usage', 'No evaluations were reported in this time.'],
      ['/flags/shop/limits/code', 'No code refers to this flag'],
      ['/flags/shop/limits/settings', 'Available to'],
      ['/account/webhooks', 'Flags and account'],
      ['/account/webhooks?tab=relay', 'Frankfurt'],
    ];
    for (const [index, width] of WIDTHS.entries()) {
      const colorScheme = THEMES[index]!;
      const { page, takeProblems, close } = await open('', { viewport: { width, height: 800 }, colorScheme });
      for (const [path, shown] of places) {
        await page.goto(`${server.url}/console${path}`);
        await page.getByText(shown).first().waitFor();
        assert.deepEqual(await findBarriers(page), [], `${path} at ${width}`);
        const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        assert.equal(isWide, false, `${path} scrolls sideways at ${width}`);
      }
      assert.deepEqual(takeProblems(), []);
      await close();
    }
  });
});
