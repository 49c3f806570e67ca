// Tasks, schedules and webhooks of Actors in a real browser.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { script } from '../actor-sources.ts';
import { createActor } from '../actors.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { openReceiver, type WebhookReceiver } from '../webhook-receiver.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole, WIDTHS } from './console.ts';

const SCHEMA = {
  title: 'Greeter',
  type: 'object',
  schemaVersion: 1,
  properties: {
    name: {
      title: 'Name',
      type: 'string',
      description: 'Who is greeted',
      editor: 'textfield',
      default: 'you',
    },
    password: {
      title: 'Password',
      type: 'string',
      description: 'Hidden',
      editor: 'textfield',
      isSecret: true,
    },
  },
};

const GREETER = script(`console.log('INFO hello ' + ((await getInput()) ?? {}).name);`, {
  '.actor/actor.json': JSON.stringify({
    actorSpecification: 1,
    name: 'greeter',
    version: '0.1',
    input: SCHEMA,
  }),
});

const SECRET = 'hunter2-never-again';

describe('Tasks, schedules and webhooks of Actors', { skip: noBrowser, timeout: 10 * PATIENCE_MS }, () => {
  let server: TestServer;
  let browser: Browser;
  let receiver: WebhookReceiver;
  let ada: HostPerson;
  let isMended = false;

  before(async () => {
    receiver = await openReceiver((response) =>
      response.writeHead(isMended ? 200 : 500).end(isMended ? 'thanks' : 'out of order'),
    );
    server = await startServer({ limits: 'off', allowPrivateWebhooks: true });
    ada = await joinHost(server, 'ada', { role: 'owner' });
    await createActor(server, GREETER, { token: ada.token, name: 'greeter', fields: { title: 'Greeter' } });
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    await receiver?.close();
  });

  const read = async (path: string) => (await ada.get(`/v2${path}`)).json['data'] as Json;
  const open = (path: string) => openConsole(browser, server, ada.member, path);
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

  test('a task is created, saved with a secret that is never shown, run, duplicated and compared with its Actor', async () => {
    const { page, takeProblems, close } = await open('/tasks');
    await button(page, 'New task').first().click();
    await page.getByLabel('Actor', { exact: true }).selectOption({ label: 'Greeter' });
    await page.getByLabel('Name').fill('greet-bob');
    await button(page, 'Create the task').click();
    // The page of the task, and no longer the dialog.
    await page.getByLabel('Password').waitFor();
    await page.getByLabel('Name').fill('bob');
    await page.getByLabel('Password').fill(SECRET);
    await button(page, 'Save').click();
    await page.getByText('Set, and not shown').waitFor();
    const task = await read('/actor-tasks/~greet-bob');
    assert.equal(task['input'].name, 'bob');
    assert.match(task['input'].password as string, /^ENCRYPTED_/);
    assert.equal((await page.content()).includes(SECRET), false);
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('link', { name: 'Difference' }).click();
    await page.locator('.diff .add', { hasText: '"name": "bob"' }).waitFor();
    assert.equal((await page.content()).includes('ENCRYPTED_'), false);
    await button(page, 'Duplicate…').click();
    await button(page, 'Create the duplicate').click();
    await page.getByText('greet-bob-copy').first().waitFor();
    assert.deepEqual((await read('/actor-tasks/~greet-bob-copy'))['input'], task['input']);
    await button(page, /^Run/).click();
    await page.waitForURL(/\/runs\//);
    await page.locator('.log__x', { hasText: 'hello bob' }).waitFor();
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a schedule is created with its next times in both zones, appears in the week, and is paused', async () => {
    await ada.post('/v2/actor-tasks', { actId: '~greeter', name: 'greet-eve', title: 'Greeting' });
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, '/schedules/new', {
      timezoneId: 'America/New_York',
    });
    await page.getByLabel('Cron expression').fill('30 6 * * *');
    await page.getByLabel('Time zone').fill('UTC');
    await page.getByText('At 06:30.', { exact: true }).waitFor();
    // New York is four or five hours behind.
    const inBothZones = /06:30 \+00:00\s+\S+ .*0[12]:30/;
    await eventually(async () => {
      const rows = await page.locator('.next-times tbody tr').allInnerTexts();
      return rows.length === 5 && rows.every((row) => inBothZones.test(row));
    }, 'five times in both zones');
    await button(page, 'Add').click();
    await page.getByRole('radio', { name: 'Task' }).click();
    await page
      .getByRole('dialog')
      .getByLabel('Task', { exact: true })
      .last()
      .selectOption({ label: 'Greeting' });
    await button(page, 'Take over').click();
    await page.getByLabel('Title').fill('Greet Eve');
    assert.deepEqual(await findBarriers(page), []);
    await button(page, 'Create the schedule').click();
    await page.getByRole('heading', { name: 'Greet Eve' }).waitFor();
    const id = /\/schedules\/(\w+)/.exec(page.url())![1]!;
    const made = await read(`/schedules/${id}`);
    assert.deepEqual(
      [made['cronExpression'], made['timezone'], made['isEnabled'], made['actions'].length],
      ['30 6 * * *', 'UTC', true, 1],
    );
    await page.goto(`${server.url}/console/schedules?view=week`);
    const planned = page.locator('.week__run', { hasText: 'Greet Eve' });
    await eventually(async () => (await planned.count()) >= 6, 'the runs of the week');
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('radio', { name: 'List' }).click();
    await page.getByRole('switch', { name: 'Greet Eve is on' }).click();
    await eventually(async () => (await read(`/schedules/${id}`))['isEnabled'] === false);
    await page
      .getByRole('row', { name: /Greet Eve/ })
      .getByText('paused')
      .waitFor();
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a failing webhook shows request, response, phases and next retry, and redelivery succeeds once the target is repaired', async () => {
    const { page, takeProblems, close } = await open('/account/webhooks?tab=actors');
    await button(page, 'New webhook').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Actor', { exact: true }).selectOption({ label: 'Greeter' });
    await dialog.getByLabel('Address').fill(`${receiver.url}/hook`);
    await dialog.getByLabel('Headers template').fill(`{"X-Secret": "${SECRET}"}`);
    await button(page, 'Create').click();
    await button(page, 'Send a test').click();
    const row = page.locator('.hook-dels > li');
    await row.getByText('Waiting').waitFor();
    await row.getByText('next attempt').waitFor();
    // It comes when it is asked for.
    server.clock.stop();
    await row.getByRole('button', { name: 'Waiting' }).click();
    await row.getByText('Status 500').waitFor();
    await row.getByText('out of order').waitFor();
    await row.getByText(/connection .* first byte/).waitFor();
    await row.getByText('"eventType": "TEST"').waitFor();
    assert.equal(receiver.at('/hook')[0]!.headers['x-secret'], SECRET);
    assert.equal((await page.content()).includes(SECRET), false);
    assert.deepEqual(await findBarriers(page), []);
    isMended = true;
    await row.getByRole('button', { name: 'Send once more' }).click();
    await row.getByText('Delivered').waitFor();
    await row.getByText('Status 200').waitFor();
    await page.getByRole('radio', { name: 'Failed' }).click();
    await page.getByText('None with this outcome.').waitFor();
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('on a small screen nothing scrolls sideways', async () => {
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, '/tasks', {
      viewport: { width: WIDTHS[0], height: 740 },
      colorScheme: 'dark',
    });
    for (const path of ['/tasks', '/schedules?view=week', '/schedules/new', '/account/webhooks?tab=actors']) {
      await page.goto(`${server.url}/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      assert.ok(width <= WIDTHS[0], `${path}: ${width}`);
      assert.deepEqual(await findBarriers(page), []);
    }
    assert.deepEqual(takeProblems(), []);
    await close();
  });
});
