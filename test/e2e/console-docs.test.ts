// Versions, the documentation and the settings, and a task of each part, by mouse, by keyboard alone, and by touch on a phone. The pages
// of the console are looked at for barriers, in both themes and widths, by console-pages.test.ts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { saveTokenUses } from '../../src/kernel/identity/token-uses/store.ts';
import { savePeaks } from '../../src/kernel/limits/store-peaks.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole } from './console.ts';

const [OLD, NEW] = ['2022-11-28', '2026-03-10'];
const HOUR = 60 * 60 * 1000;

const WAYS = [
  { way: 'keyboard', options: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' } },
  { way: 'touch', options: { viewport: { width: 360, height: 780 }, hasTouch: true, colorScheme: 'light' } },
] as const;

describe('versions, documentation and settings', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let ada: HostPerson;
  let bob: HostPerson;

  before(async () => {
    server = await startServer({ retentionDays: 9 });
    ada = await joinHost(server, 'ada', { role: 'owner' });
    bob = await joinHost(server, 'bob', { role: 'writer' });
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const askLimits = ({ call }: HostPerson, version: string) =>
    call('/rate_limit', { headers: { 'x-github-api-version': version } });
  const impactOf = async ({ get }: HostPerson) =>
    ((await get(`/versions/${NEW}/impact`)).json['calls'] as Json[]).map(({ operation }) => operation);

  /** The lines of the two bodies, one beside the other. */
  const bodiesIn = (page: Page) =>
    page
      .getByRole('region', { name: 'Body' })
      .last()
      .evaluate(
        (region: { querySelectorAll(selector: string): Iterable<{ cells: { innerText: string }[] }> }) =>
          [...region.querySelectorAll('tbody tr')].map(({ cells }) => [
            cells[1]!.innerText,
            cells[3]!.innerText,
          ]),
      );
  const hasRate = (lines: string[][], side: number) =>
    lines.some((line) => /^\s*"rate": \{/.test(line[side]!));

  test('the version page shows what a version removed with its entry, and the report names the token that got it', async () => {
    assert.ok('rate' in (await askLimits(ada, OLD)).json);
    assert.ok(!('rate' in (await askLimits(bob, NEW)).json));
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/versions?call=rate-limit/get',
    );
    await page.getByRole('region', { name: 'Body' }).last().waitFor();
    const lines = await bodiesIn(page);
    assert.deepEqual([hasRate(lines, 0), hasRate(lines, 1)], [true, false]);
    const entry = page.getByRole('link', { name: 'Changelog entry' });
    const href = (await entry.getAttribute('href'))!;
    await page.goto(new URL(href, server.url).href);
    const [, anchor = ''] = href.split('#');
    assert.match(await page.locator(`[id="${anchor}"]`).innerText(), /rate/);
    await page.goto(`${server.url}/docs/host/versions/${NEW}/impact`);
    await page.getByText('/rate_limit').first().waitFor();
    assert.ok((await impactOf(ada)).includes('rate-limit/get'));
    assert.deepEqual(await impactOf(bob), []);

    // The call is marked as done, which the server remembers.
    await page.goto(`${server.url}/console/versions/upgrade`);
    await page.getByRole('button', { name: 'Mark as done: GET /rate_limit, given of ada' }).click();
    await eventually(async () => {
      const { json } = await ada.get(`/versions/${NEW}/impact`);
      return (json['calls'] as Json[]).some(
        ({ path, done_by: by }) => path === '/rate_limit' && by === 'ada',
      );
    }, 'the mark');
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('radio', { name: 'Done', exact: true }).click();
    await page.getByRole('button', { name: 'Not done: GET /rate_limit, given of ada' }).waitFor();
    await page.getByText('by ada').waitFor();

    // What spends limits: the same call, one that was refused, and an hour that was fuller than others.
    const { db, clock } = server.app.kernel;
    const [token] = (await ada.get('/signalbox/v1/tokens')).json['items'] as [Json];
    const at = clock.now();
    const refusal = { at, callId: 'refused-once', api: 'host', category: 'core', operation: 'repos/get' };
    await saveTokenUses(db, [
      {
        tokenId: token['id'],
        at: 0,
        address: '',
        api: 'host',
        hours: [],
        operations: [],
        refusals: [refusal],
      },
    ]);
    await savePeaks(db, [{ who: ada.member.id, category: 'host.core', hour: at - (at % HOUR), most: 4310 }]);
    await eventually(async () => {
      const { json } = await ada.get('/signalbox/v1/limits/routes');
      return (json['items'] as Json[]).some(({ path }) => path === '/rate_limit');
    }, 'the call is counted by its route');
    await page.goto(`${server.url}/console/limits?limit=host.core`);
    await page
      .getByRole('table', { name: 'Routes with most calls' })
      .getByText('GET /rate_limit', { exact: true })
      .waitFor();
    const refused = page.getByRole('table', { name: 'Refused calls' });
    await refused.getByText('GET /repos/{owner}/{repo}', { exact: true }).waitFor();
    await refused.getByText('refused-once').waitFor();
    const calls = page.getByLabel('Calls in a window');
    await calls.fill('4000');
    await page.getByText('310 calls would have been refused.').waitFor();
    await calls.fill('none');
    await page.getByText('A whole number from 1 on.').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await calls.fill('4310');
    await page
      .getByText('Nothing would have been refused: the fullest window had 4,310 in an hour.')
      .waitFor();
    await page.waitForURL(/what=4310/);
    await page.setViewportSize({ width: 360, height: 780 });
    await refused.getByText('refused-once').waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
    assert.deepEqual(await findBarriers(page), []);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('by touch on a dark phone: an address of the host, samples, a token for an hour, and what is left of limits', async () => {
    await ada.repository('shop', { auto_init: true });
    await ada.post('/repos/ada/shop/issues', { title: 'The door sticks' });
    const { json: comment } = await ada.post('/repos/ada/shop/issues/1/comments', { body: 'Oil it' });
    const phone = { viewport: { width: 360, height: 780 }, hasTouch: true, colorScheme: 'dark' as const };
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, '', phone);

    await page.goto(comment['html_url'] as string);
    await page.waitForURL(`${server.url}/console/code/ada/shop/issues/1#issuecomment-${comment['id']}`);
    await page.getByText('Oil it').waitFor();

    await page.goto(`${server.url}/docs/flags/environments`);
    const samples = page.locator('[data-token-for="getEnvironmentsByProject"]');
    await samples.getByRole('button', { name: 'Python' }).first().tap();
    await samples.getByText('from urllib.request import').waitFor();
    await samples.getByRole('button', { name: 'Make a token for one hour' }).tap();
    const token = await secretIn(samples);
    const read = await server.call('/api/v2/projects/default/environments', { token });
    assert.equal(read.status, 200, read.text);
    const wrote = await server.call('/api/v2/flags/default', {
      method: 'POST',
      token,
      body: { name: 'No', key: 'no' },
    });
    assert.ok([401, 403].includes(wrote.status), wrote.text);
    const { json: listed } = await ada.call('/signalbox/v1/tokens?q=Docs');
    const { expiry, expiresAt = expiry } = (listed['items'] as Json[])[0]!;
    assert.ok(expiresAt > Date.now() && expiresAt <= Date.now() + HOUR, JSON.stringify(listed));
    assert.deepEqual(await findBarriers(page), []);
    // The choice is kept, and the secret is not.
    await page.goto(`${server.url}/docs/host/licenses`);
    await page.getByText('from urllib.request import').first().waitFor();
    assert.ok(!(await page.content()).includes(token));

    await page.goto(`${server.url}/docs/limits`);
    await page
      .getByText(/^\d+ used, [\d,]+ left$/)
      .first()
      .waitFor();
    assert.deepEqual(await findBarriers(page), []);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('by keyboard alone: the palette, a setting with its origin, and one call in two versions', async () => {
    const wide = { viewport: { width: 1440, height: 900 } };
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, '', wide);
    const { keyboard } = page;
    const goTo = async (name: string, path: string) => {
      await openByPalette(page, name);
      await page.waitForURL(`${server.url}/console${path}`);
    };
    await goTo('System', '/account/system');
    const table = page.getByRole('table', { name: 'Settings' });
    await table.waitFor();
    await keyboard.press('/');
    await keyboard.type('retentionDays');
    await eventually(
      async () => (await table.locator('tbody tr').count()) === 1,
      'the one setting that fits',
    );
    assert.match(await table.locator('tbody tr').innerText(), /retentionDays[^]*\b9\b[^]*Flag/);
    await tabTo(page, page.getByRole('button', { name: 'Copy retentionDays as a variable' }));

    await goTo('Versions', '/versions');
    const call = page.getByRole('combobox', { name: 'Call' });
    await call.waitFor();
    await tabTo(page, call);
    // The letters of a name would have to follow each other within a second. The first one again goes to the next.
    const { length } = await call.locator('option').all();
    for (let step = 0; (await call.inputValue()) !== 'rate-limit/get'; step++) {
      assert.ok(step < length, 'the call is among the choices');
      await keyboard.press('/');
    }
    await page.waitForURL(/call=rate-limit/);
    await eventually(async () => {
      const lines = await bodiesIn(page);
      return hasRate(lines, 0) && !hasRate(lines, 1);
    }, 'the two bodies');
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  for (const { way, options } of WAYS)
    test(`a task of each part by ${way} alone`, async () => {
      const name = `by-${way}`;
      await ada.repository(name, { auto_init: true });
      const flag = await ada.post('/api/v2/flags/default', { key: name, name });
      assert.equal(flag.status, 201, flag.text);
      const { page, takeProblems, close } = await openConsole(browser, server, ada.member, '', options);
      const press = async (target: Locator) => {
        await target.waitFor();
        if (way === 'touch') return await target.tap();
        await tabTo(page, target);
        await page.keyboard.press((await target.getAttribute('role')) === 'switch' ? 'Space' : 'Enter');
      };
      const type = async (target: Locator, text: string) => {
        await target.waitFor();
        await (way === 'touch' ? target.tap() : tabTo(page, target));
        await page.keyboard.type(text);
      };
      const goTo = async (section: string, item: string) => {
        if (way === 'keyboard') return await openByPalette(page, item);
        await page.getByRole('button', { name: 'Open navigation' }).tap();
        const sheet = page.getByRole('dialog', { name: 'Navigation' });
        await sheet.locator('summary', { hasText: section }).tap();
        await sheet.getByRole('link', { name: item, exact: true }).tap();
      };
      const button = (label: string) => page.getByRole('button', { name: label, exact: true });

      await goTo('Flags', 'Flags');
      await press(page.getByRole('switch', { name: new RegExp(`^${name} in test$`, 'i') }));
      await page.getByRole('switch', { name: new RegExp(`^${name} in test$`, 'i'), checked: true }).waitFor();
      // The switch shows the new state before the server has it.
      const isOn = async () =>
        (await ada.get(`/api/v2/flags/default/${name}`)).json.environments.test.on === true;
      await eventually(isOn, 'the flag is on');
      assert.deepEqual(await findBarriers(page), []);

      await goTo('Actors', 'Storage');
      await press(page.getByRole('button', { name: /^New dataset/ }));
      await type(page.getByRole('dialog').getByLabel('Name'), name);
      await press(button('Create'));
      await page.waitForURL(/\/storage\/datasets\/\w+/);
      assert.equal((await ada.get(`/v2/datasets/~${name}`)).status, 200);
      assert.deepEqual(await findBarriers(page), []);

      await goTo('Code', 'Repositories');
      await press(page.getByRole('link', { name: `ada/${name}` }));
      // Of the repository: the rail has another, which is there before the page.
      await press(page.locator('#main').getByRole('link', { name: 'Issues', exact: true }));
      await press(page.getByRole('link', { name: /^New issue/ }).first());
      await type(page.getByRole('textbox', { name: 'Title' }), 'By hand');
      await press(button('Create issue'));
      await page.getByRole('heading', { name: 'By hand #1' }).waitFor();
      assert.deepEqual(await findBarriers(page), []);

      await goTo('Account', 'Roles');
      await press(page.getByRole('link', { name: 'Policy tester' }).first());
      await type(page.getByLabel('Action', { exact: true }), 'updateOn');
      await type(page.getByLabel('Resource', { exact: true }), `proj/default:env/test:flag/${name}`);
      await page.getByText('It is allowed.').waitFor();
      assert.deepEqual(await findBarriers(page), []);
      assert.deepEqual(takeProblems(), []);
      await close();
    });
});

/** The token that the page shows once. */
async function secretIn(samples: Locator): Promise<string> {
  const line = await samples.getByText(/^export SIGNALBOX_TOKEN=/).innerText();
  return line.trim().split('=')[1]!;
}

async function openByPalette(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search and commands' }).waitFor();
  await page.keyboard.type(name);
  await page.getByRole('option', { name }).first().waitFor();
  await page.keyboard.press('Enter');
}

const MOST_TABS = 80;

/** Moves the focus on until it is there. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let count = 0; count < MOST_TABS; count++) {
    const isThere = await target.evaluate(
      (element: { ownerDocument: { activeElement: unknown } }) =>
        element === element.ownerDocument.activeElement,
    );
    if (isThere) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`${MOST_TABS} tabs do not lead there`);
}
