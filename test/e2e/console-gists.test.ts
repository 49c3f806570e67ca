// Gists, alerts, organizations and apps in a real browser: each from its creation to its end, and what the API then says.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { needsGit } from '../../src/host/git/fixture-repository.ts';
import { makeApp } from '../app-people.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { expectAnswer } from '../host-crew.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole } from './console.ts';

const HOSTILE =
  '# Notes\n\n<script>document.title = "taken"</script><img src=x onerror="document.title = 1">\n';

describe(
  'gists, alerts, organizations and apps of the console',
  { skip: noBrowser || needsGit.skip, timeout: 10 * PATIENCE_MS },
  () => {
    let server: TestServer;
    let browser: Browser;
    let ada: HostPerson;
    let bob: HostPerson;

    before(async () => {
      server = await startServer({ limits: 'off' });
      ada = await joinHost(server, 'ada', { role: 'owner' });
      bob = await joinHost(server, 'bob', { role: 'writer' });
      browser = await startBrowser();
    });
    after(async () => {
      await browser?.close();
      await server?.stop();
    });

    test('a gist is written, changed, commented on and forked; its revision shows what changed, and nothing in it runs', async () => {
      const { page, takeProblems, close } = await openConsole(browser, server, ada.member, '/gists');
      await page.getByText('You have no gists yet').waitFor();
      await page.keyboard.press('c');
      await page.getByLabel('File name').fill('notes.md');
      await page.getByLabel('Content').fill(HOSTILE);
      await page.getByRole('radio', { name: /^Public/ }).check();
      await page.getByRole('button', { name: 'Create gist' }).click();
      await page.getByRole('heading', { name: 'Notes', exact: true }).waitFor();
      assert.match(await page.title(), /^notes\.md · Gists/);
      const id = new URL(page.url()).pathname.split('/').at(-1)!;

      await page.getByRole('link', { name: 'Edit' }).click();
      await page.getByRole('button', { name: 'Add a file' }).click();
      const second = page.getByRole('region', { name: 'File 2' });
      await second.getByLabel('File name').fill('notes.md');
      await second.getByLabel('Content').fill('{ "a": 1 }\n');
      await page.getByRole('button', { name: 'Save' }).click();
      await second.getByText('Another file has this name.').waitFor();
      await second.getByLabel('File name').fill('a.json');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('region', { name: 'a.json', exact: true }).waitFor();
      await page.getByRole('textbox', { name: 'Your comment' }).fill('Well said');
      await page.getByRole('button', { name: 'Comment', exact: true }).click();
      await page.getByRole('article', { name: /ada/ }).getByText('Well said').waitFor();
      const star = page.getByRole('button', { name: 'Star' });
      await star.click();
      await eventually(async () => (await ada.get(`/gists/${id}/star`)).status === 204, 'the star');
      assert.deepEqual(await findBarriers(page), []);

      await page.getByRole('link', { name: 'Revisions' }).click();
      await page.getByRole('region', { name: 'a.json', exact: true }).getByText('{ "a": 1 }').waitFor();
      assert.equal(await page.getByRole('region', { name: 'notes.md', exact: true }).count(), 0);
      await page.getByRole('list', { name: 'Revisions' }).getByRole('link').last().click();
      await page.getByRole('region', { name: 'notes.md', exact: true }).getByText('# Notes').waitFor();
      assert.deepEqual(await findBarriers(page), []);
      assert.deepEqual(takeProblems(), []);
      await close();

      const theirs = await openConsole(browser, server, bob.member, `/gists/${id}`);
      await theirs.page.getByRole('button', { name: 'Fork' }).click();
      await theirs.page.getByText('forked from').waitFor();
      const forks = (await ada.get(`/gists/${id}/forks`)).json as unknown as Json[];
      assert.deepEqual(
        forks.map(({ owner }) => (owner as Json)['login']),
        ['bob'],
      );
      await theirs.page.getByRole('button', { name: 'More actions' }).first().click();
      await theirs.page.getByRole('menuitem', { name: 'Delete gist' }).click();
      await theirs.page.getByRole('button', { name: 'Delete gist' }).click();
      await theirs.page.getByText('You have no gists yet').waitFor();
      assert.deepEqual(theirs.takeProblems(), []);
      await theirs.close();
    });

    test('an alert is shown at its line, dismissed with a reason and opened again, and its history says so', async () => {
      await ada.repository('shop', { auto_init: true });
      const at = '/repos/ada/shop';
      const content = Buffer.from('one\ntwo\nconst danger = eval(text);\nfour\n').toString('base64');
      const { commit } = await expectAnswer(
        201,
        ada.put(`${at}/contents/src/run.js`, { message: 'Add', content }),
      );
      await expectAnswer(202, ada.post(`${at}/code-scanning/sarifs`, reportOf((commit as Json)['sha'])));
      await eventually(
        async () => ((await ada.get(`${at}/code-scanning/alerts`)).json as unknown as Json[]).length === 1,
        'the alert',
      );
      const { page, takeProblems, close } = await openConsole(
        browser,
        server,
        ada.member,
        '/code/ada/shop/security?severity=high',
      );
      await page.getByRole('link', { name: /Text is run as code/ }).click();
      const code = page.getByRole('region', { name: 'Lines of src/run.js' });
      assert.match(await code.locator('.is-on').innerText(), /const danger = eval\(text\);/);
      await page.getByRole('button', { name: 'Dismiss…' }).click();
      await page.getByRole('radio', { name: /^Won't fix/ }).check();
      await page.getByLabel('Comment').fill('Only our own text');
      await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
      await page.getByText("dismissed: Won't fix").first().waitFor();
      const dismissed = await expectAnswer(200, ada.get(`${at}/code-scanning/alerts/1`));
      assert.deepEqual(
        [dismissed['state'], dismissed['dismissed_comment']],
        ['dismissed', 'Only our own text'],
      );
      await page.getByRole('button', { name: 'Reopen' }).click();
      const history = page.getByRole('list', { name: 'History' });
      await history.getByText('reopened the code-scanning alert 1 of').waitFor();
      await history.getByText('Only our own text').waitFor();
      assert.deepEqual(takeProblems(), []);
      await close();

      const theirs = await openConsole(browser, server, bob.member, '/code/ada/shop');
      await theirs.page.locator('#main').getByRole('link', { name: 'Issues' }).waitFor();
      assert.equal(await theirs.page.getByRole('link', { name: 'Security' }).count(), 0);
      await theirs.close();
    });

    test('an organization gets members and a team with a repository; an installed app is suspended and removed', async () => {
      const { page, takeProblems, close } = await openConsole(browser, server, ada.member, '/orgs');
      await page.getByRole('button', { name: 'New organization' }).waitFor();
      await page.keyboard.press('c');
      await page.getByLabel('Login').fill('acme');
      await page.getByRole('button', { name: 'Create organization' }).click();
      await page.getByRole('heading', { name: 'acme' }).waitFor();
      await expectAnswer(201, ada.post('/orgs/acme/repos', { name: 'tools' }));
      await page.locator('#main').getByRole('link', { name: 'Members' }).click();
      await page.getByRole('button', { name: 'Add member' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Username').fill('nobody-here');
      await dialog.getByRole('button', { name: 'Add member' }).click();
      await dialog.getByText('There is no such user on this server.').waitFor();
      await dialog.getByLabel('Username').fill('bob');
      await dialog.getByRole('button', { name: 'Add member' }).click();
      await page.getByRole('row', { name: /bob/ }).waitFor();
      await page.locator('#main').getByRole('link', { name: 'Teams' }).click();
      await page.getByRole('button', { name: 'New team' }).click();
      await page.getByLabel('Name').fill('Smiths');
      await page.getByRole('button', { name: 'Create team' }).click();
      await page.getByRole('button', { name: 'Add repository' }).click();
      await page.getByRole('button', { name: 'Repository: Choose' }).click();
      await page.getByRole('button', { name: /^tools/ }).click();
      await page.getByLabel('Role').selectOption('push');
      await page.getByRole('dialog').getByRole('button', { name: 'Add repository' }).last().click();
      await page.getByRole('combobox', { name: 'Role on tools' }).waitFor();
      const [given] = (await ada.get('/orgs/acme/teams/smiths/repos')).json as unknown as Json[];
      assert.deepEqual((given!['permissions'] as Json)['push'], true);
      assert.deepEqual(await findBarriers(page), []);

      const robot = await makeApp(server, 'bob', { name: 'Robot', permissions: { issues: 'write' } });
      const installation = await robot.install('acme');
      await page.goto(`${server.url}/console/account/apps?account=acme`);
      const row = page.getByRole('row', { name: /Robot/ });
      await row.getByText('read and write issues').waitFor();
      await row.getByRole('button', { name: 'More actions: Robot' }).click();
      await page.getByRole('menuitem', { name: 'Suspend' }).click();
      await page.getByRole('button', { name: 'Suspend', exact: true }).click();
      await row.getByText('suspended').waitFor();
      await row.getByRole('link', { name: 'Robot' }).click();
      await page.getByRole('heading', { name: 'Robot on acme' }).waitFor();
      assert.deepEqual(await findBarriers(page), []);
      await page.getByRole('link', { name: 'Apps' }).click();
      await page.goto(`${server.url}/console/account/apps?account=acme`);
      await row.getByRole('button', { name: 'More actions: Robot' }).click();
      await page.getByRole('menuitem', { name: 'Uninstall' }).click();
      await page.getByRole('button', { name: 'Uninstall', exact: true }).click();
      await page.getByText('No app is installed').waitFor();
      const isGone = async () =>
        (await robot.call(`/app/installations/${installation.number}`)).status === 404;
      await eventually(isGone, 'the removal of the installation');
      assert.deepEqual(takeProblems(), []);
      await close();
    });
  },
);

/** One finding of high severity, in the third line. */
function reportOf(sha: unknown): Json {
  const rule = {
    id: 'js/eval',
    shortDescription: { text: 'Text is run as code' },
    defaultConfiguration: { level: 'error' },
    properties: { 'security-severity': '8.1' },
  };
  const result = {
    ruleId: rule.id,
    message: { text: 'This runs what somebody typed.' },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'src/run.js' }, region: { startLine: 3 } } }],
  };
  const run = { tool: { driver: { name: 'Linter', version: '1.0', rules: [rule] } }, results: [result] };
  const sarif = gzipSync(JSON.stringify({ version: '2.1.0', runs: [run] })).toString('base64');
  return { commit_sha: sha, ref: 'refs/heads/main', sarif };
}
