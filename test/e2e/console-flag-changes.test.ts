// Changes of flags over time, in a real browser: requested and approved, scheduled, reverted, copied; and a segment that flags use.
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

describe('changes of flags in the console', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let ada: HostPerson;

  before(async () => {
    server = await startServer({ limits: 'off' });
    ada = await joinHost(server, 'ada', { role: 'owner' });
    const environments = ['test', 'staging', 'canary', 'production'].map((key) => ({
      key,
      name: key,
      color: '417505',
    }));
    const made = await ada.post('/api/v2/projects', { key: 'shop', name: 'Shop', environments });
    assert.equal(made.status, 201, made.text);
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const createFlag = async (key: string, name: string): Promise<Json> => {
    const { status, json, text } = await ada.post('/api/v2/flags/shop', { key, name });
    assert.equal(status, 201, text);
    return json;
  };
  const readFlag = async (key: string) => (await ada.get(`/api/v2/flags/shop/${key}`)).json;
  const change = async (flag: string, environmentKey: string, instructions: object[], comment?: string) => {
    const { status, json, text } = await ada.call(`/api/v2/flags/shop/${flag}`, {
      method: 'PATCH',
      headers: SEMANTIC,
      body: { environmentKey, instructions, comment },
    });
    assert.equal(status, 200, text);
    return json;
  };
  const isLive = (page: Page) => page.getByText('Live', { exact: true }).waitFor();
  const switchOf = (page: Page, name: string, isOn: boolean) =>
    page.getByRole('switch', { name, exact: true, checked: isOn }).first();

  test('a change that needs approval can only be requested, and shows at the requester once another has applied it', async () => {
    await createFlag('guarded', 'Guarded flag');
    const required = await ada.patch('/api/v2/projects/shop/environments/production', [
      { op: 'replace', path: '/approvalSettings/required', value: true },
    ]);
    assert.equal(required.status, 200, required.text);
    const bob = await joinHost(server, 'bob', { role: 'admin' });
    const own = await openConsole(browser, server, ada.member, '/flags/shop/guarded?env=production');
    await isLive(own.page);
    await switchOf(own.page, 'Guarded flag in production', false).click();
    const dialog = own.page.getByRole('dialog');
    const ask = dialog.getByRole('button', { name: 'Request approval for production' });
    await ask.waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Save to production now' }).count(), 0);
    await dialog.getByLabel('What is asked for').fill('Turn it on for everybody');
    await ask.click();
    await dialog.waitFor({ state: 'detached' });

    const other = await openConsole(browser, server, bob.member, '/approvals');
    // By keyboard alone.
    await other.page.getByRole('link', { name: 'Turn it on for everybody' }).focus();
    await other.page.keyboard.press('Enter');
    await other.page.getByText('Turned on the flag in production').waitFor();
    assert.deepEqual(await findBarriers(other.page), []);
    await other.page.getByRole('textbox', { name: 'Comment' }).fill('Looks right');
    await other.page.getByRole('button', { name: 'Approve', disabled: false }).press('Enter');
    await other.page.getByText('Looks right').waitFor();
    await other.page.getByText('1 of 1').waitFor();
    const apply = { name: 'Apply to production', disabled: false };
    await other.page.getByRole('button', apply).press('Enter');
    await other.page.getByRole('dialog').getByRole('button', apply).press('Enter');
    await other.page.getByText('applied', { exact: true }).waitFor();

    await switchOf(own.page, 'Guarded flag in production', true).waitFor();
    assert.equal((await readFlag('guarded'))['environments'].production.on, true);
    for (const { takeProblems, close } of [own, other]) {
      assert.deepEqual(takeProblems(), []);
      await close();
    }
    const lifted = await ada.patch('/api/v2/projects/shop/environments/production', [
      { op: 'replace', path: '/approvalSettings/required', value: false },
    ]);
    assert.equal(lifted.status, 200, lifted.text);
  });

  test('a scheduled change needs attention before its time, and moves the switch of an open page at its time', async () => {
    await createFlag('later', 'Later flag');
    const path = '/api/v2/projects/shop/flags/later/environments/test/scheduled-changes';
    const schedule = async (executionDate: number, kind: string) => {
      const { status, text } = await ada.post(path, { executionDate, instructions: [{ kind }] });
      assert.equal(status, 201, text);
    };
    const executionDate = server.clock.now() + HOUR;
    await schedule(executionDate, 'turnFlagOn');
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member);
    await page.getByText('Later flag in test changes').waitFor();
    await page.goto(`${server.url}/console/flags/shop/later/history?env=test`);
    const planned = page.getByRole('list', { name: 'Planned: test' });
    await planned.getByText('Turned on the flag in test').waitFor();
    await isLive(page);
    await switchOf(page, 'Later flag in test', false).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    server.clock.goTo(executionDate + 1);
    await switchOf(page, 'Later flag in test', true).waitFor();
    await planned.waitFor({ state: 'detached' });
    assert.equal((await readFlag('later'))['environments'].test.on, true);
    // One that is given up is never made.
    await schedule(server.clock.now() + HOUR, 'turnFlagOff');
    await planned.getByRole('button', { name: 'Cancel…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the change' }).click();
    await planned.waitFor({ state: 'detached' });
    assert.deepEqual((await ada.get(path)).json['items'], []);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('reverting an entry of the history restores exactly the earlier targeting', async () => {
    const { variations } = await createFlag('turned', 'Turned flag');
    const [yes, no] = (variations as Json[]).map(({ _id }) => _id as string);
    const clause = {
      attribute: 'country',
      op: 'in',
      values: ['DE', 'AT'],
      contextKind: 'user',
      negate: false,
    };
    await change('turned', 'test', [
      { kind: 'turnFlagOn' },
      { kind: 'addUserTargets', variationId: yes, values: ['ada', 'bob'] },
      { kind: 'addRule', clauses: [clause], variationId: yes, description: 'Neighbours' },
      {
        kind: 'addRule',
        clauses: [{ ...clause, values: ['FR'] }],
        rolloutWeights: { [yes!]: 40_000, [no!]: 60_000 },
      },
    ]);
    const earlier = await readFlag('turned');
    const rules = earlier['environments'].test.rules as Json[];
    await change(
      'turned',
      'test',
      [
        { kind: 'turnFlagOff' },
        { kind: 'removeRule', ruleId: rules[0]!['_id'] },
        { kind: 'removeUserTargets', variationId: yes, values: ['bob'] },
        { kind: 'updateFallthroughVariationOrRollout', variationId: no },
      ],
      'By mistake',
    );
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/flags/shop/turned/history',
    );
    await page.getByLabel('Who').selectOption({ label: 'ada@example.com' });
    await page.getByRole('button', { name: 'With a comment' }).click();
    await page.getByText('1 of the newest').waitFor();
    await page.getByRole('link', { name: /Turned off the flag in test/ }).press('Enter');
    await page.getByText('By mistake').last().waitFor();
    await page.getByRole('button', { name: 'Revert in test…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Turned on the flag in test').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await dialog.getByRole('button', { name: 'Save to test now' }).click();
    await dialog.waitFor({ state: 'detached' });
    const now = await readFlag('turned');
    assert.deepEqual(targetingOf(now, 'test'), targetingOf(earlier, 'test'));
    assert.deepEqual(targetingOf(now, 'production'), targetingOf(earlier, 'production'));

    // So does the comparison of the two versions say. A list that is read again later would hold its new row back.
    await page.getByText('1 of the newest 4 fit').waitFor();
    await page.getByRole('button', { name: 'With a comment' }).click();
    await page.getByText('newest first').waitFor();
    const boxes = page.getByRole('checkbox', { name: 'Select this row' });
    await page.keyboard.press('Escape');
    await boxes.nth(0).check();
    await boxes.nth(2).check();
    await page.getByRole('button', { name: 'Compare the two versions' }).click();
    await dialog.getByLabel('What to compare').selectOption('test');
    await dialog.getByText('No difference.').waitFor();
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('reverting a change of variations brings back values, names and those that were removed', async () => {
    const { json: made, text } = await ada.post('/api/v2/flags/shop', {
      key: 'colours',
      name: 'Colours',
      variations: [
        { value: 'red', name: 'Red' },
        { value: 'green', name: 'Green' },
        { value: 'blue', name: 'Blue' },
      ],
      defaults: { onVariation: 0, offVariation: 1 },
    });
    const [red, , blue] = (made['variations'] as Json[] | undefined)?.map(({ _id }) => _id as string) ?? [];
    assert.ok(red !== undefined, text);
    const changed = await ada.call('/api/v2/flags/shop/colours', {
      method: 'PATCH',
      headers: SEMANTIC,
      body: {
        instructions: [
          { kind: 'updateVariation', variationId: red, value: 'crimson', name: 'Crimson' },
          { kind: 'removeVariation', variationId: blue },
          { kind: 'addVariation', value: 'black' },
        ],
      },
    });
    assert.equal(changed.status, 200, changed.text);
    const renamed = await ada.call('/api/v2/flags/shop/colours', {
      method: 'PATCH',
      headers: SEMANTIC,
      body: { instructions: [{ kind: 'updateName', value: 'Colours of today' }] },
    });
    assert.equal(renamed.status, 200, renamed.text);
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/flags/shop/colours/history',
    );
    await page.getByRole('link', { name: /variations/ }).click();
    await page.getByRole('button', { name: 'Revert…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /Save/ }).last().click();
    await dialog.waitFor({ state: 'detached' });
    const { variations, name } = await readFlag('colours');
    assert.deepEqual(
      (variations as Json[]).map(({ value, name: word }) => [value, word]),
      [
        ['red', 'Red'],
        ['green', 'Green'],
        ['blue', 'Blue'],
      ],
    );
    assert.equal(name, 'Colours of today', 'what was changed besides stays');
    // There is nothing left to revert, and no button that pretends there is.
    await page.getByText('The flag is already what it was before this change.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Revert…' }).count(), 0);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('copying rules to two other environments changes those two and nothing else', async () => {
    const { variations } = await createFlag('copied', 'Copied flag');
    const variationId = (variations as Json[])[0]!['_id'] as string;
    const clause = { attribute: 'plan', op: 'in', values: ['pro'], contextKind: 'user', negate: false };
    await change('copied', 'test', [
      { kind: 'turnFlagOn' },
      { kind: 'addRule', clauses: [clause], variationId, description: 'Those who pay' },
    ]);
    const guarded = await ada.patch('/api/v2/projects/shop/environments/canary', [
      { op: 'replace', path: '/confirmChanges', value: true },
    ]);
    assert.equal(guarded.status, 200, guarded.text);
    const earlier = await readFlag('copied');
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/compare/shop?from=test&to=staging',
    );
    await page.getByText('1 rule · staging: no rules').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('checkbox', { name: 'Rules of Copied flag' }).check();
    await page.getByRole('button', { name: 'To: staging' }).click();
    await page.getByRole('checkbox', { name: 'canary' }).check();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Copy from test to staging and canary…' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', {
      name: 'Copy 2 configurations from test to staging and canary',
    });
    await confirm.waitFor();
    assert.equal(await confirm.getAttribute('aria-disabled'), 'true', 'the key was not typed yet');
    assert.deepEqual(targetingOf(await readFlag('copied'), 'staging'), targetingOf(earlier, 'staging'));
    await dialog.getByLabel('Type canary to go on').fill('canary');
    assert.deepEqual(await findBarriers(page), []);
    await confirm.click();
    await dialog.getByText('Copied from test to staging and canary').waitFor();
    assert.equal(await dialog.getByText('changed', { exact: true }).count(), 2);
    const now = await readFlag('copied');
    for (const key of ['test', 'production'])
      assert.deepEqual(targetingOf(now, key), targetingOf(earlier, key), key);
    const { rules } = targetingOf(now, 'test') as Json;
    for (const key of ['staging', 'canary'])
      assert.deepEqual(
        withoutSummary(targetingOf(now, key)),
        withoutSummary({ ...(targetingOf(earlier, key) as Json), rules }),
        key,
      );

    // From the flag itself, in three steps; its switch stays as it is.
    await page.goto(`${server.url}/console/flags/shop/copied?env=test`);
    await page.getByRole('button', { name: 'Copy targeting to…' }).click();
    await page
      .getByRole('dialog', { name: 'Where to copy to' })
      .getByRole('button', { name: 'production' })
      .click();
    await page.getByRole('button', { name: 'Copy 1 configuration from test to production' }).click();
    await page.getByText('Copied from test to production').waitFor();
    const production = targetingOf(await readFlag('copied'), 'production') as Json;
    assert.deepEqual([production['on'], production['rules']], [false, rules]);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a segment that is saved is what the flags that use it serve', async () => {
    const { variations } = await createFlag('for-beta', 'For beta');
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/segments/shop?env=test',
    );
    await page.getByText('There are no segments in this environment yet').waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Beta testers');
    await dialog.getByRole('button', { name: 'Create Beta testers' }).click();
    await page.getByRole('heading', { name: 'Beta testers', level: 1 }).waitFor();
    const clause = { attribute: '', op: 'segmentMatch', values: ['beta-testers'], negate: false };
    await change('for-beta', 'test', [
      { kind: 'turnFlagOn' },
      { kind: 'addRule', clauses: [clause], variationId: (variations as Json[])[0]!['_id'] },
      { kind: 'updateFallthroughVariationOrRollout', variationId: (variations as Json[])[1]!['_id'] },
    ]);
    await page.getByRole('list', { name: 'Used by' }).getByText('On', { exact: true }).waitFor();
    const included = page.getByRole('form', { name: 'Add to Included…' });
    await included.getByLabel('Keys to add').fill('carol\n dave \ncarol\n');
    await included.getByRole('button', { name: 'Add 2' }).click();
    const excluded = page.getByRole('form', { name: 'Add to Excluded…' });
    await excluded.getByLabel('Keys to add').fill('carol');
    await excluded.getByRole('button', { name: 'Add 1' }).click();
    const save = page.getByRole('button', { name: 'Review and save…' });
    assert.equal(await save.getAttribute('aria-disabled'), 'true', 'one is in both lists');
    await page.getByRole('button', { name: 'Remove carol' }).last().click();
    // What is typed is there after a reload.
    await page.reload();
    await page.getByText('dave').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await save.click();
    await dialog.getByText('For beta').waitFor();
    await dialog.getByRole('button', { name: 'Save to test now' }).click();
    await dialog.waitFor({ state: 'detached' });
    await save.waitFor({ state: 'detached' });
    const { json } = await ada.get('/api/v2/segments/shop/test/beta-testers');
    assert.deepEqual(json['included'], ['carol', 'dave']);
    const place = await ada.get('/api/v2/projects/shop/environments/test');
    const evaluate = async (targetingKey: string) => {
      const answer = await server.call('/ofrep/v1/evaluate/flags/for-beta', {
        method: 'POST',
        token: null,
        headers: { authorization: `Bearer ${place.json['apiKey']}` },
        body: { context: { targetingKey } },
      });
      return answer.json['value'] as unknown;
    };
    await eventually(async () => (await evaluate('dave')) === true);
    assert.equal(await evaluate('erin'), false);
    await page.getByRole('button', { name: 'Delete segment…' }).click();
    await dialog.getByText('These flags have rules that name it.').waitFor();
    await dialog.getByRole('textbox').fill('beta-testers');
    const remove = dialog.getByRole('button', { name: 'Delete beta-testers' });
    assert.equal(await remove.getAttribute('aria-disabled'), 'true', 'a flag uses it');
    assert.deepEqual(takeProblems(), []);
    await close();
  });
});

/** Without ids of rules and clauses, times and versions. */
function targetingOf(flag: Json, environment: string): unknown {
  const noise = new Set(['_id', 'version', 'lastModified', '_site']);
  return JSON.parse(
    JSON.stringify(flag['environments'][environment], (name, value: unknown) =>
      noise.has(name) ? undefined : value,
    ),
  );
}

/** It counts rules, so that it follows from them. */
function withoutSummary(config: unknown): unknown {
  const { _summary, ...rest } = config as Json;
  return rest;
}
