// What people do every day with flags, for the stopwatch. A task ends when the page shows what the server has answered.
import type { HostPerson } from '../test/host-people.ts';
import type { Stopwatch, Tasks } from './stopwatch.ts';

const FLAGS = 200;
const SEMANTIC = { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' };

/** A project with a guarded environment, and a flag that is on there for some. */
export async function prepareFlags(ada: HostPerson): Promise<void> {
  const environments = [
    { key: 'test', name: 'test', color: '417505' },
    { key: 'production', name: 'production', color: 'f5a623', critical: true, requireComments: true },
  ];
  await expectCreated(ada.post('/api/v2/projects', { key: 'shop', name: 'Shop', environments }));
  for (let number = 1; number <= FLAGS; number += 1)
    await expectCreated(ada.post('/api/v2/flags/shop', { key: `flag-${number}`, name: `Flag ${number}` }));
  await expectCreated(ada.post('/api/v2/flags/shop', { key: 'checkout', name: 'New checkout' }));
  const changed = await ada.call('/api/v2/flags/shop/checkout', {
    method: 'PATCH',
    headers: SEMANTIC,
    body: {
      environmentKey: 'production',
      comment: 'For the launch',
      instructions: [{ kind: 'turnFlagOn' }],
    },
  });
  if (changed.status !== 200) throw new Error(changed.text);
}

async function expectCreated(answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await answer;
  if (status !== 201) throw new Error(text);
}

/** From home to the flag: nobody scrolls through two hundred. */
async function openFlag(watch: Stopwatch, tab = 'Targeting'): Promise<void> {
  const { page } = watch;
  await page.keyboard.press('Control+k');
  // Its code is loaded when it is first opened.
  await page.getByRole('combobox', { name: 'Search and commands' }).waitFor();
  await page.keyboard.type('f:checkout');
  await page.getByRole('option', { name: /New checkout/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'New checkout' }).waitFor();
  if (tab !== 'Targeting') await watch.click(page.locator('.tabs').getByRole('link', { name: tab }));
}

/** Through the guard of production. */
async function saveToProduction(watch: Stopwatch, comment: string): Promise<void> {
  const dialog = watch.page.getByRole('dialog');
  await dialog.getByLabel('Comment').fill(comment);
  await dialog.getByLabel('Type production to go on').fill('production');
  await watch.click(dialog.getByRole('button', { name: 'Save to production now' }));
  await dialog.waitFor({ state: 'detached' });
}

export const FLAG_TASKS: Tasks = {
  async 'turn a flag off in production'(watch) {
    const { page } = watch;
    await openFlag(watch);
    await watch.click(page.getByRole('switch', { name: 'New checkout in production', checked: true }));
    await saveToProduction(watch, 'It fails for some');
    await page.getByRole('switch', { name: 'New checkout in production', checked: false }).waitFor();
  },
  async 'take the last change of a flag back'(watch) {
    const { page } = watch;
    await openFlag(watch, 'History');
    await watch.click(page.getByRole('link', { name: /Turned off the flag in production/ }).first());
    await watch.click(page.getByRole('button', { name: 'Revert in production…' }));
    await saveToProduction(watch, 'It was something else');
    await page.getByRole('switch', { name: 'New checkout in production', checked: true }).waitFor();
  },
  async 'roll a flag out to a quarter'(watch) {
    const { page } = watch;
    await openFlag(watch);
    await page.getByLabel('Serve in default rule').selectOption({ label: 'A percentage rollout' });
    await page.getByLabel('Share of true in percent').fill('25');
    await page.getByLabel('Share of false in percent').fill('75');
    await watch.click(page.getByRole('button', { name: /^Review and save/ }));
    await saveToProduction(watch, 'A quarter first');
    await page.getByText('Sum 100.000 %').waitFor();
  },
  async 'find out why somebody gets a value'(watch) {
    const { page } = watch;
    await openFlag(watch);
    await page.getByLabel('Context as JSON').fill('{"kind": "user", "key": "grace"}');
    await page.getByText('grace stops here').waitFor();
  },
  async 'create a flag and turn it on in test'(watch) {
    const { page } = watch;
    await watch.go('Flags', 'Flags');
    // The number of flags comes with the rows.
    await page.getByText('50 of 201 flags').waitFor();
    await page.keyboard.press('c');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Free delivery');
    await page.getByText('It is free.').waitFor();
    await watch.click(page.getByRole('checkbox', { name: 'test' }));
    await watch.click(page.getByRole('button', { name: 'Create flag' }));
    await page.getByRole('heading', { name: 'Free delivery is there' }).waitFor();
  },
};
