// Flags in large numbers and long names, in a real browser: ranges and all of a filter, hundreds of environments, names of two scripts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { addEnvironment } from '../../src/flags/feature-flags/fixture.ts';
import { findProject } from '../../src/flags/projects/store.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { insertManyFlags } from '../many-flags.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole, WIDTHS } from './console.ts';

const SEMANTIC = { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' };
/** Each of 200 characters. */
const NAMES = {
  arabic: 'إظهار زر الدفع الجديد للزبائن في المتاجر '.repeat(5).slice(0, 200),
  japanese: '新しい決済ボタンを店舗のお客様に表示する設定'.repeat(10).slice(0, 200),
} as const;

describe('flags in large numbers', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let ada: HostPerson;

  before(async () => {
    server = await startServer({ limits: 'off' });
    ada = await joinHost(server, 'ada', { role: 'owner' });
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const post = async (path: string, body: Json): Promise<Json> => {
    const { status, json, text } = await ada.post(path, body);
    assert.equal(status, 201, text);
    return json;
  };
  const overflowOf = (page: Page) =>
    page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

  test('a range by Shift and all of a filter are selected, tagged, archived behind the guard, and taken back', async () => {
    await insertManyFlags(server.app.kernel, 'bulk', 120);
    const guarded = await ada.patch('/api/v2/projects/bulk/environments/production', [
      { op: 'replace', path: '/critical', value: true },
    ]);
    assert.equal(guarded.status, 200, guarded.text);
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/flags/bulk?sort=name',
    );
    const box = (name: string) => page.getByRole('checkbox', { name: `Select this row: ${name}` });
    const count = async (query: string) =>
      (await ada.get(`/api/v2/flags/bulk?limit=1&${query}`)).json['totalCount'] as number;
    await box('Flag 0003').click();
    await box('Flag 0007').click({ modifiers: ['Shift'] });
    await page.getByRole('group', { name: '5 selected' }).waitFor();
    await page.getByRole('button', { name: 'Tag…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Tags').fill('spring');
    await dialog.getByRole('button', { name: 'Add to 5 flags' }).click();
    await dialog.getByText('5 flags changed.').waitFor();
    assert.equal(await count('filter=tags:spring'), 5);
    assert.deepEqual(await findBarriers(page), []);
    await dialog.getByRole('button', { name: 'Undo for 5 flags' }).click();
    await dialog.getByText('5 flags as before.').waitFor();
    assert.equal(await count('filter=tags:spring'), 0);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('group', { name: '5 selected' }).waitFor();

    // All rows that are shown, then all that match the filter, with their number.
    await page.goto(`${server.url}/console/flags/bulk?q=flag-00&sort=name`);
    await page.getByText('50 of 99 flags').waitFor();
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await page.getByRole('group', { name: '50 selected' }).waitFor();
    await page.getByRole('button', { name: 'Select all 99 that match' }).click();
    await page.getByRole('group', { name: '99 selected' }).waitFor();
    await page.getByRole('button', { name: 'Archive…' }).click();
    const archive = dialog.getByRole('button', { name: 'Archive 99 flags' });
    await dialog.getByLabel(/Type production/).fill('prod');
    assert.equal(await archive.getAttribute('aria-disabled'), 'true');
    await dialog.getByLabel(/Type production/).fill('production');
    await archive.click();
    await dialog
      .getByText(/\d+ of 99 done/)
      .first()
      .waitFor();
    await dialog.getByText('99 flags changed.').waitFor();
    assert.equal(await count(''), 21);
    await dialog.getByRole('button', { name: 'Undo for 99 flags' }).click();
    await dialog.getByText('99 flags as before.').waitFor();
    assert.equal(await count(''), 120);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('of five hundred environments one is found by typing in the switcher, the columns and the flag', async () => {
    const { db } = server.app.kernel;
    await post('/api/v2/projects', { key: 'wide', name: 'Wide' });
    const project = await findProject(db, 'wide');
    for (let number = 1; number <= 498; number += 1)
      await addEnvironment(db, project!, `place-${String(number).padStart(3, '0')}`);
    await post('/api/v2/flags/wide', { key: 'broad', name: 'Broad flag' });
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/flags/wide/broad?env=test',
    );
    await page.getByRole('switch', { name: 'Broad flag in test' }).waitFor();
    const switcher = page.getByRole('group', { name: 'Project and environment' });
    await switcher.getByRole('button').last().click();
    await page.getByLabel('Find an environment').last().fill('place-377');
    await page.keyboard.press('Enter');
    await page.getByRole('switch', { name: 'Broad flag in place-377' }).click();
    await eventually(
      async () =>
        (await ada.get('/api/v2/flags/wide/broad?env=place-377')).json['environments']['place-377'].on,
    );
    assert.equal(await overflowOf(page), 0);
    assert.deepEqual(await findBarriers(page), []);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('names of two hundred characters in Arabic and Japanese fit every page, narrow and wide', async () => {
    await post('/api/v2/projects', { key: 'long', name: NAMES.japanese });
    for (const [key, name] of Object.entries(NAMES)) {
      await post('/api/v2/flags/long', {
        key,
        name,
        description: name,
        variations: [
          { value: true, name },
          { value: false, name: `${name.slice(0, 190)}!` },
        ],
      });
      await post('/api/v2/segments/long/test', { key, name, description: name });
    }
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, '/flags/long');
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of [
        '/flags/long',
        '/flags/long/arabic?env=test',
        '/flags/long/japanese/variations?env=test',
        '/flags/long/arabic/history?env=test',
        '/flags/long/arabic/settings?env=test',
        '/segments/long?env=test',
        '/segments/long/arabic?env=test',
        '/environments/long?env=test',
      ]) {
        await page.goto(`${server.url}/console${path}`);
        const main = page.locator('#main');
        const [arabic, japanese] = Object.values(NAMES).map((name) => main.getByText(name.slice(0, 20)));
        await arabic!.or(japanese!).filter({ visible: true }).first().waitFor();
        assert.equal(await overflowOf(page), 0, `${path} at ${width}`);
      }
    }
    await page.goto(`${server.url}/console/flags/long`);
    await page.getByRole('switch').first().click();
    await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Undo' }).waitFor();
    assert.equal(await overflowOf(page), 0, 'with a notification');
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a flag of a hundred variations and a thousand rules opens, and one of each is changed', async () => {
    await post('/api/v2/projects', { key: 'deep', name: 'Deep' });
    const values = Array.from({ length: 100 }, (_, index) => ({
      value: `value-${index}`,
      name: `Value ${index}`,
    }));
    const made = await post('/api/v2/flags/deep', { key: 'many', name: 'Many of all', variations: values });
    const ids = (made['variations'] as Json[]).map(({ _id }) => _id as string);
    for (let start = 0; start < 1000; start += 250) {
      const instructions = Array.from({ length: 250 }, (_, index) => ({
        kind: 'addRule',
        variationId: ids[(start + index) % 100],
        clauses: [
          { attribute: 'number', op: 'in', values: [start + index], contextKind: 'user', negate: false },
        ],
      }));
      const { status, text } = await ada.call('/api/v2/flags/deep/many', {
        method: 'PATCH',
        headers: SEMANTIC,
        body: { environmentKey: 'test', instructions },
      });
      assert.equal(status, 200, text.slice(0, 300));
    }
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/flags/deep/many/variations?env=test',
    );
    const last = page.getByRole('listitem', { name: /Variation/ }).last();
    await last.getByLabel('Name').fill('The hundredth');
    await page.getByRole('button', { name: 'Review and save…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Save/ }).last().click();
    await dialog.waitFor({ state: 'detached' });
    const { variations } = (await ada.get('/api/v2/flags/deep/many')).json;
    assert.equal((variations as Json[]).at(-1)!['name'], 'The hundredth');
    await page.goto(`${server.url}/console/flags/deep/many?env=test`);
    await page
      .getByLabel('When off')
      .or(page.getByRole('combobox', { name: /off/i }))
      .first()
      .selectOption({ index: 42 });
    await page.getByRole('button', { name: /Review/ }).click();
    await dialog.getByRole('button', { name: 'Save to test now' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { offVariation } = (await ada.get('/api/v2/flags/deep/many')).json['environments'].test;
    assert.equal(offVariation, 42);
    assert.equal(await overflowOf(page), 0);
    assert.deepEqual(takeProblems(), []);
    await close();
  });
});
