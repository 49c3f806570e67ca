// The targeting of a flag in a real browser: what is edited, tried, saved and contested is what the API then says.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole } from './console.ts';

const SEMANTIC = { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' };
const FLAGS = '/api/v2/flags/default';
const CONTEXTS = 200;

interface Config {
  on: boolean;
  rules: { description?: string; clauses: { attribute: string; values: string[] }[]; variation?: number }[];
  fallthrough: { variation?: number };
  offVariation: number;
}

describe('targeting in the console', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let ada: HostPerson;
  let bob: HostPerson;

  before(async () => {
    server = await startServer({ limits: 'off' });
    ada = await joinHost(server, 'ada', { role: 'owner' });
    bob = await joinHost(server, 'bob', { role: 'owner', firstName: 'Bob' });
    const guarded = await ada.patch('/api/v2/projects/default/environments/production', [
      { op: 'replace', path: '/critical', value: true },
      { op: 'replace', path: '/requireComments', value: true },
    ]);
    assert.equal(guarded.status, 200, guarded.text);
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const create = async (key: string): Promise<string[]> => {
    const clientSideAvailability = { usingEnvironmentId: true, usingMobileKey: false };
    const made = await ada.post(FLAGS, { key, name: `Flag ${key}`, clientSideAvailability });
    assert.equal(made.status, 201, made.text);
    return (made.json['variations'] as { _id: string }[]).map(({ _id }) => _id);
  };
  const change = async (by: HostPerson, key: string, ...instructions: Json[]): Promise<void> => {
    const body = { environmentKey: 'test', instructions };
    const changed = await by.call(`${FLAGS}/${key}`, { method: 'PATCH', headers: SEMANTIC, body });
    assert.equal(changed.status, 200, changed.text);
  };
  const read = async (key: string, environment = 'test'): Promise<Config> => {
    const { json } = await ada.get(`${FLAGS}/${key}`);
    return (json['environments'] as Record<string, Config>)[environment]!;
  };
  const open = (key: string, environment = 'test', person = ada) =>
    openConsole(browser, server, person.member, `/flags/default/${key}?env=${environment}`);
  const reviewAndSave = async (page: Page, label = 'Save to test now') => {
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: label }).click();
  };
  const toast = (page: Page, text: string) =>
    page.getByRole('region', { name: 'Notifications' }).getByText(text).waitFor();
  const countPatches = (page: Page) => {
    const sent = { count: 0 };
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.count += 1;
    });
    return sent;
  };

  const addClause = async (page: Page, rule: string, attribute: string, lines: string[]) => {
    const card = page.getByRole('region', { name: rule });
    await card
      .getByRole('textbox', { name: 'Attribute', exact: true })
      .or(card.getByLabel('Attribute', { exact: true }))
      .first()
      .fill(attribute);
    const values = card.getByLabel(`Add to ${attribute}`);
    for (const line of lines) {
      await values.fill(line);
      await values.press('Enter');
    }
    await card.getByRole('button', { name: 'Done' }).click();
  };

  test('a rule with two clauses and a rollout of 40 and 60 percent serves what the panel predicted', async () => {
    await create('predicted');
    await change(ada, 'predicted', { kind: 'turnFlagOn' });
    const { page, takeProblems, close } = await open('predicted');
    await page.getByRole('button', { name: 'Rule', exact: true }).click();
    await addClause(page, 'Rule 1', 'country', ['DE', 'AT']);
    await page.getByRole('button', { name: 'Condition', exact: true }).click();
    await page.getByLabel('Operator').selectOption({ label: 'is not one of' });
    await addClause(page, 'Rule 1', 'plan', ['free']);
    await page.getByLabel('Serve in rule 1').selectOption({ label: 'A percentage rollout' });
    await page.getByLabel('Share of true in percent').fill('40');
    await page.getByLabel('Share of false in percent').fill('60');
    await page.getByText('Sum 100.000 %').waitFor();
    const asked = page.waitForRequest(
      (request) =>
        request.url().endsWith('/flags/predicted/evaluate') && request.postData()!.includes('60000'),
    );
    await page
      .getByLabel('Context as JSON')
      .fill('{"kind": "user", "key": "user-1", "country": "DE", "plan": "pro"}');
    const { instructions } = JSON.parse((await asked).postData()!) as { instructions: Json[] };
    await page.getByText('user-1 stops here').waitFor();
    assert.deepEqual(await findBarriers(page), []);

    const contexts = Array.from({ length: CONTEXTS }, (_, index) => ({
      kind: 'user',
      key: `user-${index}`,
      country: ['DE', 'AT', 'FR'][index % 3],
      plan: index % 5 === 0 ? 'free' : 'pro',
    }));
    const evaluate = async (more: Json): Promise<Json[]> => {
      const halves = [contexts.slice(0, CONTEXTS / 2), contexts.slice(CONTEXTS / 2)];
      const replies = halves.map(async (half) => {
        const body = { environmentKey: 'test', contexts: half, ...more };
        const path = '/signalbox/v1/projects/default/flags/predicted/evaluate';
        const { status, text, json } = await ada.call(path, { method: 'POST', body });
        assert.equal(status, 200, text);
        return json['items'] as Json[];
      });
      return (await Promise.all(replies)).flat();
    };
    const predicted = (await evaluate({ instructions })).map((item) => (item['draft'] as Json)['value']);
    assert.ok(predicted.includes(true) && predicted.includes(false));

    await reviewAndSave(page);
    await toast(page, 'Saved Flag predicted in test');
    assert.equal((await read('predicted')).rules.length, 1);
    const saved = (await evaluate({})).map((item) => (item['saved'] as Json)['value']);
    assert.deepEqual(saved, predicted);
    const home = await ada.get('/api/v2/projects/default/environments/test');
    const served = await Promise.all(
      contexts.map(async (context) => {
        const code = Buffer.from(JSON.stringify(context)).toString('base64url');
        const { json } = await server.call(`/sdk/evalx/${home.json['_id']}/contexts/${code}`, {
          token: null,
        });
        return (json['predicted'] as Json)['value'];
      }),
    );
    assert.deepEqual(served, predicted);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('shares that do not make 100 percent cannot be saved, and the message stands at the field', async () => {
    await create('uneven');
    const { page, close } = await open('uneven');
    const sent = countPatches(page);
    await page.getByLabel('Serve in default rule').selectOption({ label: 'A percentage rollout' });
    const share = page.getByLabel('Share of true in percent');
    await share.fill('33.333');
    const message = 'The shares make 33.333 %: 66.667 % are missing.';
    await page.getByText(message).waitFor();
    assert.equal(await share.getAttribute('aria-invalid'), 'true');
    const described = await share.getAttribute('aria-describedby');
    assert.match(await page.locator(`[id="${described}"]`).innerText(), new RegExp(message.slice(0, 20)));
    const review = page.getByRole('button', { name: 'Review and save' });
    assert.equal(await review.getAttribute('aria-disabled'), 'true');
    await page.keyboard.press('Control+s');
    await review.click({ force: true });
    await page.getByText('Mend 1 place first: it is marked.').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('button', { name: 'Put the rest on false' }).click();
    await page.getByText('Sum 100.000 %').waitFor();
    // A draft is there after a reload, too.
    await page.reload();
    await page.getByText('Sum 100.000 %').waitFor();
    assert.equal(await page.getByLabel('Share of false in percent').inputValue(), '66.667');
    await page.getByRole('button', { name: 'Review and save', disabled: false }).waitFor();
    await page.keyboard.press('Control+s');
    await page.getByRole('dialog').waitFor();
    assert.equal(sent.count, 0);
    await close();
  });

  test('of two people who change different parts both changes are kept, and of the same part the second chooses', async () => {
    const [yes, no] = await create('shared');
    const clauses = [{ attribute: 'country', op: 'in', values: ['DE'] }];
    await change(ada, 'shared', { kind: 'addRule', variationId: yes, clauses });
    const { page, takeProblems, close } = await open('shared');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByLabel('Variation when off').selectOption({ index: 0 });
    await page.getByText('1 change', { exact: true }).waitFor();

    await change(bob, 'shared', { kind: 'updateFallthroughVariationOrRollout', variationId: no });
    await page.getByText('Bob changed default rule; your draft stays.').waitFor();
    await reviewAndSave(page);
    await toast(page, 'both changes are kept');
    const both = await read('shared');
    assert.deepEqual([both.offVariation, both.fallthrough.variation], [0, 1]);

    await page.getByLabel('Serve in rule 1').selectOption({ index: 1 });
    const [rule] = (await read('shared')).rules as { _id?: string }[];
    await change(bob, 'shared', {
      kind: 'updateRuleDescription',
      ruleId: rule!._id,
      description: 'By Bob',
    });
    await page.getByText('Bob changed rule 1; your draft stays.').waitFor();
    await reviewAndSave(page);
    const conflict = page.getByRole('dialog', { name: 'Somebody changed the same meanwhile' });
    await conflict.waitFor();
    assert.deepEqual(await findBarriers(page), []);
    assert.equal((await read('shared')).rules[0]!.variation, 0);
    await conflict.getByRole('radio', { name: 'Theirs' }).check();
    await conflict.getByRole('button', { name: 'Take theirs, save nothing' }).waitFor();
    await conflict.getByRole('radio', { name: 'Mine' }).check();
    await conflict.getByRole('button', { name: 'Save merged to test' }).click();
    await toast(page, 'Saved Flag shared in test');
    const merged = (await read('shared')).rules[0]!;
    assert.deepEqual([merged.variation, merged.description], [1, 'By Bob']);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a flag is turned on in production only after its key was typed and a comment was written', async () => {
    await create('careful');
    const { page, close } = await open('careful', 'production');
    const sent = countPatches(page);
    await page.getByRole('switch', { name: 'Flag careful in production' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This environment is guarded').waitFor();
    const save = dialog.getByRole('button', { name: 'Save to production now' });
    await dialog.getByLabel('Comment').fill('Ready');
    const key = dialog.getByLabel('Type production to go on');
    await key.fill('test');
    await key.press('Enter');
    assert.equal(await save.getAttribute('aria-disabled'), 'true');
    await save.click({ force: true });
    assert.equal(sent.count, 0);
    assert.deepEqual(await findBarriers(page), []);
    await key.fill('production');
    await dialog.getByLabel('Comment').fill('');
    assert.equal(await save.getAttribute('aria-disabled'), 'true');
    await dialog.getByLabel('Comment').fill('Ready');
    await key.press('Enter');
    assert.equal(sent.count, 0);
    await save.click();
    await eventually(async () => (await read('careful', 'production')).on);
    await page.getByRole('switch', { name: 'Flag careful in production', checked: true }).waitFor();
    assert.equal(sent.count, 1);
    await close();

    const carol = await joinHost(server, 'carol', { role: 'reader' });
    const reader = await open('careful', 'production', carol);
    await reader.page.getByText('Needs updateRules on').waitFor();
    await reader.page.getByRole('switch', { name: 'Flag careful in production', disabled: true }).waitFor();
    assert.equal(await reader.page.getByRole('button', { name: 'Rule', exact: true }).count(), 0);
    assert.deepEqual(reader.takeProblems(), []);
    await reader.close();
  });

  test('with a thousand rules one is found, moved and saved', async () => {
    const [yes] = await create('long');
    const rules = Array.from({ length: 1000 }, (_, index) => ({
      variationId: yes,
      clauses: [{ attribute: 'number', op: 'in', values: [`value-${index}`] }],
    }));
    await change(ada, 'long', { kind: 'replaceRules', rules });
    const { page, close } = await open('long');
    await page.getByLabel('Find in the rules').fill('value-999');
    await page.getByText('1 of 1000 rules').waitFor();
    await page.getByRole('button', { name: 'More for rule 1000' }).click();
    await page.getByRole('menuitem', { name: 'Move to the top' }).click();
    await page.getByRole('heading', { name: 'Rule 1', exact: true }).waitFor();
    await reviewAndSave(page);
    await toast(page, 'Saved Flag long in test');
    assert.deepEqual((await read('long')).rules[0]!.clauses[0]!.values, ['value-999']);
    await close();
  });
});
