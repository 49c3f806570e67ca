// Datasets through the real `apify-client`: every method of its dataset and datasets clients.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ApifyApiError, ApifyClient, DownloadItemsFormat } from 'apify-client';
import { giveToken, join } from '../people.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

let server: TestServer;
let client: ApifyClient;
before(async () => {
  server = await startServer();
  client = clientWith(ADMIN_TOKEN);
});
after(() => server.stop());

function clientWith(token?: string): ApifyClient {
  return new ApifyClient({
    baseUrl: server.url,
    publicBaseUrl: server.url,
    ...(token !== undefined && { token }),
    maxRetries: 0,
  });
}

interface Product {
  n: number;
  name?: string;
  tags?: string[];
  nested?: { deep: { value: number } };
  '#internal'?: boolean;
}

async function filled(items: Product[]) {
  const { id } = await client.datasets().getOrCreate();
  const dataset = client.dataset<Product>(id);
  await dataset.pushItems(items);
  return dataset;
}

const numbered = (count: number): Product[] => Array.from({ length: count }, (_, n) => ({ n }));

describe('datasets', () => {
  test('getOrCreate makes a dataset once for each name', async () => {
    const first = await client.datasets().getOrCreate('products');
    const second = await client.datasets().getOrCreate('products');
    assert.equal(first.id, second.id);
    assert.deepEqual([first.name, first.itemCount, first.username], ['products', 0, second.username]);
    assert.ok(first.createdAt instanceof Date);
    const unnamed = await client.datasets().getOrCreate();
    assert.notEqual(unnamed.id, (await client.datasets().getOrCreate()).id);
  });

  test('getOrCreate takes a schema, and items must keep to it', async () => {
    const schema = {
      actorSpecification: 1,
      fields: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      views: {},
    };
    const { id } = await client.datasets().getOrCreate('with-schema', { schema });
    const dataset = client.dataset(id);
    await dataset.pushItems([{ n: 1 }]);
    await assert.rejects(dataset.pushItems([{ n: 2 }, { n: 'x' }]), (error: unknown) => {
      assert.ok(error instanceof ApifyApiError);
      assert.deepEqual([error.statusCode, error.type], [400, 'schema-validation-error']);
      const { invalidItems } = error.data as { invalidItems: { itemPosition: number }[] };
      assert.deepEqual(
        invalidItems.map(({ itemPosition }) => itemPosition),
        [1],
      );
      return true;
    });
    assert.deepEqual((await dataset.listItems()).items, [{ n: 1 }]);
    const statistics = (await dataset.getStatistics()) as unknown as { fieldStatistics: object };
    assert.deepEqual(statistics.fieldStatistics, { n: { min: 1, max: 1, nullCount: 0, emptyCount: 0 } });
  });

  test('list shows named ones, unnamed ones when asked, in pages and by iteration', async () => {
    const own = clientWith(
      (await giveToken(server, await join(server, 'lister', { role: 'writer' }), { role: 'writer' })).value,
    );
    for (const name of ['one', 'two', 'three']) await own.datasets().getOrCreate(name);
    const unnamed = await own.datasets().getOrCreate();
    const named = await own.datasets().list();
    assert.deepEqual([named.total, named.count, named.offset, named.desc], [3, 3, 0, false]);
    const names = async (options: object) =>
      (await own.datasets().list(options)).items.map(({ name }) => name);
    assert.deepEqual(await names({}), ['one', 'two', 'three']);
    assert.deepEqual(await names({ desc: true, limit: 2 }), ['three', 'two']);
    assert.deepEqual(await names({ offset: 1, limit: 1 }), ['two']);
    const all = await own.datasets().list({ unnamed: true, desc: true });
    assert.deepEqual([all.unnamed, all.items[0]!.id, all.items[0]!.name], [true, unnamed.id, unnamed.id]);
    assert.equal((await own.datasets().list()).unnamed, false);
    assert.equal((await own.dataset(unnamed.id).get())!.name, null);
    assert.deepEqual(await names({ ownership: 'sharedWithMe' }), []);
    assert.equal((await names({ ownership: 'ownedByMe' })).length, 3);
    const seen: (string | undefined)[] = [];
    for await (const { name } of own.datasets().list({ limit: 2 })) seen.push(name);
    assert.deepEqual(seen, ['one', 'two']);
  });
});

