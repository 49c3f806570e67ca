// The list of flags in a real browser: switches, guards, ten thousand rows, new flags, and a change of many together.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { insertManyFlags } from '../many-flags.ts';
import { startServer, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole } from './console.ts';

const SEMANTIC = { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' };
const MANY = 10_000;

describe('the list of flags', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let ada: HostPerson;

  before(async () => {
    server = await startServer({ limits: 'off' });
    ada = await joinHost(server, 'ada', { role: 'owner' });
    const made = await ada.post('/api/v2/projects', {
      key: 'shop',
      name: 'Shop',
      namingConvention: { case: 'kebabCase' },
      environments: [
        { key: 'test', name: 'Test', color: '417505' },
        { key: 'production', name: 'Production', color: 'f5a623', critical: true, requireComments: true },
      ],
    });
    assert.equal(made.status, 201, made.text);
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const createFlag = async (key: string, name: string) => {
    const { status, text } = await ada.post('/api/v2/flags/shop', { key, name });
    assert.equal(status, 201, text);
  };
  const isOn = async (key: string, environment: string) => {
    const { json } = await ada.get(`/api/v2/flags/shop/${key}`);
    return (json['environments'] as Record<string, { on: boolean }>)[environment]!.on;
  };
  const switchOf = (page: Page, name: string, checked: boolean) =>
    page.getByRole('switch', { name, exact: true, checked });
  /** The methods and paths of calls that change something. */
  const watchChanges = (page: Page) => {
    const changes: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (request.method() === 'PATCH' && pathname.startsWith('/api/')) changes.push(pathname);
    });
    return changes;
  };

  test('a switch outside of guarded environments acts at once, Undo takes it back, and both are in the audit log', async () => {
    await createFlag('dark-mode', 'Dark mode');
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, '/flags/shop');
    await page.getByText('Live', { exact: true }).waitFor();
    await switchOf(page, 'Dark mode in test', false).click();
    await switchOf(page, 'Dark mode in test', true).waitFor();
    // It stays while it is pointed at.
    await page.getByRole('region', { name: 'Notifications' }).getByText('Dark mode is on in test').hover();
    assert.equal(await isOn('dark-mode', 'test'), true);
    await page.getByRole('button', { name: 'Undo' }).click();
    await switchOf(page, 'Dark mode in test', false).waitFor();
    await eventually(async () => !(await isOn('dark-mode', 'test')), 'the flag off again');
    const spec = encodeURIComponent('proj/shop:env/test:flag/dark-mode');
    const { json } = await ada.get(`/api/v2/auditlog?spec=${spec}`);
    const verbs = (json['items'] as { titleVerb: string }[]).map(({ titleVerb }) => titleVerb);
    assert.deepEqual(verbs.slice(0, 2), ['turned off the flag', 'turned on the flag']);
    // What somebody else does shows without a reload, and is marked.
    const bob = await joinHost(server, 'bob', { role: 'writer' });
    const body = { environmentKey: 'test', instructions: [{ kind: 'turnFlagOn' }] };
    const changed = await bob.call('/api/v2/flags/shop/dark-mode', {
      method: 'PATCH',
      headers: SEMANTIC,
      body,
    });
    assert.equal(changed.status, 200, changed.text);
    await switchOf(page, 'Dark mode in test', true).waitFor();
    await page.getByText('1 changed elsewhere').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    assert.deepEqual(takeProblems(), []);
    // What was switched is so, even if the page is left at once.
    await switchOf(page, 'Dark mode in test', true).click();
    await page.goto('about:blank');
    await eventually(async () => !(await isOn('dark-mode', 'test')), 'the flag off once more');
    await close();
  });

  test('a switch in a critical environment needs its key and a comment, and who may not switch sees why', async () => {
    await createFlag('checkout', 'Checkout');
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/flags/shop?q=checkout',
    );
    const changes = watchChanges(page);
    await switchOf(page, 'Checkout in production', false).click();
    const dialog = page.getByRole('dialog', { name: 'Turn Checkout on in production' });
    const save = dialog.getByRole('button', { name: 'Save to production now' });
    await dialog.getByText('Turned on the flag').waitFor();
    await dialog.getByRole('textbox', { name: 'Comment' }).fill('Ready');
    const typed = dialog.getByRole('textbox', { name: 'Type production' });
    await typed.fill('produktion');
    assert.equal(await save.getAttribute('aria-disabled'), 'true');
    // A browser presses it all the same.
    await save.click({ force: true });
    await typed.press('Enter');
    assert.deepEqual(changes, []);
    assert.deepEqual(await findBarriers(page), []);
    await typed.fill('production');
    await save.click();
    await switchOf(page, 'Checkout in production', true).waitFor();
    assert.equal(await isOn('checkout', 'production'), true);
    assert.deepEqual(changes, ['/api/v2/flags/shop/checkout']);
    await page.getByRole('status', { name: 'production' }).waitFor();
    assert.deepEqual(takeProblems(), []);
    await close();

    const rita = await joinHost(server, 'rita', { role: 'reader' });
    const other = await openConsole(browser, server, rita.member, '/flags/shop?q=checkout');
    const locked = switchOf(other.page, 'Checkout in test', false);
    await other.page.locator('[role="switch"][aria-disabled="true"]').first().waitFor();
    await locked.focus();
    await locked.click({ force: true });
    await other.page.getByText('Needs updateOn on test').filter({ visible: true }).waitFor();
    assert.equal(await isOn('checkout', 'test'), false);
    await other.close();
  });

  test('of ten thousand flags the first are shown, others are found by typing, and only those near the window are drawn', async () => {
    await insertManyFlags(server.app.kernel, 'many', MANY);
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member);
    // A page that was read before the stream began is read once more.
    const offsets = new Set<string | null>();
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/api/v2/flags/many' && searchParams.get('limit') !== '1')
        offsets.add(searchParams.get('offset'));
    });
    await page.goto(`${server.url}/console/flags/many?sort=name`);
    await page.getByText('50 of 10,000 flags').waitFor();
    assert.deepEqual([...offsets], ['0']);
    const field = page.getByRole('combobox', { name: 'Filter flags' });
    await page.keyboard.press('/');
    await page.keyboard.type('flag-999 tag:tenth ');
    await page.getByText('1 flag', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Flag 9990' }).waitFor();
    assert.equal(await field.inputValue(), 'flag-999 ');
    assert.equal(new URL(page.url()).search, '?sort=name&q=flag-999&tag=tenth');
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await page.getByText('50 of 10,000 flags').waitFor();
    for (const shown of ['150', '250']) {
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.getByText(`${shown} of 10,000 flags`).waitFor();
    }
    // The page grows as rows are measured.
    await eventually(async () => {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      return await page.getByRole('link', { name: 'Flag 0250' }).isVisible();
    }, 'the last row that was read');
    assert.ok((await page.locator('tbody tr[data-key]').count()) < 200);
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), String(MANY + 1));
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a new flag has a key from its name, lands errors at their fields, and ends with a program that asks for it', async () => {
    await createFlag('sale-banner', 'Sale banner');
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, '/flags/shop');
    await page.getByRole('link', { name: 'Sale banner' }).waitFor();
    await page.keyboard.press('c');
    await page.getByRole('heading', { name: 'New flag' }).waitFor();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    const key = page.getByRole('textbox', { name: 'Key', exact: true });
    await name.fill('Sale banner');
    await page.getByText('Another flag of this project has this key.').waitFor();
    await key.fill('SaleBanner');
    await page.getByText('Keys of this project look like new-checkout.').waitFor();
    await page.getByRole('button', { name: 'From the name' }).click();
    await name.fill('Crème brûlée limit');
    assert.equal(await key.inputValue(), 'creme-brulee-limit');
    await page.getByText('It is free.').waitFor();
    await page.getByRole('radio', { name: 'Number' }).check();
    await page.getByRole('textbox', { name: 'Value of A' }).fill('12');
    await page.getByRole('textbox', { name: 'Value of B' }).fill('twelve');
    await page.getByRole('button', { name: 'Create flag' }).click();
    await page.getByText('This is no number.').waitFor();
    // What was typed survives.
    await page.reload();
    await page.getByText('What you typed earlier is still here.').waitFor();
    await page.getByRole('textbox', { name: 'Value of B' }).fill('5');
    await page.getByRole('checkbox', { name: 'test' }).check();
    await page.getByRole('checkbox', { name: 'production' }).check();
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('button', { name: 'Create flag' }).click();
    await page.getByRole('heading', { name: 'Crème brûlée limit is there' }).waitFor();
    const program = page.locator('pre');
    assert.match(await program.innerText(), /variation\("creme-brulee-limit", context, 5\)/);
    await page.getByRole('radio', { name: 'curl' }).click();
    const { origin } = new URL(server.url);
    assert.ok((await program.innerText()).includes(`${origin}/ofrep/v1/evaluate/flags/creme-brulee-limit`));
    assert.equal(await isOn('creme-brulee-limit', 'test'), true);
    assert.equal(await isOn('creme-brulee-limit', 'production'), false);
    await page.getByRole('button', { name: 'Turn on in production…' }).click();
    await page.getByRole('dialog', { name: 'Turn Crème brûlée limit on in production' }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a change of many says what became of each, and the one that was refused stays selected', async () => {
    const names = ['Bulk one', 'Bulk two', 'Bulk three'];
    for (const name of names) await createFlag(name.toLowerCase().replace(' ', '-'), name);
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/flags/shop?q=bulk',
    );
    for (const name of names) await page.getByRole('checkbox', { name: `Select this row: ${name}` }).check();
    await page.getByRole('group', { name: '3 selected' }).waitFor();
    await page.getByRole('button', { name: 'Toggle…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Toggle 3 flags' });
    await dialog.getByRole('combobox', { name: 'Environment' }).selectOption('test');
    // Somebody else is faster with one of them.
    const changed = await ada.call('/api/v2/flags/shop/bulk-two', {
      method: 'PATCH',
      headers: SEMANTIC,
      body: { instructions: [{ kind: 'addTags', values: ['busy'] }] },
    });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(await findBarriers(page), []);
    await dialog.getByRole('button', { name: 'Turn 3 flags on in test' }).click();
    await dialog.getByText('2 flags changed.').waitFor();
    await dialog.getByText('1 flag not changed. They stay selected.').waitFor();
    assert.deepEqual(await dialog.locator('li b').allInnerTexts(), ['Bulk two']);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('group', { name: '1 selected' }).waitFor();
    assert.equal(await page.getByRole('checkbox', { name: 'Select this row: Bulk two' }).isChecked(), true);
    await switchOf(page, 'Bulk one in test', true).waitFor();
    const states = await Promise.all(['bulk-one', 'bulk-two', 'bulk-three'].map((key) => isOn(key, 'test')));
    assert.deepEqual(states, [true, false, true]);
    assert.deepEqual(takeProblems(), []);
    await close();
  });
});
