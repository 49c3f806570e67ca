// Flags as they were, in a real browser: a request that others overtook is made anew, and a slider goes back in time.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { PATIENCE_MS } from '../eventually.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole } from './console.ts';

const SEMANTIC = { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' };
const MINUTE = 60_000;

describe('flags as they were', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let ada: HostPerson;

  before(async () => {
    server = await startServer({ limits: 'off' });
    ada = await joinHost(server, 'ada', { role: 'owner' });
    const made = await ada.post('/api/v2/projects', { key: 'shop', name: 'Shop' });
    assert.equal(made.status, 201, made.text);
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const createFlag = async (key: string, name: string): Promise<string[]> => {
    const { status, json, text } = await ada.post('/api/v2/flags/shop', { key, name });
    assert.equal(status, 201, text);
    return (json['variations'] as Json[]).map(({ _id }) => _id as string);
  };
  const change = async (flag: string, instructions: object[]) => {
    server.clock.ahead += MINUTE;
    const { status, json, text } = await ada.call(`/api/v2/flags/shop/${flag}`, {
      method: 'PATCH',
      headers: SEMANTIC,
      body: { environmentKey: 'test', instructions },
    });
    assert.equal(status, 200, text);
    return json['environments'].test as Json;
  };
  const rule = (country: string, variationId: string) => ({
    kind: 'addRule',
    variationId,
    clauses: [{ attribute: 'country', op: 'in', values: [country], contextKind: 'user', negate: false }],
  });

  test('a request that others overtook shows mine, theirs and merged, and is made anew', async () => {
    const [yes, no] = await createFlag('contested', 'Contested flag');
    await change('contested', [rule('DE', yes!)]);
    const { rules } = await change('contested', [{ kind: 'turnFlagOn' }]);
    server.clock.ahead += MINUTE;
    const place = '/api/v2/projects/shop/flags/contested/environments/test';
    const asked = await ada.post(`${place}/approval-requests`, {
      description: 'Nobody in Germany, off afterwards',
      instructions: [
        { kind: 'updateRuleVariationOrRollout', ruleId: (rules as Json[])[0]!['_id'], variationId: no },
        { kind: 'updateFallthroughVariationOrRollout', variationId: no },
      ],
    });
    assert.equal(asked.status, 201, asked.text);
    const id = asked.json['_id'] as string;
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, `/approvals/${id}`);
    await page.getByText('What changes').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Rebase…' }).count(), 0, 'nothing was changed yet');
    // Others change one part that the request changes, and one that it does not.
    await change('contested', [
      { kind: 'updateFallthroughVariationOrRollout', rolloutWeights: { [yes!]: 30_000, [no!]: 70_000 } },
      { kind: 'addUserTargets', variationId: yes, values: ['carol'] },
    ]);
    await page.getByText(/was changed in test since this was asked for: .*the default rule/).waitFor();
    await page.getByText('Some of it is what the request changes, too.').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('button', { name: 'Rebase…' }).click();
    const dialog = page.getByRole('dialog');
    // Theirs is kept of the default rule, and mine of the rule.
    await dialog.getByRole('radio', { name: /Theirs/ }).check();
    await dialog.getByRole('button', { name: /Review/ }).click();
    const confirm = dialog.getByRole('button', { name: 'Request approval for test anew' });
    await confirm.waitFor();
    await dialog.getByRole('radio', { name: 'Mine' }).check();
    await dialog.getByText('What this request asks for:').waitFor();
    await dialog.getByRole('radio', { name: 'Theirs' }).check();
    await dialog.getByText('carol').first().waitFor();
    await dialog.getByRole('radio', { name: 'Merged' }).check();
    assert.deepEqual(await findBarriers(page), []);
    await confirm.click();
    await page.getByText('The request was made anew').first().waitFor();
    await page.waitForURL((url) => url.pathname.includes('/approvals/') && !url.pathname.endsWith(id));
    assert.equal((await ada.get(`/api/v2/approval-requests/${id}`)).status, 404, 'the old one is withdrawn');
    const anew = page.url().split('/').at(-1)!;
    const { instructions, description } = (await ada.get(`/api/v2/approval-requests/${anew}`)).json;
    assert.equal(description, 'Nobody in Germany, off afterwards');
    assert.deepEqual(
      (instructions as Json[]).map(({ kind }) => kind as string),
      ['updateRuleVariationOrRollout'],
    );
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a slider over the changes shows the targeting as it was, and goes back to it', async () => {
    const [yes] = await createFlag('scrubbed', 'Scrubbed flag');
    const { lastModified } = await change('scrubbed', [rule('DE', yes!)]);
    await change('scrubbed', [rule('FR', yes!)]);
    await change('scrubbed', [{ kind: 'turnFlagOn' }]);
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/flags/shop/scrubbed/history?env=test',
    );
    await page.getByRole('button', { name: 'As it was at a moment…' }).click();
    const card = page.locator('section.card', { has: page.getByRole('slider') });
    await card.locator('dd', { hasText: 'is one of FR' }).waitFor();
    await card.getByText('On', { exact: true }).waitFor();
    await page.getByRole('slider', { name: 'Moment, by change' }).focus();
    await page.keyboard.press('ArrowLeft');
    await card.getByText('Off', { exact: true }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await card.locator('dd', { hasText: 'is one of FR' }).waitFor({ state: 'detached' });
    await card.locator('dd', { hasText: 'is one of DE' }).waitFor();
    assert.equal(
      Number(new URL(page.url()).searchParams.get('at')),
      lastModified,
      'the address holds the moment',
    );
    assert.deepEqual(await findBarriers(page), []);
    await page.reload();
    await card.locator('dd', { hasText: 'is one of DE' }).waitFor();
    await card.getByRole('button', { name: 'Revert in test…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save to test now' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { on, rules } = (await ada.get('/api/v2/flags/shop/scrubbed')).json['environments'].test;
    assert.deepEqual([on, (rules as Json[]).length], [false, 1]);
    assert.deepEqual(takeProblems(), []);
    await close();
  });
});
