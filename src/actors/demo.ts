// What `--demo` creates on the platform: a storage of each kind, and an Actor with a task, a schedule and runs.
import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoCall, DemoCalls, DemoPart, DemoReply } from '../kernel/http/protocol.ts';
import { ADMIN, requireAdmin } from '../kernel/identity/first-start.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Db } from '../kernel/storage/tables.ts';
import { actorResource } from './actors/access.ts';
import { findActorByName } from './actors/store.ts';
import { executionRefusal } from './jobs/this-node.ts';
import { scheduleResource } from './schedules/access.ts';
import { storageResource } from './storages/access.ts';
import { findStorage } from './storages/store.ts';
import { findActorUse, findContentChange, findScheduleIds } from './store-demo-changes.ts';
import { taskResource } from './tasks/access.ts';
import { findTaskByName } from './tasks/store.ts';

const INPUT_SCHEMA = {
  title: 'Prices of products',
  type: 'object',
  schemaVersion: 1,
  properties: {
    skus: {
      title: 'Products',
      type: 'array',
      description: 'The numbers of the products, such as P-001',
      editor: 'stringList',
      items: { type: 'string' },
    },
  },
  required: ['skus'],
};

const DEFINITION = {
  actorSpecification: 1,
  name: 'demo-price-check',
  version: '0.1',
  buildTag: 'latest',
  input: INPUT_SCHEMA,
};

/** Without packages, so that its build needs no registry. */
const MAIN = `// Looks up the prices of products: each is a request of the queue, each price an item of the dataset.
const env = process.env;

async function call(path, { method = 'GET', body } = {}) {
  const response = await fetch(env.APIFY_API_BASE_URL + 'v2' + path, {
    method,
    headers: { authorization: 'Bearer ' + env.APIFY_TOKEN, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(method + ' ' + path + ': ' + (await response.text()));
  const text = await response.text();
  return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined;
}

const records = '/key-value-stores/' + env.ACTOR_DEFAULT_KEY_VALUE_STORE_ID + '/records/';
const queue = '/request-queues/' + env.ACTOR_DEFAULT_REQUEST_QUEUE_ID;
const { skus } = await call(records + env.ACTOR_INPUT_KEY);
const products = new Map((await call('/datasets/~demo-products/items')).map((product) => [product.sku, product]));
console.log('The shop has ' + products.size + ' products.');

const requests = skus.map((sku) => ({ url: 'https://shop.example.com/search?sku=' + sku, uniqueKey: sku }));
await call(queue + '/requests/batch', { method: 'POST', body: requests });

let total = 0;
for (const { id, url, uniqueKey: sku } of (await call(queue + '/head?limit=100')).data.items) {
  const product = products.get(sku);
  if (product === undefined) {
    console.error('There is no product ' + sku + '.');
    process.exit(1);
  }
  console.log(product.title + ' costs ' + product.price.amount + ' ' + product.price.currency + '.');
  await call('/datasets/' + env.ACTOR_DEFAULT_DATASET_ID + '/items', {
    method: 'POST',
    body: { sku, title: product.title, ...product.price },
  });
  total += product.price.amount;
  const handledAt = new Date().toISOString();
  await call(queue + '/requests/' + id, { method: 'PUT', body: { id, url, uniqueKey: sku, handledAt } });
}
await call(records + 'OUTPUT', { method: 'PUT', body: { products: skus.length, total, currency: 'EUR' } });
console.log('Looked up ' + skus.length + ' prices.');
`;

const README = `# Prices of the demo shop

Looks up products in the dataset \`demo-products\` of the same account. One that does not exist lets the run fail.
`;

const file = (name: string, content: string) => ({ name, format: 'TEXT', content });

