// The administration of a repository in a real browser: settings and roles, rules of branches, webhooks with deliveries, and blame.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { needsGit } from '../../src/host/git/fixture-repository.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { openReceiver, type WebhookReceiver } from '../webhook-receiver.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole } from './console.ts';

const suite = { skip: noBrowser || needsGit.skip, timeout: 10 * PATIENCE_MS };

describe('the administration of a repository in the console', suite, () => {
  let server: TestServer;
  let browser: Browser;
  let receiver: WebhookReceiver;
  let isBroken = false;
  let ada: HostPerson;
  let bob: HostPerson;

  before(async () => {
    server = await startServer({ limits: 'off', allowPrivateWebhooks: true });
    ada = await joinHost(server, 'ada', { role: 'owner' });
    bob = await joinHost(server, 'bob');
    receiver = await openReceiver((response) => {
      response.statusCode = isBroken ? 500 : 200;
      response.end(isBroken ? 'broken' : 'thanks');
    });
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await receiver?.close();
    await server?.stop();
  });

  const noticeOn = (page: Page, text: string) =>
    page.getByRole('region', { name: 'Notifications' }).getByText(text);
  const read = async (path: string): Promise<Json> => (await ada.get(path)).json;

  test('settings are saved, people get roles, and its end takes the typed name', async () => {
    await ada.repository('garden', { auto_init: true });
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/code/ada/garden/settings',
    );
    await page.getByLabel('Description').fill('Plants & tools');
    await page.getByLabel('Topics').fill('Green');
    await page.keyboard.press('Enter');
    await page.getByRole('switch', { name: 'By a merge commit' }).click();
    await page.getByText('To be changed: “Description”, “Topics”, “By a merge commit”.').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await noticeOn(page, 'The settings are saved.').waitFor();
    const saved = await read('/repos/ada/garden');
    assert.deepEqual(
      [saved.description, saved.topics, saved.allow_merge_commit, saved.allow_squash_merge],
      ['Plants & tools', ['green'], false, true],
    );

    await page.getByRole('link', { name: 'Access' }).click();
    await page.getByRole('heading', { name: 'People' }).waitFor();
    await page.keyboard.press('c');
    await page.getByLabel('Name of a user').fill('bob');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('combobox', { name: 'Role of bob' }).selectOption('triage');
    await noticeOn(page, 'bob has the role Triage now.').waitFor();
    const role = async () => (await read('/repos/ada/garden/collaborators/bob/permission')).role_name;
    assert.equal(await role(), 'triage');
    const other = await openConsole(browser, server, bob.member, '/code/ada/garden/settings');
    await other.page.getByText('updateRepository').waitFor();
    assert.equal(await other.page.getByRole('link', { name: 'Settings', exact: true }).count(), 1);
    await other.close();
    await page.getByRole('button', { name: 'Remove bob' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await noticeOn(page, 'bob is removed.').waitFor();
    assert.equal((await ada.get('/repos/ada/garden/collaborators/bob')).status, 404);

    await page.getByRole('link', { name: 'General' }).click();
    await page.getByRole('button', { name: 'Rename…' }).click();
    await page.getByLabel('New name').fill('park');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByRole('heading', { name: 'ada/park' }).waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const confirm = page.getByRole('button', { name: 'Delete this repository' });
    const typed = page.getByRole('dialog').getByRole('textbox');
    await typed.fill('garden');
    assert.equal(await confirm.getAttribute('aria-disabled'), 'true');
    await typed.fill('park');
    await confirm.click();
    await noticeOn(page, 'ada/park is deleted.').waitFor();
    assert.equal((await ada.get('/repos/ada/park')).status, 404);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a rule of a branch is edited as sentences, saved with its difference, and said on the page of branches', async () => {
    await ada.repository('ruled', { auto_init: true });
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/code/ada/ruled/settings/branches',
    );
    await page.getByText('No branch is protected').waitFor();
    await page.keyboard.press('c');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('heading', { name: 'A new rule for main' }).waitFor();
    await page.getByLabel('Approvals that are needed').selectOption('2');
    await page.getByRole('checkbox', { name: 'Code owners must approve what they own' }).check();
    await page.getByRole('switch', { name: 'Checks must succeed' }).click();
    await page.getByLabel('Names of checks').fill('tests / browser');
    await page.keyboard.press('Enter');
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('button', { name: 'Review and save…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Changes come by pull requests with 2 approvals.').waitFor();
    await dialog.getByRole('button', { name: 'Protect the branch' }).click();
    await noticeOn(page, 'The rule of main is saved.').waitFor();
    const at = '/repos/ada/ruled/branches/main/protection';
    const saved = await read(at);
    const reviews = saved.required_pull_request_reviews as Json;
    assert.deepEqual(
      [
        reviews.required_approving_review_count,
        reviews.require_code_owner_reviews,
        (saved.required_status_checks as Json).contexts,
      ],
      [2, true, ['tests / browser']],
    );

    // What somebody else saves meanwhile stays.
    const { status } = await ada.post(`${at}/enforce_admins`);
    assert.equal(status, 200);
    await page.getByRole('switch', { name: 'The rule binds administrators too', checked: true }).waitFor();
    await page.getByRole('switch', { name: 'No merge commits' }).click();
    await page.getByText('1 change', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Review and save…' }).click();
    await dialog.getByText('New: Merge commits are refused.').waitFor();
    assert.equal(await dialog.getByRole('listitem').count(), 1);
    await dialog.getByRole('button', { name: 'Save the rule' }).click();
    await eventually(
      async () => ((await read(at)).required_linear_history as Json).enabled === true,
      'the changed rule',
    );
    assert.equal(((await read(at)).enforce_admins as Json).enabled, true);

    await page.goto(`${server.url}/console/code/ada/ruled/branches`);
    await page.getByText('The check “tests / browser” must have succeeded.').waitFor();
    await page.getByText('All of this binds administrators too.').waitFor();
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a webhook is made with a secret shown once, a failed delivery is sent again, and lines name their commits', async () => {
    await ada.repository('hooked', { auto_init: true });
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/code/ada/hooked/settings/webhooks',
    );
    await page.getByText('Nothing is sent anywhere yet').waitFor();
    isBroken = true;
    await page.keyboard.press('c');
    await page.getByLabel('Address').fill(`${receiver.url}/hook`);
    await page.getByRole('button', { name: 'Create' }).click();
    const secret = await page.locator('.secret code').innerText();
    assert.match(secret, /^[0-9a-f]{64}$/);
    await page.getByRole('checkbox', { name: 'I have stored it in a safe place' }).check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Failed' }).click();
    await page.getByText('Invalid HTTP Response: 500').waitFor();
    await page.getByText('broken', { exact: true }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    assert.equal((await page.content()).includes(secret), false);
    isBroken = false;
    await page.getByRole('button', { name: 'Send once more' }).click();
    await page.getByRole('button', { name: 'Delivered' }).waitFor();
    const received = await receiver.wait('/hook', 2);
    for (const { headers, body } of received) {
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      assert.equal(headers['x-hub-signature-256'], `sha256=${signature}`);
    }

    const file = '/repos/ada/hooked/contents/beds.txt';
    const write = async (text: string, sha?: string): Promise<Json> => {
      const content = Buffer.from(text).toString('base64');
      const { json } = await ada.put(file, { message: `Write ${text.length}`, content, ...(sha && { sha }) });
      return json;
    };
    const first = await write('roses\nlilies\n');
    await write('roses\ntulips!\n', (first.content as Json).sha as string);
    await page.goto(`${server.url}/console/code/ada/hooked/blob/main/beds.txt`);
    await page.getByText('tulips!').waitFor();
    await page.keyboard.press('b');
    await page.waitForURL(/view=blame/);
    const blocks = page.getByRole('list', { name: 'Commits of these lines' }).getByRole('listitem');
    await blocks.getByRole('link', { name: 'Write 14' }).waitFor();
    await eventually(async () => (await blocks.count()) === 2, 'both commits');
    await page.getByRole('link', { name: /^Blame before/ }).click();
    await page.getByText('lilies').waitFor();
    await eventually(async () => (await blocks.count()) === 1, 'the blame before the commit');
    assert.deepEqual(takeProblems(), []);
    await close();
  });
});
