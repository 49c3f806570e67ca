// The calls that `--demo` makes on the platform: one storage of each kind with example contents.
import type { DemoCall } from '../kernel/dialect.ts';

const OWNER = 'admin';
const COLOURS = ['blue', 'green', 'grey', 'red'];

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

export const actorsDemo: DemoCall[] = [
  { method: 'POST', path: '/datasets?name=demo-products' },
  { method: 'POST', path: `/datasets/${OWNER}~demo-products/items`, body: products },
  { method: 'POST', path: '/key-value-stores?name=demo-settings' },
  {
    method: 'PUT',
    path: `/key-value-stores/${OWNER}~demo-settings/records/INPUT`,
    body: { startUrls: ['https://shop.example.com'], maxProducts: 100 },
  },
  { method: 'POST', path: '/request-queues?name=demo-pages' },
  { method: 'POST', path: `/request-queues/${OWNER}~demo-pages/requests/batch`, body: pages },
];
