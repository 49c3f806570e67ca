// Things that people do every day with Actors and with flags, by stopwatch: how long they take in the console from its home on, and
// how many clicks.
import { buildConsole } from '../scripts/console.ts';
import { script } from '../test/actor-sources.ts';
import { createActor, startRun } from '../test/actors.ts';
import { openProfile, logIn, startBrowser } from '../test/e2e/browser.ts';
import { eventually } from '../test/eventually.ts';
import { joinHost, type HostPerson } from '../test/host-people.ts';
import { startServer, type Json, type TestServer } from '../test/server.ts';
import { openReceiver, type WebhookReceiver } from '../test/webhook-receiver.ts';
import type { Effort } from './compare.ts';
import { FLAG_TASKS, prepareFlags } from './console-flag-tasks.ts';
import type { Row } from './report.ts';
import { timeTasks, type Tasks } from './stopwatch.ts';

const SCHEMA = {
  title: 'Shop',
  type: 'object',
  schemaVersion: 1,
  properties: {
    shop: { title: 'Shop', type: 'string', description: 'Its name', editor: 'textfield', default: 'north' },
  },
};

const SHOP = script(
  `
const { shop } = (await getInput()) ?? {};
await pushData([{ shop, price: 1 }, { shop, price: 2 }]);
if (shop === 'closed') {
  console.log('ERROR the shop is closed');
  process.exit(3);
}
console.log('INFO all prices of ' + shop);
`,
  {
    '.actor/actor.json': JSON.stringify({
      actorSpecification: 1,
      name: 'shop',
      version: '0.1',
      input: SCHEMA,
    }),
  },
);

export async function benchConsoleTasks(_effort: Effort): Promise<Row[]> {
  await buildConsole();
  let isMended = false;
  const receiver = await openReceiver((response) => response.writeHead(isMended ? 200 : 500).end());
  const server = await startServer({ limits: 'off', allowPrivateWebhooks: true });
  const browser = await startBrowser();
  try {
    const ada = await joinHost(server, 'ada', { role: 'owner' });
    await prepare(server, receiver, ada);
    await prepareFlags(ada);
    isMended = true;
    const context = await openProfile(browser, { viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await logIn(page, server, ada.member);
    return await timeTasks(page, `${server.url}/console`, { ...TASKS, ...FLAG_TASKS });
  } finally {
    await browser.close();
    await server.stop();
    await receiver.close();
  }
}

/** What last night left behind: a run that failed, a schedule, and a webhook that was not delivered. */
async function prepare(server: TestServer, receiver: WebhookReceiver, ada: HostPerson): Promise<void> {
  const actor = await createActor(server, SHOP, {
    token: ada.token,
    name: 'shop',
    fields: { title: 'Prices of the shop' },
  });
  const actorId = actor['id'] as string;
  await ada.post('/v2/webhooks', {
    eventTypes: ['ACTOR.RUN.FAILED'],
    condition: { actorId },
    requestUrl: `${receiver.url}/hook`,
  });
  const run = await startRun(server, actorId, { token: ada.token, input: { shop: 'closed' } });
  const statusOf = async () =>
    ((await ada.get(`/v2/actor-runs/${run['id']}`)).json['data'] as Json)['status'];
  await eventually(async () => (await statusOf()) === 'FAILED');
  await ada.post('/v2/schedules', {
    name: 'every-night',
    title: 'Every night',
    cronExpression: '0 3 * * *',
    isEnabled: true,
    actions: [{ type: 'RUN_ACTOR', actorId }],
  });
  const queue = (await ada.post('/v2/request-queues?name=left-behind')).json['data'] as Json;
  await ada.post(
    `/v2/request-queues/${queue['id']}/requests/batch?clientKey=dead-run`,
    ['a', 'b', 'c'].map((name) => ({ url: `https://shop.example.com/${name}`, uniqueKey: name })),
  );
  await ada.post(`/v2/request-queues/${queue['id']}/head/lock?clientKey=dead-run&lockSecs=3600&limit=2`);
  await receiver.wait('/hook');
}

const TASKS: Tasks = {
  async 'run an Actor with changed input'(watch) {
    const { page } = watch;
    await watch.go('Actors', 'Actors');
    await watch.click(page.getByRole('link', { name: /Prices of the shop/ }));
    await page.getByLabel('Shop').fill('south');
    await watch.click(page.getByRole('button', { name: 'Start' }));
    await page.locator('.log__x', { hasText: 'all prices of south' }).waitFor();
  },
  async "find why last night's run failed"(watch) {
    const { page } = watch;
    await watch.go('Actors', 'Runs');
    await watch.click(page.getByRole('button', { name: 'Failed' }));
    await watch.click(
      page
        .getByRole('row', { name: /Failed/ })
        .getByRole('link')
        .first(),
    );
    await page.locator('.log__x', { hasText: 'the shop is closed' }).waitFor();
  },
  async 'export the first items of a dataset, without empty ones'(watch) {
    const { page } = watch;
    await watch.go('Actors', 'Runs');
    await watch.click(
      page
        .getByRole('row', { name: /Succeeded/ })
        .getByRole('link')
        .first(),
    );
    await watch.click(page.getByRole('link', { name: /^Storages/ }));
    await watch.click(page.getByRole('main').locator('a[href*="/storage/datasets/"]').first());
    await watch.click(page.getByRole('button', { name: 'Export' }));
    await watch.click(page.getByText('From a row on'));
    await page.getByLabel('How many').fill('1');
    await watch.click(page.getByText('Without empty items and hidden fields'));
    const download = page.waitForEvent('download');
    await watch.click(page.getByRole('button', { name: 'Download CSV' }));
    await (await download).path();
  },
  async 'release what a dead run has locked'(watch) {
    const { page } = watch;
    await watch.go('Actors', 'Storage');
    await watch.click(page.getByRole('link', { name: 'Request queues' }));
    await watch.click(page.getByRole('link', { name: 'left-behind' }));
    await watch.click(page.getByRole('link', { name: 'Locked' }));
    await watch.click(page.getByRole('button', { name: /^Release its/ }));
    await watch.click(page.getByRole('dialog').getByRole('button', { name: /^Release its/ }));
    await page.getByText('Nothing is locked').waitFor();
  },
  async 'pause a schedule'(watch) {
    const { page } = watch;
    await watch.go('Actors', 'Schedules');
    await watch.click(page.getByRole('switch', { name: 'Every night is on' }));
    await page
      .getByRole('row', { name: /Every night/ })
      .getByText('paused')
      .waitFor();
  },
  async 'redeliver a failed webhook'(watch) {
    const { page } = watch;
    await watch.go('Account', 'Webhooks');
    await watch.click(page.locator('.tabs').getByRole('link', { name: 'Actors' }));
    await watch.click(page.getByRole('row', { name: /hook/ }).getByRole('link').first());
    await watch.click(page.locator('.hook-dels').getByRole('button').first());
    await watch.click(page.getByRole('button', { name: 'Send once more' }));
    await page.locator('.hook-dels').getByText('Delivered').waitFor();
  },
};
