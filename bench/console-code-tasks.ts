// Five things that people do with code every day, by stopwatch: how long they take in the console from its home on, and how many clicks.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { buildConsole } from '../scripts/console.ts';
import { logIn, openProfile, startBrowser } from '../test/e2e/browser.ts';
import { joinHost, type HostPerson } from '../test/host-people.ts';
import { newPull } from '../test/host-pull-calls.ts';
import { startServer } from '../test/server.ts';
import type { Effort } from './compare.ts';
import type { Row } from './report.ts';
import { timeTasks, type Stopwatch, type Tasks } from './stopwatch.ts';

const SHOP = '/repos/ada/shop';

export async function benchConsoleCodeTasks(_effort: Effort): Promise<Row[]> {
  await buildConsole();
  const server = await startServer({ limits: 'off' });
  const browser = await startBrowser();
  try {
    const ada = await joinHost(server, 'ada', { role: 'owner' });
    const bob = await joinHost(server, 'bob', { role: 'writer' });
    await prepare(ada, bob);
    const context = await openProfile(browser, { viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await logIn(page, server, ada.member);
    return await timeTasks(page, `${server.url}/console`, tasksOf(ada.token));
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** A repository with a file, an issue, and a pull request of somebody else. */
async function prepare(ada: HostPerson, bob: HostPerson): Promise<void> {
  await ada.repository('shop', { auto_init: true });
  await ada.put(`${SHOP}/collaborators/bob`, { permission: 'push' });
  const content = Buffer.from('export const rate = 19;\nexport const name = "VAT";\n').toString('base64');
  await ada.put(`${SHOP}/contents/src/prices.ts`, { message: 'Add the rate', content });
  await ada.post(`${SHOP}/issues`, { title: 'The door sticks' });
  await newPull(bob, SHOP);
}

/** From home to the page of the repository. */
async function openShop(watch: Stopwatch): Promise<void> {
  await watch.go('Code', 'Repositories');
  await watch.click(watch.page.getByRole('link', { name: /ada\/shop/ }));
}

/** A tab of a repository: other places have links of the same names, and its own has a count soon. */
function tabOf(page: Page, name: string): Locator {
  return page
    .locator('#main')
    .getByRole('link', { name: new RegExp(`^${name}`) })
    .first();
}

const tasksOf = (token: string): Tasks => ({
  async 'find a file, and copy a permanent link to a line'(watch) {
    const { page } = watch;
    await openShop(watch);
    await watch.click(page.getByRole('button', { name: 'Find file' }));
    await page.keyboard.type('prices');
    await page.getByRole('option', { name: /prices/ }).waitFor();
    await page.keyboard.press('Enter');
    await watch.click(page.locator('.cv__n').nth(1));
    await watch.click(page.getByRole('button', { name: 'Permanent link' }));
    await page.waitForURL(/\/blob\/[0-9a-f]{40}\/src\/prices\.ts#L2$/);
  },
  async 'review a pull request, and merge it'(watch) {
    const { page } = watch;
    await openShop(watch);
    await watch.click(tabOf(page, 'Pull requests'));
    await watch.click(page.locator('tbody').getByRole('link').first());
    await watch.click(page.getByRole('link', { name: /^Files/ }).last());
    await page.locator('table.diff').first().waitFor();
    await watch.click(page.getByRole('button', { name: 'Finish review' }));
    await watch.click(page.getByRole('dialog').getByRole('radio', { name: 'Approve' }));
    await watch.click(page.getByRole('button', { name: 'Submit review' }));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await watch.click(page.getByRole('link', { name: /^Conversation/ }));
    const box = page.getByRole('region', { name: 'Merge', exact: true });
    await watch.click(box.getByRole('button', { name: /merge/i }).last());
    await page.getByRole('button', { name: 'Delete branch' }).waitFor();
  },
  async 'create a label, and give it to an issue'(watch) {
    const { page } = watch;
    await openShop(watch);
    await watch.click(tabOf(page, 'Issues'));
    await watch.click(page.getByRole('link', { name: 'Labels' }));
    await watch.click(page.getByRole('button', { name: 'New label' }).first());
    await page.getByRole('dialog').getByLabel('Name').fill('spring');
    await watch.click(page.getByRole('dialog').getByRole('button', { name: /label/i }).last());
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await watch.click(tabOf(page, 'Issues'));
    await watch.click(page.getByRole('link', { name: /The door sticks/ }));
    await watch.click(page.getByRole('button', { name: 'Change: Labels' }));
    await watch.click(page.getByRole('button', { name: /^spring/ }));
    await page.keyboard.press('Escape');
    await page.getByText('added').first().waitFor();
  },
  async 'create a repository, and push to it'(watch) {
    const { page } = watch;
    await watch.go('Code', 'Repositories');
    await watch.click(page.getByRole('button', { name: /New repository/ }));
    await page.getByLabel('Name').fill('garden');
    await watch.click(page.getByRole('button', { name: 'Create repository' }));
    await page.getByText('git remote add origin').waitFor();
    await pushTo(new URL('/ada/garden.git', page.url()).href, token);
    await page.getByRole('link', { name: 'plants.txt' }).waitFor();
  },
  async 'find out whether a role may do something'(watch) {
    const { page } = watch;
    await watch.go('Account', 'Roles');
    await watch.click(page.getByRole('link', { name: 'Policy tester' }));
    await watch.click(page.getByText('A role', { exact: true }));
    await page.getByLabel('Role', { exact: true }).selectOption({ label: 'Reader' });
    await page.getByLabel('Action', { exact: true }).fill('updateOn');
    await page.getByLabel('Resource', { exact: true }).fill('proj/default:env/production:flag/night-mode');
    await page.getByText('Nothing allows it.').waitFor();
  },
});

/** As the page says, from a folder with one file. */
async function pushTo(url: string, token: string): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), 'signalbox-bench-push-'));
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd });
  try {
    writeFileSync(join(cwd, 'plants.txt'), 'Beans\n');
    await git('init', '-q', '-b', 'main');
    await git('add', '.');
    await git('commit', '-qm', 'Plant');
    await git('-c', `http.extraHeader=Authorization: Bearer ${token}`, 'push', '-q', url, 'main');
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
