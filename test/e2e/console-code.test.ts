// The pages of code in a real browser: a new repository and its files, differences and branches, and what is large.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { needsGit } from '../../src/host/git/fixture-repository.ts';
import { updateRefs } from '../../src/host/git/refs/update-refs.ts';
import { recordPushes } from '../../src/host/pushes/record-pushes.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { startServer, type TestServer } from '../server.ts';
import { noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole } from './console.ts';

const ENTRIES = 10_000;
const LONG_LINES = 100_000;
const IMAGES = 2000;
const BRANCHES = 1000;
/** Of a page of a repository, the stream of events among them. */
const MOST_CALLS = 12;
const README = [
  '# Garden',
  '<script>globalThis.isHacked = true</script>',
  '[prices](src/prices.ts#L2) [bad](javascript:alert(1)) ![far](https://elsewhere.example/x.png)',
  '![near](pic.png)',
].join('\n\n');
const PRICES =
  '// Prices.\nexport const rate = 19 + Number(variation("new-vat"));\nexport const name = "VAT";\n';
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface TreeFile {
  path: string;
  mode?: string;
  type?: string;
  content?: string;
  sha?: string;
}

describe('code in the console', { skip: noBrowser || needsGit.skip, timeout: 10 * PATIENCE_MS }, () => {
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

  async function made(path: string, body: unknown): Promise<string> {
    const { status, text, json } = await ada.post(path, body);
    assert.equal(status, 201, text);
    return json['sha'] as string;
  }

  /** A commit with these files on top of a branch that may not be there yet. */
  async function commit(repo: string, branch: string, files: TreeFile[], from?: string): Promise<string> {
    const git = `/repos/ada/${repo}/git`;
    const tree = await made(`${git}/trees`, {
      tree: files.map((file) => ({ mode: '100644', type: 'blob', ...file })),
      ...(from !== undefined && { base_tree: from }),
    });
    const parents = from === undefined ? [] : [from];
    const sha = await made(`${git}/commits`, { message: `Commit on ${branch}`, tree, parents });
    const moved = await ada.patch(`${git}/refs/heads/${branch}`, { sha });
    if (moved.status !== 200) await made(`${git}/refs`, { ref: `refs/heads/${branch}`, sha });
    return sha;
  }

  test('a repository is created, told how to be pushed to, and its files are found and linked to by line', async () => {
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, '/code');
    await page.getByRole('heading', { name: 'Repositories', exact: true }).waitFor();
    await page.keyboard.press('c');
    await page.getByLabel('Name').fill('bad name');
    await page.getByRole('button', { name: 'Create repository' }).click();
    await page.getByText('a name does not end with .git').waitFor();
    await page.getByLabel('Name').fill('garden');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/code\/ada\/garden$/);
    await page.getByText(`git remote add origin ${server.url}/ada/garden.git`).waitFor();
    assert.equal((await ada.get('/repos/ada/garden')).json['private'], true);

    const flag = await ada.post('/api/v2/flags/default', { key: 'new-vat', name: 'New VAT' });
    assert.equal(flag.status, 201, flag.text);
    const picture = await made('/repos/ada/garden/git/blobs', { content: PIXEL, encoding: 'base64' });
    await commit('garden', 'main', [
      { path: 'README.md', content: README },
      { path: 'src/prices.ts', content: PRICES },
      { path: 'pic.png', sha: picture },
    ]);
    await page.getByRole('link', { name: 'src', exact: true }).waitFor();
    const readme = page.locator('.md');
    await readme.getByText('<script>globalThis.isHacked = true</script>').waitFor();
    assert.equal(await page.evaluate('globalThis.isHacked'), undefined);
    await eventually(
      () => readme.locator('img').evaluate((image: { naturalWidth: number }) => image.naturalWidth === 1),
      'the image of this server',
    );
    assert.equal(await readme.getByRole('link', { name: 'bad' }).count(), 0);
    assert.equal(await readme.getByRole('link', { name: 'far' }).getAttribute('rel'), 'noreferrer nofollow');
    assert.deepEqual(await findBarriers(page), []);

    await readme.getByRole('link', { name: 'prices' }).click();
    await page.waitForURL(/\/blob\/main\/src\/prices\.ts#L2$/);
    await page.locator('.cv__l.is-on', { hasText: 'rate = 19' }).waitFor();
    await page.locator('.tk-s', { hasText: '"VAT"' }).waitFor();
    const flagged = page.locator('.cv__l', { hasText: 'rate = 19' }).getByRole('link', { name: 'new-vat' });
    await flagged.getByText('Production off').waitFor();
    await ada.call('/api/v2/flags/default/new-vat', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' },
      body: { environmentKey: 'production', instructions: [{ kind: 'turnFlagOn' }] },
    });
    await flagged.getByText('Production on').waitFor();
    assert.equal(await flagged.getAttribute('href'), '/console/flags/default/new-vat');
    await page.keyboard.press('y');
    await page.waitForURL(/\/blob\/[0-9a-f]{40}\/src\/prices\.ts#L2$/);
    await page.keyboard.press('t');
    await page.keyboard.type('readm');
    await page.getByRole('option', { name: 'README.md' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/README\.md$/);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('what a branch changes is shown unified and split, and deleting it takes its name and can be undone', async () => {
    await ada.repository('shop', { auto_init: true });
    const { commit: tip } = (await ada.get('/repos/ada/shop/branches/main')).json as {
      commit: { sha: string };
    };
    const first = await commit('shop', 'main', [{ path: 'prices.ts', content: PRICES }], tip.sha);
    const changed = PRICES.replace('19', '21');
    await commit('shop', 'fix/rate', [{ path: 'prices.ts', content: changed }], first);
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/code/ada/shop/branches',
    );
    await page.getByRole('button', { name: 'Actions for fix/rate' }).click();
    await page.getByRole('menuitem', { name: 'Compare with main' }).click();
    await page.waitForURL(/\/compare\/main\.\.\.fix%2Frate$/);
    await page.getByText('1 commit ahead').waitFor();
    const diff = page.getByRole('region', { name: 'Difference of prices.ts' });
    await diff.locator('tr.add ins', { hasText: '21' }).waitFor();
    await page.getByRole('radio', { name: 'Split' }).click();
    await diff.locator('.diff--split td.is-del', { hasText: 'rate = 19' }).waitFor();
    await page.waitForURL(/view=split/);
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('link', { name: 'Commit on fix/rate' }).click();
    await page.getByText('1 file changed').waitFor();

    await page.getByRole('link', { name: 'Branches', exact: true }).click();
    await page.getByRole('button', { name: 'Actions for fix/rate' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByText('1 commit is not on main').waitFor();
    const confirm = page.getByRole('button', { name: 'Delete branch' });
    assert.equal(await confirm.getAttribute('aria-disabled'), 'true');
    await page.getByLabel('Type this to confirm').fill('fix/rate');
    await confirm.click();
    const said = page.getByRole('region', { name: 'Notifications' });
    await said.getByText('fix/rate is deleted').waitFor();
    assert.equal((await ada.get('/repos/ada/shop/branches/fix%2Frate')).status, 404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await said.getByText('fix/rate is back').waitFor();
    assert.equal((await ada.get('/repos/ada/shop/branches/fix%2Frate')).status, 200);
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a folder of ten thousand entries and a file of five megabytes are looked through without being drawn whole', async () => {
    await ada.repository('large', { auto_init: true });
    const { commit: tip } = (await ada.get('/repos/ada/large/branches/main')).json as {
      commit: { sha: string };
    };
    const git = '/repos/ada/large/git';
    const small = await made(`${git}/blobs`, { content: 'x' });
    const line = 'a line of a log that is about fifty letters long';
    const long = await made(`${git}/blobs`, { content: `${line}\n`.repeat(LONG_LINES) });
    const names = Array.from({ length: ENTRIES }, (_, index) => `many/${String(index).padStart(5, '0')}.txt`);
    const files = [...names.map((path) => ({ path, sha: small })), { path: 'long.log', sha: long }];
    await commit('large', 'main', files, tip.sha);
    const { page, takeProblems, close } = await openConsole(
      browser,
      server,
      ada.member,
      '/code/ada/large/tree/main/many',
    );
    await page.getByText('10,000 entries').waitFor();
    // Until the part that draws these alone is loaded, the first two hundred are there.
    await eventually(
      async () => (await page.locator('tbody tr').count()) < 200,
      'only rows near the window are drawn',
    );
    // The page grows as rows are measured.
    await eventually(async () => {
      await page.keyboard.press('End');
      return await page.getByRole('link', { name: '09999.txt' }).isVisible();
    }, 'the last entry');
    await page.goto(`${server.url}/console/code/ada/large/blob/main/long.log`);
    await page.getByText('This file is large').waitFor();
    await page.getByRole('button', { name: 'Show it' }).click();
    await page.getByText('100,000 lines').waitFor();
    await page.keyboard.press('l');
    await page.getByLabel('Line, or lines').fill('99990-99992');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#L99990-L99992$/);
    await eventually(async () => (await page.locator('.cv__l.is-on').count()) === 3, 'the three lines');
    assert.ok((await page.locator('.cv__l').count()) < 2000, 'only lines near the window are drawn');
    assert.deepEqual(takeProblems(), []);
    await close();
  });

  test('a README of two thousand images, a thousand branches and what is no text cost few calls, and a stranger sees nothing', async () => {
    const { id } = await ada.repository('wide', { private: true, auto_init: true });
    const { commit: tip } = (await ada.get('/repos/ada/wide/branches/main')).json as {
      commit: { sha: string };
    };
    const binary = await made('/repos/ada/wide/git/blobs', { content: PIXEL, encoding: 'base64' });
    const images = Array.from({ length: IMAGES }, (_, index) => `![image ${index}](pic.png?${index})`);
    const content = ['# Wide', '<script>globalThis.isHacked = true</script>', ...images].join('\n\n');
    const sha = await commit(
      'wide',
      'main',
      [
        { path: 'README.md', content },
        { path: 'pic.png', sha: binary },
        { path: 'data.bin', sha: binary },
        { path: 'library', mode: '160000', type: 'commit', sha: 'a'.repeat(40) },
      ],
      tip.sha,
    );
    const git = server.app.kernel.services.git.repository(id as number);
    await updateRefs(
      git,
      Array.from({ length: BRANCHES }, (_, index) => ({
        name: `refs/heads/topic-${String(index).padStart(4, '0')}`,
        from: undefined,
        to: sha,
      })),
    );
    await recordPushes(server.app.kernel, id as number);
    const { page, takeProblems, close } = await openConsole(browser, server, ada.member, '/code/ada/wide');
    const isDrawn = async () => {
      await page.locator('.md img').first().waitFor();
      await page.getByRole('link', { name: 'Commit on main' }).nth(2).waitFor();
    };
    await isDrawn();
    const calls: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') calls.push(new URL(request.url()).pathname);
    });
    // What was read before the stream began is read once more. Tabs tell each other that it has begun.
    const begun = Promise.withResolvers<void>();
    await page.exposeFunction('tellBegun', begun.resolve);
    await page.addInitScript(`new BroadcastChannel('signalbox_stream').onmessage = ({ data }) => {
      if (data.event?.event === 'begin') tellBegun();
    };`);
    await page.route('**/signalbox/v1/me', async (route) => {
      await begun.promise;
      await route.continue();
    });
    await page.reload();
    await isDrawn();
    assert.equal(await page.evaluate('globalThis.isHacked'), undefined);
    const links = calls.filter((path) => path === '/signalbox/v1/links').length;
    assert.ok(links < IMAGES / 20, `${links} links`);
    const others = calls.filter((path) => path !== '/signalbox/v1/links');
    assert.ok(others.length <= MOST_CALLS, others.join('\n'));
    await page.getByText('submodule', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'main' }).click();
    await page.getByRole('textbox', { name: 'Filter by name' }).fill('topic-0999');
    await page.getByRole('link', { name: 'topic-0999' }).click();
    await page.waitForURL(/tree\/topic-0999$/);
    await page.getByRole('link', { name: 'data.bin' }).click();
    await page.getByText('This file is no text').waitFor();
    await page.goto(`${server.url}/console/code/ada/wide/branches`);
    await page.getByRole('link', { name: 'topic-0000' }).first().waitFor();
    assert.ok((await page.locator('tbody tr').count()) <= 250, 'not all branches are drawn');
    assert.deepEqual(takeProblems(), []);
    await close();

    const eve = await joinHost(server, 'eve', { role: 'writer' });
    const strange = await openConsole(browser, server, eve.member, '/code/ada/wide');
    await strange.page.getByText('Not Found').first().waitFor();
    assert.ok(!(await strange.page.locator('main').innerText()).includes('README'));
    assert.deepEqual(strange.takeProblems(), []);
    await strange.close();
  });
});
