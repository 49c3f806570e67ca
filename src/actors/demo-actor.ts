// The Actor of `--demo`: it looks up prices in the dataset of the demo shop, and uses a storage of each kind.

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
export const DEMO_ACTOR = {
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
