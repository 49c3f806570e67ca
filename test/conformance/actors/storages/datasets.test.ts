// Datasets on a running server with each engine: creating and finding them, pushing and reading items. Rules A1, A3, A8, A9.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { readZip } from '../../../../src/actors/export/fixture-readers.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { ADMIN_TOKEN, type Answer, type Json, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine);
  });
  after(() => server.stop());

  async function create(name?: string, schema?: object): Promise<Json> {
    const { status, json } = await server.call(`/v2/datasets${name === undefined ? '' : `?name=${name}`}`, {
      method: 'POST',
      ...(schema !== undefined && { body: { schema } }),
    });
    assert.equal(status, 201);
    return json['data'] as Json;
  }

  const push = (id: string, body: unknown, headers = {}) =>
    server.call(`/v2/datasets/${id}/items`, { method: 'POST', body, headers });
  const items = (id: string, query = '') => server.call(`/v2/datasets/${id}/items${query}`);
  const get = async (id: string) => (await server.call(`/v2/datasets/${id}`)).json['data'] as Json;

  async function filled(...batches: unknown[]): Promise<string> {
    const { id } = await create();
    for (const batch of batches) assert.equal((await push(id, batch)).status, 201);
    return id;
  }

  function pageOf({ headers }: Answer) {
    const names = ['total', 'offset', 'limit', 'count', 'desc'];
    return Object.fromEntries(names.map((name) => [name, headers.get(`x-apify-pagination-${name}`)]));
  }

  test('A1 a dataset is shown under data, with its counts and timestamps', async () => {
    const made = await server.call('/v2/datasets', { method: 'POST' });
    assert.equal(made.status, 201);
    const data = made.json['data'] as Json;
    assert.equal(made.headers.get('location'), `${server.url}/v2/datasets/${data['id']}`);
    assert.deepEqual([data['name'], data['itemCount'], data['cleanItemCount']], [null, 0, 0]);
    assert.deepEqual([data['actId'], data['actRunId'], data['schema']], [null, null, null]);
    assert.equal(data['generalAccess'], 'FOLLOW_USER_SETTING');
    assert.deepEqual(data['stats'], { readCount: 0, writeCount: 0, storageBytes: 0, inflatedBytes: 0 });
    for (const time of ['createdAt', 'modifiedAt', 'accessedAt']) assert.match(data[time], ISO);
    const { itemsPublicUrl, ...shown } = await get(data['id']);
    assert.match(itemsPublicUrl, /items\?signature=[\w-]+$/);
    assert.deepEqual({ itemsPublicUrl: data['itemsPublicUrl'], ...shown }, data);
  });

  test('A3 a dataset is found by id, by ~name and by username~name', async () => {
    const { id } = await create('by-name');
    for (const reference of [id, '~by-name', 'admin~by-name']) {
      assert.equal((await get(reference as string))['id'], id);
      assert.equal((await push(reference as string, { from: reference })).status, 201);
    }
    assert.equal((await items('admin~by-name')).json['length'], 3);
    const again = await server.call('/v2/datasets?name=by-name', { method: 'POST' });
    assert.deepEqual([again.status, again.json['data'].id, again.json['data'].itemCount], [200, id, 3]);
  });

  test('A1 a push shows in the counts, the fields and the time of change at once', async () => {
    const { id, modifiedAt } = await create();
    server.clock.ahead += 5000;
    await push(id, [{ a: 1, '#hidden': 2 }, { '#only': 1 }, {}, { b: { c: 1 } }]);
    const now = await get(id);
    assert.deepEqual([now['itemCount'], now['cleanItemCount']], [4, 2]);
    assert.deepEqual(now['fields'], ['a', '#hidden', '#only', 'b']);
    assert.ok(Date.parse(now['modifiedAt']) >= Date.parse(modifiedAt) + 5000);
    assert.equal(now['stats'].writeCount, 4);
    assert.ok(now['stats'].storageBytes > 40);
    const { json } = await server.call('/v2/datasets?unnamed=1&desc=1&limit=1');
    assert.deepEqual([json['data'].items[0].id, json['data'].items[0].itemCount], [id, 4]);
  });

  test('A9 one item or many are pushed, and come back in their order', async () => {
    const { id } = await create();
    const answer = await push(id, { n: 0 });
    assert.deepEqual([answer.status, answer.json], [201, { data: {} }]);
    assert.equal(answer.headers.get('location'), `${server.url}/v2/datasets/${id}/items`);
    assert.equal((await push(id, [{ n: 1 }, { n: 2 }])).status, 201);
    assert.equal((await push(id, [])).status, 201);
    assert.equal((await push(id, JSON.stringify('{"n":3}'))).status, 201);
    assert.equal((await push(id, JSON.stringify('[{"n":4},{"n":5}]'))).status, 201);
    assert.deepEqual(
      (await items(id)).json,
      [0, 1, 2, 3, 4, 5].map((n) => ({ n })),
    );
  });

  test('A9 bodies may be compressed', async () => {
    const { id } = await create();
    const body = JSON.stringify([{ text: 'x'.repeat(5000) }]);
    assert.equal((await push(id, brotliCompressSync(body), { 'content-encoding': 'br' })).status, 201);
    assert.equal((await push(id, gzipSync(body), { 'content-encoding': 'gzip' })).status, 201);
    assert.equal((await get(id))['itemCount'], 2);
  });

  const schema = {
    actorSpecification: 1,
    fields: {
      type: 'object',
      properties: { name: { type: 'string' }, price: { type: ['number', 'null'], minimum: 0 } },
      required: ['name'],
    },
    views: {
      cheap: { title: 'Cheap', transformation: { fields: ['price'], limit: 1, desc: true } },
    },
  };

  test('A9 when any item fails validation the whole push is rejected, and each is named', async () => {
    const { id } = await create(undefined, schema);
    assert.equal((await push(id, [{ name: 'good', price: 1 }])).status, 201);
    const { status, json } = await push(id, [{ name: 'good' }, { price: 2 }, { name: 'x', price: -1 }]);
    assert.deepEqual([status, json['error'].type], [400, 'schema-validation-error']);
    const { invalidItems } = json['error'].data as { invalidItems: Json[] };
    assert.deepEqual(
      invalidItems.map(({ itemPosition }) => itemPosition as number),
      [1, 2],
    );
    assert.equal(invalidItems[1]!['validationErrors'][0].instancePath, '/price');
    assert.equal((await push(id, { price: 'single' })).status, 400);
    assert.deepEqual((await items(id)).json, [{ name: 'good', price: 1 }]);
    assert.equal((await get(id))['itemCount'], 1);
    assert.deepEqual((await get(id))['schema'], schema);
  });

  test('A9 statistics tell of each field of the schema', async () => {
    const { id } = await create(undefined, schema);
    const statistics = async () =>
      (await server.call(`/v2/datasets/${id}/statistics`)).json['data'].fieldStatistics as Json;
    const none = { min: null, max: null, nullCount: 0, emptyCount: 0 };
    assert.deepEqual(await statistics(), { name: none, price: none });
    await push(id, [{ name: 'abc', price: 5.5 }, { name: 'a' }]);
    await push(id, [
      { name: '', price: null },
      { name: 'ab', price: 0 },
    ]);
    assert.deepEqual(await statistics(), {
      name: { min: 0, max: 3, nullCount: 0, emptyCount: 0 },
      price: { min: 0, max: 5.5, nullCount: 1, emptyCount: 1 },
    });
    const plain = await filled([{ a: 1 }]);
    assert.deepEqual((await server.call(`/v2/datasets/${plain}/statistics`)).json, {
      data: { fieldStatistics: null },
    });
  });

  test('A8 items are a bare array, and the page is told in headers', async () => {
    const id = await filled([{ n: 0 }, { n: 1 }], [{ n: 2 }, { n: 3 }, { n: 4 }]);
    const all = await items(id);
    assert.deepEqual(
      all.json,
      [0, 1, 2, 3, 4].map((n) => ({ n })),
    );
    assert.equal(all.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual(pageOf(all), {
      total: '5',
      offset: '0',
      limit: '999999999999',
      count: '5',
      desc: 'false',
    });
    const some = await items(id, '?offset=1&limit=3');
    assert.deepEqual(
      some.json,
      [1, 2, 3].map((n) => ({ n })),
    );
    assert.deepEqual(pageOf(some), { total: '5', offset: '1', limit: '3', count: '3', desc: 'false' });
    const last = await items(id, '?offset=4&limit=3&desc=true');
    assert.deepEqual(last.json, [{ n: 0 }]);
    assert.deepEqual(pageOf(last), { total: '5', offset: '4', limit: '3', count: '1', desc: 'true' });
    assert.deepEqual(
      (await items(id, '?desc=1&limit=0')).json,
      [4, 3, 2, 1, 0].map((n) => ({ n })),
    );
    assert.deepEqual((await items(id, '?offset=5')).json, []);
    assert.deepEqual(pageOf(await items(id, '?offset=99999999999&limit=999999999999'))['count'], '0');
  });

  test('A8 HEAD tells the page and sends nothing', async () => {
    const id = await filled([{ n: 0 }, { n: 1 }]);
    const head = await server.call(`/v2/datasets/${id}/items?format=csv&limit=1`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal(head.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.deepEqual(pageOf(head), { total: '2', offset: '0', limit: '1', count: '1', desc: 'false' });
  });

  test('A8 each format has its content type and its form', async () => {
    const id = await filled([{ a: 1, b: 'x,"y"' }, { c: { d: [true, null] } }]);
    const expected: Record<string, [type: string, text: string | RegExp]> = {
      json: ['application/json; charset=utf-8', '[{"a":1,"b":"x,\\"y\\""},\n{"c":{"d":[true,null]}}]'],
      jsonl: ['application/jsonl', '{"a":1,"b":"x,\\"y\\""}\n{"c":{"d":[true,null]}}\n'],
      csv: ['text/csv; charset=utf-8', 'a,b,c/d/0,c/d/1\r\n1,"x,""y""",,\r\n,,true,\r\n'],
      xml: ['application/xml', /<items>\s*<item><a>1<\/a><b>x,&quot;y&quot;<\/b><\/item>/],
      html: ['text/html', /<tr><th>a<\/th>.*<\/tr>\s*<\/thead>/],
      rss: ['application/rss+xml', /<rss version="2.0">\s*<channel>/],
      xlsx: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', /^PK/],
    };
    for (const [format, [type, text]] of Object.entries(expected)) {
      const answer = await items(id, `?format=${format}`);
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, type], format);
      if (typeof text === 'string') assert.equal(answer.text.replace(/^\uFEFF/, ''), text, format);
      else assert.match(answer.text, text, format);
    }
  });

  test('A8 the form of a format can be chosen', async () => {
    const id = await filled([{ a: 1, b: 2 }]);
    // Not as text, which is read without its byte order mark.
    const bytes = async (query: string) => {
      const response = await fetch(`${server.url}/v2/datasets/${id}/items${query}&token=${ADMIN_TOKEN}`);
      return Buffer.from(await response.arrayBuffer()).toString();
    };
    assert.equal(await bytes('?format=csv'), '\uFEFFa,b\r\n1,2\r\n');
    assert.equal(await bytes('?format=csv&bom=0&delimiter=;'), 'a;b\r\n1;2\r\n');
    assert.equal(await bytes('?format=csv&bom=false&skipHeaderRow=1'), '1,2\r\n');
    assert.equal(await bytes('?format=json&bom=1'), '\uFEFF[{"a":1,"b":2}]');
    assert.match(await bytes('?format=xml&xmlRoot=list&xmlRow=row'), /<list>\s*<row>.*<\/row>\s*<\/list>/);
    assert.match(
      await bytes('?format=rss&feedTitle=T%26T&feedDescription=D'),
      /<title>T&amp;T<\/title>[^]*<description>D<\/description>/,
    );
    assert.match(await bytes('?format=rss'), new RegExp(`<title>Dataset ${id}</title>`));
    const saved = await items(id, '?format=csv&attachment=1');
    assert.equal(saved.headers.get('content-disposition'), `attachment; filename="dataset_${id}.csv"`);
    const shown = await items(id);
    assert.equal(shown.headers.get('content-disposition'), null);
    for (const { headers } of [shown, saved]) {
      assert.equal(headers.get('content-security-policy'), 'sandbox allow-scripts');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
  });

  test('A8 items can be transformed on their way', async () => {
    const id = await filled([
      { a: 1, '#h': 1, list: [{ x: 1 }, { x: 2 }], o: { p: { q: 1 } } },
      {},
      { '#h': 2 },
      { url: 'u', pageFunctionResult: { r: 1 }, errorInfo: 'bad' },
    ]);
    const read = async (query: string) => (await items(id, query)).json;
    assert.deepEqual(await read('?clean=1&fields=a,url'), [{ a: 1 }, { url: 'u' }]);
    assert.deepEqual(await read('?skipHidden=1&fields=a&limit=3'), [{ a: 1 }, {}, {}]);
    assert.deepEqual(await read('?skipEmpty=1&omit=list,o,url,pageFunctionResult,errorInfo'), [
      { a: 1, '#h': 1 },
      { '#h': 2 },
    ]);
    assert.deepEqual(await read('?limit=1&unwind=list&fields=a,x'), [
      { a: 1, x: 1 },
      { a: 1, x: 2 },
    ]);
    assert.deepEqual(await read('?limit=1&flatten=o&fields=o.p.q'), [{ 'o.p.q': 1 }]);
    assert.deepEqual(await read('?limit=1&fields=a,%23h&outputFields=A,B'), [{ A: 1, B: 1 }]);
    assert.deepEqual(await read('?simplified=1&offset=3'), [{ url: 'u', errorInfo: 'bad', r: 1 }]);
    assert.deepEqual(((await read('?skipFailedPages=1')) as unknown as unknown[]).length, 3);
    assert.equal((await items(id, '?fields=a&outputFields=A,B')).status, 400);
  });

  test('A8 a view of the schema says how items are shown', async () => {
    const { id } = await create(undefined, schema);
    await push(id, [
      { name: 'a', price: 1 },
      { name: 'b', price: 2 },
    ]);
    const shown = await items(id, '?view=cheap');
    assert.deepEqual(shown.json, [{ price: 2 }]);
    assert.deepEqual(pageOf(shown), { total: '2', offset: '0', limit: '1', count: '1', desc: 'true' });
    const missing = await items(id, '?view=other');
    assert.deepEqual(
      [missing.status, missing.json['error'].type],
      [400, 'requested-dataset-view-does-not-exist'],
    );
    const without = await items(await filled({ a: 1 }), '?view=cheap');
    assert.deepEqual([without.status, without.json['error'].type], [400, 'dataset-does-not-have-schema']);
  });

  test('A8 items without columns are no table', async () => {
    const id = await filled([{}, { list: [] }, { '#hidden': 1 }]);
    for (const format of ['json', 'jsonl', 'xml', 'rss']) {
      assert.equal((await items(id, `?format=${format}`)).status, 200, format);
    }
    for (const format of ['csv', 'html', 'xlsx']) {
      const { status, json } = await items(id, `?format=${format}&skipHidden=1`);
      assert.deepEqual([status, json['error'].type], [400, 'no-columns-in-exported-dataset'], format);
    }
  });

  test('A8 no items are an empty file: of an empty dataset, past the end, or where all are left out', async () => {
    const { id: empty } = await create();
    const some = await filled([{ a: 1 }, { '#b': 2 }]);
    for (const [id, query] of [
      [empty, ''],
      [empty, '&desc=1'],
      [empty, '&fields=a'],
      [some, '&offset=2'],
      [some, '&offset=1&limit=1&clean=1'],
      [some, '&offset=9007199254740991'],
    ] as const) {
      const csv = await items(id, `?format=csv${query}`);
      assert.deepEqual([csv.status, csv.text], [200, ''], query);
      assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
      const html = await items(id, `?format=html${query}`);
      assert.equal(html.status, 200, query);
      assert.match(html.text, /<table>\s*<thead>\s*<\/thead>\s*<tbody>\s*<\/tbody>\s*<\/table>/, query);
      const path = `/v2/datasets/${id}/items?format=xlsx${query}&token=${ADMIN_TOKEN}`;
      const xlsx = await fetch(server.url + path);
      assert.equal(xlsx.status, 200, query);
      const parts = readZip(Buffer.from(await xlsx.arrayBuffer()));
      assert.match(parts.get('xl/workbook.xml')!, /<sheet name="Items"/, query);
      assert.doesNotMatch(parts.get('xl/worksheets/sheet1.xml')!, /<row/, query);
    }
  });

  test('A8 items keep every character', async () => {
    const hard = { 'nul\0': 'a\0b', lines: '\r\n\u2028', half: '\ud800', emoji: '😀', __proto__: null };
    const text = '[{"nul\\u0000":"a\\u0000b","half":"\\ud800","emoji":"😀","__proto__":1}]';
    const id = await filled([hard], text);
    const { json } = await items(id);
    assert.deepEqual(json[0], { ...hard });
    assert.deepEqual(Object.keys(json[1]), ['nul\0', 'half', 'emoji', '__proto__']);
    for (const format of ['csv', 'xml', 'html', 'rss', 'xlsx']) {
      assert.equal((await items(id, `?format=${format}`)).status, 200, format);
    }
  });

  test('A9 pushes at the same time keep their items together', async () => {
    const { id } = await create();
    const batches = Array.from({ length: 40 }, (_, batch) => [0, 1, 2].map((n) => ({ batch, n })));
    await Promise.all(batches.map((batch) => push(id, batch)));
    const kept = (await items(id)).json as unknown as { batch: number; n: number }[];
    assert.equal(kept.length, 120);
    for (let at = 0; at < kept.length; at += 3) {
      const { batch } = kept[at]!;
      assert.deepEqual(kept.slice(at, at + 3), batches[batch]);
    }
    assert.equal((await get(id))['itemCount'], 120);
  });

  test('A1 a deleted dataset is gone at once, and its items soon', async () => {
    const id = await filled([{ a: 1 }]);
    assert.equal((await server.call(`/v2/datasets/${id}`, { method: 'DELETE' })).status, 204);
    for (const answer of [
      await items(id),
      await push(id, { a: 1 }),
      await server.call(`/v2/datasets/${id}`),
    ]) {
      assert.deepEqual([answer.status, answer.json['error'].type], [404, 'record-not-found']);
    }
    const { db } = server.app.kernel;
    await eventually(async () => {
      const left = await db
        .selectFrom('dataset_chunks')
        .select('items')
        .where('dataset_id', '=', id)
        .execute();
      return left.length === 0;
    });
  });

  test('A1 reads are counted', async () => {
    const id = await filled([{ a: 1 }, { a: 2 }, { a: 3 }]);
    await items(id, '?limit=2');
    await items(id);
    await eventually(async () => {
      server.clock.ahead += 1000; // into a fresh window of the dataset's limit
      return (await get(id))['stats'].readCount >= 5;
    });
    assert.equal((await get(id))['stats'].readCount, 5);
  });
});
