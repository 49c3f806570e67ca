// Five things that people do with code every day, by stopwatch: how long they take in the console from its home on, and how many clicks.
import { buildConsole } from '../scripts/console.ts';
import { logIn, openProfile, startBrowser } from '../test/e2e/browser.ts';
import { joinHost, type HostPerson } from '../test/host-people.ts';
import { newPull } from '../test/host-pull-calls.ts';
import { startServer } from '../test/server.ts';
import type { Effort } from './compare.ts';
import type { Row } from './report.ts';
import { timeTasks, type Tasks } from './stopwatch.ts';

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
    return await timeTasks(page, `${server.url}/console`, TASKS);
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** A repository with a file, and a pull request of somebody else. */
async function prepare(ada: HostPerson, bob: HostPerson): Promise<void> {
  await ada.repository('shop', { auto_init: true });
  await ada.put(`${SHOP}/collaborators/bob`, { permission: 'push' });
  const content = Buffer.from('export const rate = 19;\nexport const name = "VAT";\n').toString('base64');
  await ada.put(`${SHOP}/contents/src/prices.ts`, { message: 'Add the rate', content });
  await newPull(bob, SHOP);
}

const TASKS: Tasks = {
  async 'find a file and who wrote its lines'(watch) {
    const { page } = watch;
    await watch.go('Code', 'Repositories');
    await watch.click(page.getByRole('link', { name: /ada\/shop/ }));
    await watch.click(page.getByRole('button', { name: 'Find file' }));
    await page.keyboard.type('prices');
    await page.getByRole('option', { name: /prices/ }).waitFor();
    await page.keyboard.press('Enter');
    await watch.click(page.getByRole('button', { name: 'Blame' }));
    await page.getByRole('link', { name: 'Add the rate' }).last().waitFor();
  },
  async 'open an issue'(watch) {
    const { page } = watch;
    await watch.go('Code', 'Repositories');
    await watch.click(page.getByRole('link', { name: /ada\/shop/ }));
    await watch.click(page.getByRole('link', { name: 'Issues', exact: true }).last());
    await watch.click(page.getByRole('link', { name: 'New issue' }).first());
    await page.getByLabel('Title').fill('The door sticks');
    await watch.click(page.getByRole('button', { name: 'Create issue' }));
    await page.getByRole('heading', { name: /The door sticks/ }).waitFor();
  },
  async 'review a pull request and approve it'(watch) {
    const { page } = watch;
    await watch.go('Code', 'Repositories');
    await watch.click(page.getByRole('link', { name: /ada\/shop/ }));
    await watch.click(page.getByRole('link', { name: 'Pull requests', exact: true }).last());
    await watch.click(page.locator('tbody').getByRole('link').first());
    await watch.click(page.getByRole('link', { name: /^Files/ }).last());
    await page.locator('table.diff').first().waitFor();
    await watch.click(page.getByRole('button', { name: 'Finish review' }));
    await watch.click(page.getByRole('dialog').getByRole('radio', { name: 'Approve' }));
    await watch.click(page.getByRole('button', { name: 'Submit review' }));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  },
  async 'merge a pull request'(watch) {
    const { page } = watch;
    await watch.go('Code', 'Repositories');
    await watch.click(page.getByRole('link', { name: /ada\/shop/ }));
    await watch.click(page.getByRole('link', { name: 'Pull requests', exact: true }).last());
    await watch.click(page.locator('tbody').getByRole('link').first());
    const box = page.getByRole('region', { name: 'Merge', exact: true });
    await watch.click(box.getByRole('button', { name: /merge/i }).last());
    await page.getByRole('button', { name: 'Delete branch' }).waitFor();
  },
  async 'create a repository and see how to push to it'(watch) {
    const { page } = watch;
    await watch.go('Code', 'Repositories');
    await watch.click(page.getByRole('button', { name: /New repository/ }));
    await page.getByLabel('Name').fill('garden');
    await watch.click(page.getByRole('button', { name: 'Create repository' }));
    await page.getByText('git remote add origin').waitFor();
  },
};
