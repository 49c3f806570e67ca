// Pages of flags for people who may see and not change, or change a part, in a real browser: no control that could never work.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole } from './console.ts';

const SEMANTIC = { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' };
const HOUR = 3_600_000;
const FLAG = '/flags/shop/seen';

/** A switch that is off shows a state. */
const isDead = (control: string) => control.startsWith('off ') && !control.startsWith('off switch');
/** Words of controls that change something, and fields of forms; lists and contexts to try have fields, too. */
const CHANGES =
  /Add|Remove|Delete|Edit|New |Create|save|Reset|Archive…|Revert|Cancel|Import|^(input|textarea|select): (Name|Value|Description|Maintainer|Keys)|^switch/;

describe(
  'flags in the console for those who may not change them',
  { skip: noBrowser, timeout: 10 * PATIENCE_MS },
  () => {
    let server: TestServer;
    let browser: Browser;
    let ada: HostPerson;

    const post = async (path: string, body: Json): Promise<Json> => {
      const { status, json, text } = await ada.post(path, body);
      assert.equal(status, 201, text);
      return json;
    };

    before(async () => {
      server = await startServer({ limits: 'off' });
      ada = await joinHost(server, 'ada', { role: 'owner' });
      await post('/api/v2/projects', { key: 'shop', name: 'Shop' });
      const { variations } = await post('/api/v2/flags/shop', {
        key: 'seen',
        name: 'Seen flag',
        tags: ['web'],
      });
      await post('/api/v2/flags/shop', { key: 'other', name: 'Other flag' });
      const variationId = (variations as Json[])[0]!['_id'] as string;
      const clause = { attribute: 'country', op: 'in', values: ['DE'], contextKind: 'user', negate: false };
      const changed = await ada.call('/api/v2/flags/shop/seen', {
        method: 'PATCH',
        headers: SEMANTIC,
        body: {
          environmentKey: 'test',
          instructions: [
            { kind: 'turnFlagOn' },
            { kind: 'addUserTargets', variationId, values: ['ada'] },
            { kind: 'addRule', clauses: [clause], variationId },
          ],
        },
      });
      assert.equal(changed.status, 200, changed.text);
      const renamed = await ada.call('/api/v2/flags/shop/seen', {
        method: 'PATCH',
        headers: SEMANTIC,
        body: { instructions: [{ kind: 'updateDescription', value: 'Read by everybody' }] },
      });
      assert.equal(renamed.status, 200, renamed.text);
      await post('/api/v2/projects/shop/flags/seen/environments/test/scheduled-changes', {
        executionDate: server.clock.now() + HOUR,
        instructions: [{ kind: 'turnFlagOff' }],
      });
      await post('/api/v2/flags/shop/seen/triggers/test', {
        integrationKey: 'generic-trigger',
        instructions: [{ kind: 'turnFlagOff' }],
      });
      await post('/api/v2/segments/shop/test', { key: 'beta', name: 'Beta', tags: ['web'] });
      const filled = await ada.call('/api/v2/segments/shop/test/beta', {
        method: 'PATCH',
        headers: SEMANTIC,
        body: {
          instructions: [
            { kind: 'addIncludedTargets', contextKind: 'user', values: ['carol'] },
            { kind: 'addRule', clauses: [clause], description: 'Neighbours' },
          ],
        },
      });
      assert.equal(filled.status, 200, filled.text);
      browser = await startBrowser();
    });
    after(async () => {
      await browser?.close();
      await server?.stop();
    });

    /** Everything on the page that can be pressed or typed into, by its role and name; those that are off are marked. */
    const controlsOf = (page: Page): Promise<string[]> =>
      page.evaluate<string[]>(`
        [...document.querySelectorAll('#main :is(button, input, textarea, select, [role="switch"])')].map((element) => {
          const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent;
          const isOff = element.getAttribute('aria-disabled') === 'true' || element.matches(':disabled');
          const role = element.getAttribute('role') ?? element.tagName.toLowerCase();
          return (isOff ? 'off ' : '') + role + ': ' + label.trim();
        })
      `);

    test('a reader sees every page of flags without a control that cannot be used', async () => {
      const bob = await joinHost(server, 'bob', { role: 'reader' });
      const { page, takeProblems, close } = await openConsole(browser, server, bob.member, '/flags/shop');
      const open = async (path: string, text: string | RegExp) => {
        const answered = page.waitForResponse((response) => response.url().endsWith('/permissions'));
        await page.goto(`${server.url}/console${path}`);
        await page.getByText(text).first().waitFor();
        await answered;
        await eventually(
          async () => {
            const controls = await controlsOf(page);
            return !controls.some((one) => isDead(one) || CHANGES.test(one));
          },
          `only controls of a reader on ${path}: ${(await controlsOf(page)).join('; ')}`,
        );
      };
      await open('/flags/shop', 'Seen flag');
      assert.equal(await page.getByRole('checkbox').count(), 0, 'there is nothing to select them for');
      await open('/new-flag/shop', 'createFlag');
      await open(`${FLAG}?env=test`, 'Seen flag');
      for (const tab of ['variations', 'history', 'usage', 'code', 'settings'])
        await open(`${FLAG}/${tab}?env=test`, 'Seen flag');
      await page.goto(`${server.url}/console${FLAG}/history`);
      await page.getByRole('link', { name: /Changed the description/ }).click();
      await page.getByRole('heading', { name: 'Before and after' }).waitFor();
      await eventually(
        async () => !(await controlsOf(page)).some((one) => isDead(one) || /Revert/.test(one)),
        'an entry that cannot be reverted',
      );
      await open('/segments/shop?env=test', 'Beta');
      await open('/segments/shop/beta?env=test', 'Beta');
      await open('/environments', 'Shop');
      await open('/environments/shop?env=test', 'SDK key');
      await open('/compare/shop?from=test&to=production', 'Seen flag');
      assert.deepEqual(await findBarriers(page), []);
      assert.deepEqual(takeProblems(), []);
      await close();
    });

    test('a role that may do some things in one environment has the controls for them', async () => {
      await post('/api/v2/roles', {
        key: 'mobile',
        name: 'Mobile',
        policy: [
          { effect: 'allow', actions: ['viewProject'], resources: ['proj/*'] },
          { effect: 'allow', actions: ['createFlag'], resources: ['proj/*:env/*:flag/mobile-*'] },
          { effect: 'allow', actions: ['updateOn'], resources: ['proj/*:env/test:flag/*;web'] },
        ],
      });
      const cleo = await joinHost(server, 'cleo', { role: 'no_access', customRoles: ['mobile'] });
      const { page, takeProblems, close } = await openConsole(browser, server, cleo.member, '/flags/shop');
      const switchOf = (name: string) => page.getByRole('switch', { name, exact: true });
      await page.getByRole('link', { name: 'New flag' }).waitFor();
      await eventually(
        async () => (await switchOf('Seen flag in production').getAttribute('aria-disabled')) === 'true',
      );
      // It lacks the tag.
      await eventually(
        async () => (await switchOf('Other flag in test').getAttribute('aria-disabled')) === 'true',
      );
      await switchOf('Seen flag in test').click();
      await page.getByRole('switch', { name: 'Seen flag in test', checked: false }).waitFor();
      await eventually(
        async () => (await ada.get('/api/v2/flags/shop/seen')).json['environments'].test.on === false,
      );
      await page.getByRole('checkbox', { name: 'Select this row: Seen flag' }).check();
      const bar = page.getByRole('group', { name: /selected/ });
      await bar.getByRole('button', { name: /Toggle/ }).waitFor();
      assert.equal(await bar.getByRole('button', { name: /Archive/ }).count(), 0);

      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'New flag' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Mobile menu');
      await page.getByRole('button', { name: /^Create/ }).click();
      await page.getByText('Mobile menu').first().waitFor();
      await eventually(async () => (await ada.get('/api/v2/flags/shop/mobile-menu')).status === 200);
      assert.deepEqual(takeProblems(), []);
      await close();
    });
  },
);