/** As it is sent to create it. */
const DEMO_ACTOR = {
  name: DEFINITION.name,
  title: 'Prices of the demo shop',
  description: 'Looks up prices of products. An example of an Actor.',
  defaultRunOptions: { build: 'latest', memoryMbytes: 256, timeoutSecs: 300 },
  exampleRunInput: { body: '{ "skus": ["P-001", "P-002"] }', contentType: 'application/json' },
  versions: [
    {
      versionNumber: DEFINITION.version,
      sourceType: 'SOURCE_FILES',
      buildTag: DEFINITION.buildTag,
      sourceFiles: [
        file('.actor/actor.json', JSON.stringify(DEFINITION, undefined, 2)),
        file('README.md', README),
        file('package.json', JSON.stringify({ type: 'module', scripts: { start: 'node main.js' } })),
        file('main.js', MAIN),
      ],
    },
  ],
};

const COLOURS = ['blue', 'green', 'grey', 'red'];
const PRODUCTS = `/datasets/${ADMIN}~demo-products`;
const ACTOR = `/actors/${ADMIN}~${DEMO_ACTOR.name}`;
const TASK_NAME = 'demo-bestsellers';
const TASK = `/actor-tasks/${ADMIN}~${TASK_NAME}`;
const STORAGES = [
  ['dataset', 'demo-products'],
  ['key-value-store', 'demo-settings'],
  ['request-queue', 'demo-pages'],
] as const;
const SCHEDULE = 'demo-every-morning';
const BUILD_POLL_MS = 200;

const products = Array.from({ length: 100 }, (_, index) => ({
  sku: `P-${String(index + 1).padStart(3, '0')}`,
  title: `Product ${index + 1}`,
  colour: COLOURS[index % COLOURS.length],
  price: { amount: 5 + ((index * 37) % 95), currency: 'EUR' },
  url: `https://shop.example.com/products/${index + 1}`,
  inStock: index % 7 !== 0,
}));

const pages = products
  .slice(0, 20)
  .map(({ sku, url }) => ({ url, uniqueKey: sku, userData: { label: 'PRODUCT' } }));

/** One that succeeds, and one that fails at a product that does not exist. */
const INPUTS = [{ skus: ['P-001', 'P-002', 'P-003', 'P-007'] }, { skus: ['P-004', 'P-404', 'P-005'] }];

/** Nothing where the example was completed before, so that what was deleted of it since stays deleted. */
export async function* actorsDemo(kernel: Kernel): DemoCalls {
  const isComplete = (yield* isThere(PRODUCTS)) && (yield* hasSchedule());
  if (!isComplete) yield* createStorages();
  if (!isComplete) yield* createActor();
  if (executionRefusal(kernel) !== undefined) return;
  yield 'listening';
  yield* runActor();
}

async function* createStorages(): DemoCalls {
  const { itemCount } = dataOf(yield post('/datasets?name=demo-products')) as { itemCount: number };
  if (itemCount === 0) yield post(`${PRODUCTS}/items`, products);
  yield post('/key-value-stores?name=demo-settings');
  yield {
    method: 'PUT',
    path: `/key-value-stores/${ADMIN}~demo-settings/records/INPUT`,
    body: { startUrls: ['https://shop.example.com'], maxProducts: 100 },
  };
  yield post('/request-queues?name=demo-pages');
  // Requests that are there already stay as they are.
  yield post(`/request-queues/${ADMIN}~demo-pages/requests/batch`, pages);
}

async function* createActor(): DemoCalls {
  if (!(yield* isThere(ACTOR))) yield post('/actors', DEMO_ACTOR);
  if (!(yield* isThere(TASK))) {
    yield post('/actor-tasks', {
      actId: `${ADMIN}~${DEMO_ACTOR.name}`,
      name: TASK_NAME,
      title: 'Prices of the bestsellers',
      options: { memoryMbytes: 256 },
      input: INPUTS[0],
    });
  }
  if (!(yield* hasSchedule())) {
    const { id } = dataOf(yield get(TASK)) as { id: string };
    yield post('/schedules', {
      name: SCHEDULE,
      title: 'Every morning',
      cronExpression: '0 6 * * *',
      isEnabled: true,
      actions: [{ type: 'RUN_ACTOR_TASK', actorTaskId: id }],
    });
  }
}