describe('a dataset', () => {
  test('get, update and delete', async () => {
    const { id } = await client.datasets().getOrCreate('to-change');
    const dataset = client.dataset(id);
    const updated = await dataset.update({ name: 'changed', title: 'Changed' });
    assert.deepEqual([updated.name, updated.title], ['changed', 'Changed']);
    assert.equal((await client.dataset('admin/changed').get())?.id, id);
    assert.equal((await client.dataset('~changed').get())?.id, id);
    assert.equal(await client.dataset('~to-change').get(), undefined);
    await dataset.delete();
    assert.equal(await dataset.get(), undefined);
    assert.equal(await client.dataset('never-there').get(), undefined);
    assert.equal(await client.dataset('never-there').getStatistics(), undefined);
    await client.dataset('never-there').delete();
  });

  test('pushItems takes an object, a list, and JSON text of either', async () => {
    const dataset = await filled([]);
    await dataset.pushItems({ n: 0 });
    await dataset.pushItems([{ n: 1 }, { n: 2 }]);
    await dataset.pushItems('{"n":3}');
    await dataset.pushItems('[{"n":4},{"n":5}]');
    assert.deepEqual((await dataset.listItems()).items, numbered(6));
    assert.equal((await dataset.get())?.itemCount, 6);
  });

  test('pushItems compresses what is large', async () => {
    const dataset = await filled([]);
    const items = Array.from({ length: 5000 }, (_, n) => ({ n, name: `product ${n}` }));
    await dataset.pushItems(items);
    assert.deepEqual((await dataset.listItems()).items, items);
  });

  test('pushItems of what are no objects is refused whole', async () => {
    const dataset = await filled([]);
    await assert.rejects(
      dataset.pushItems(['item1', 'item2']),
      (error: unknown) => error instanceof ApifyApiError && error.type === 'invalid-input',
    );
    assert.equal((await dataset.get())?.itemCount, 0);
  });

  test('listItems gives pages', async () => {
    const dataset = await filled(numbered(10));
    const all = await dataset.listItems();
    assert.deepEqual(
      [all.total, all.offset, all.count, all.limit, all.desc],
      [10, 0, 10, 999_999_999_999, false],
    );
    const page = await dataset.listItems({ offset: 2, limit: 3, desc: true });
    assert.deepEqual([page.total, page.offset, page.count, page.limit, page.desc], [10, 2, 3, 3, true]);
    assert.deepEqual(
      page.items.map(({ n }) => n),
      [7, 6, 5],
    );
    const seen: number[] = [];
    for await (const { n } of dataset.listItems({ chunkSize: 3 })) seen.push(n);
    assert.deepEqual(
      seen,
      numbered(10).map(({ n }) => n),
    );
    const some: number[] = [];
    for await (const { n } of dataset.listItems({ chunkSize: 2, limit: 5, offset: 1 })) some.push(n);
    assert.deepEqual(some, [1, 2, 3, 4, 5]);
  });

  test('listItems transforms', async () => {
    const dataset = await filled([
      { n: 1, tags: ['a', 'b'], nested: { deep: { value: 7 } }, '#internal': true },
      {} as Product,
    ]);
    const list = async (options: Parameters<typeof dataset.listItems>[0]) =>
      (await dataset.listItems(options)).items as unknown[];
    assert.deepEqual(await list({ clean: true, fields: ['n'] }), [{ n: 1 }]);
    assert.deepEqual(await list({ skipHidden: true, omit: ['tags', 'nested'] }), [{ n: 1 }, {}]);
    assert.deepEqual(await list({ skipEmpty: true, fields: ['#internal'] }), [{ '#internal': true }]);
    assert.deepEqual(await list({ unwind: 'tags', fields: ['n', 'tags'], limit: 1 }), [
      { n: 1, tags: 'a' },
      { n: 1, tags: 'b' },
    ]);
    assert.deepEqual(await list({ unwind: ['tags'], fields: ['tags'], limit: 1 }), [
      { tags: 'a' },
      { tags: 'b' },
    ]);
    assert.deepEqual(await list({ flatten: ['nested'], fields: ['nested.deep.value'], limit: 1 }), [
      { 'nested.deep.value': 7 },
    ]);
  });

  test('listItems by a view of the schema', async () => {
    const schema = { fields: {}, views: { short: { transformation: { fields: ['n'], desc: true } } } };
    const { id } = await client.datasets().getOrCreate('with-view', { schema });
    await client.dataset(id).pushItems([
      { n: 1, name: 'a' },
      { n: 2, name: 'b' },
    ]);
    assert.deepEqual((await client.dataset(id).listItems({ view: 'short' })).items, [{ n: 2 }, { n: 1 }]);
  });

  test('downloadItems in every format', async () => {
    const dataset = await filled([
      { n: 1, name: 'a,b' },
      { n: 2, tags: ['x'] },
    ]);
    const starts: Record<DownloadItemsFormat, string> = {
      json: '[{"n":1,"name":"a,b"}',
      jsonl: '{"n":1,"name":"a,b"}\n{"n":2',
      csv: '\uFEFFn,name,tags/0\r\n1,"a,b",\r\n2,,x\r\n',
      xml: '<?xml version="1.0" encoding="UTF-8"?>',
      html: '<!DOCTYPE html>',
      rss: '<?xml version="1.0" encoding="UTF-8"?>',
      xlsx: 'PK',
    };
    for (const format of Object.values(DownloadItemsFormat)) {
      const bytes = await dataset.downloadItems(format);
      assert.ok(Buffer.isBuffer(bytes), format);
      assert.ok(bytes.toString().startsWith(starts[format]), `${format}: ${bytes.toString().slice(0, 60)}`);
    }
  });

  test('getOrCreate and get take a name in any case', async () => {
    const { id, name } = await client.datasets().getOrCreate('In-Any-Case');
    assert.deepEqual([(await client.datasets().getOrCreate('in-any-case')).id, name], [id, 'In-Any-Case']);
    assert.equal((await client.dataset('admin/IN-ANY-CASE').get())!.id, id);
    const { id: other } = await client.datasets().getOrCreate('another-one');
    await assert.rejects(client.dataset(other).update({ name: 'in-ANY-case' }), (error: unknown) => {
      assert.ok(error instanceof ApifyApiError);
      assert.deepEqual([error.statusCode, error.type], [409, 'name-not-unique']);
      return true;
    });
  });

  test('downloadItems of nothing is an empty file in every format', async () => {
    const { id } = await client.datasets().getOrCreate();
    for (const format of Object.values(DownloadItemsFormat)) {
      assert.ok(Buffer.isBuffer(await client.dataset(id).downloadItems(format)), format);
    }
    assert.equal((await client.dataset(id).downloadItems(DownloadItemsFormat.CSV)).length, 0);
  });

  test('downloadItems with its options', async () => {
    const dataset = await filled([{ n: 1, name: 'a' }]);
    const text = async (...args: Parameters<typeof dataset.downloadItems>) =>
      (await dataset.downloadItems(...args)).toString();
    const csv = { bom: false, delimiter: ';', skipHeaderRow: true, attachment: true };
    assert.equal(await text(DownloadItemsFormat.CSV, csv), '1;a\r\n');
    assert.match(await text(DownloadItemsFormat.XML, { xmlRoot: 'list', xmlRow: 'row' }), /<list>\s*<row>/);
    const picked = { fields: ['name'], limit: 1, desc: true };
    assert.equal(await text(DownloadItemsFormat.JSON, picked), '[{"name":"a"}]');
  });

  test('createItemsPublicUrl opens a restricted dataset to whoever has the URL', async () => {
    const dataset = await filled([{ n: 1, name: 'a' }]);
    const url = await dataset.createItemsPublicUrl({ fields: ['n'], limit: 1 });
    assert.ok(url.startsWith(`${server.url}/v2/datasets/`), url);
    assert.deepEqual(await (await fetch(url)).json(), [{ n: 1 }]);
    const soon = await dataset.createItemsPublicUrl({ expiresInSecs: 60 });
    assert.equal((await fetch(soon)).status, 200);
    server.clock.ahead += 61_000;
    assert.equal((await fetch(soon)).status, 403);
    assert.equal((await fetch(url)).status, 200);
    server.clock.ahead = 0;
    const signature = new URL(url).searchParams.get('signature')!;
    const anyone = clientWith().dataset<Product>(new URL(url).pathname.split('/')[3]!);
    assert.deepEqual((await anyone.listItems({ signature })).items, [{ n: 1, name: 'a' }]);
    await assert.rejects(anyone.listItems(), { statusCode: 401 });
  });

  test('createItemsPublicUrl of an open dataset is read by anyone', async () => {
    const dataset = await filled([{ n: 1 }]);
    const { itemsPublicUrl } = await dataset.update({ generalAccess: 'ANYONE_WITH_ID_CAN_READ' });
    assert.ok(!itemsPublicUrl.includes('signature'));
    assert.deepEqual(await (await fetch(itemsPublicUrl)).json(), [{ n: 1 }]);
  });
});