/** A run needs a build, and a build a server that works. */
async function* runActor(): DemoCalls {
  if (!(yield* isThere(ACTOR))) return;
  const { total: builds } = dataOf(yield get(`${ACTOR}/builds`)) as { total: number };
  if (builds === 0) yield post(`${ACTOR}/builds?version=${DEMO_ACTOR.versions[0]!.versionNumber}`);
  for (;;) {
    const { items } = dataOf(yield get(`${ACTOR}/builds?desc=1&limit=1`)) as { items: { status: string }[] };
    if (items[0]?.status === 'SUCCEEDED') break;
    if (items[0] === undefined || !['READY', 'RUNNING'].includes(items[0].status)) return;
    await sleep(BUILD_POLL_MS);
  }
  const { total: runs } = dataOf(yield get(`${ACTOR}/runs`)) as { total: number };
  for (const input of INPUTS.slice(runs)) yield post(`${ACTOR}/runs`, input);
}

/** What the schedule starts comes after it, and what the Actor is built from goes with it. */
export async function* removeActorsDemo(): DemoCalls {
  const { items } = dataOf(yield get('/schedules?limit=1000')) as { items: { id: string; name: string }[] };
  const schedule = items.find(({ name }) => name === SCHEDULE);
  for (const path of [
    ...(schedule === undefined ? [] : [`/schedules/${schedule.id}`]),
    TASK,
    ACTOR,
    PRODUCTS,
    `/key-value-stores/${ADMIN}~demo-settings`,
    `/request-queues/${ADMIN}~demo-pages`,
  ])
    yield { method: 'DELETE', path };
}

export async function actorsDemoParts(db: Db): Promise<DemoPart[]> {
  const { id: ownerId } = await requireAdmin({ db });
  const actor = await findActorByName(db, ownerId, DEMO_ACTOR.name);
  const task = await findTaskByName(db, ownerId, TASK_NAME);
  const schedules = await findScheduleIds(db, ownerId, SCHEDULE);
  const parts: DemoPart[] = [];
  for (const [kind, name] of STORAGES) {
    const storage = await findStorage(db, kind, { name }, ownerId);
    if (storage === undefined) continue;
    const changedAt = await findContentChange(db, kind, storage.id);
    parts.push({
      resource: storageResource(storage),
      kind,
      name,
      ...(changedAt !== undefined && { dataChangedAt: changedAt }),
    });
  }
  if (actor !== undefined) {
    const usedAt = await findActorUse(db, actor.id);
    parts.push({
      resource: actorResource(actor),
      kind: 'actor',
      name: actor.name,
      ...(usedAt !== undefined && { dataChangedAt: usedAt }),
    });
  }
  if (task !== undefined) parts.push({ resource: taskResource(task), kind: 'actor-task', name: TASK_NAME });
  for (const id of schedules)
    parts.push({ resource: scheduleResource({ id }), kind: 'schedule', name: SCHEDULE });
  return parts;
}

const get = (path: string): DemoCall => ({ method: 'GET', path });
const post = (path: string, body?: unknown): DemoCall => ({
  method: 'POST',
  path,
  ...(body !== undefined && { body }),
});

const dataOf = ({ body }: DemoReply): unknown => (body as { data: unknown }).data;

async function* isThere(path: string): AsyncGenerator<DemoCall, boolean, DemoReply> {
  return (yield get(path)).status === 200;
}

async function* hasSchedule(): AsyncGenerator<DemoCall, boolean, DemoReply> {
  const { items } = dataOf(yield get('/schedules?limit=1000')) as { items: { name: string }[] };
  return items.some(({ name }) => name === SCHEDULE);
}
