// Invalid calls to every dataset route: each has its status and error type, and none changes anything. Rules A9, A28, A31.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { onEachEngine } from '../../../engines.ts';
import { startServer, type Answer, type CallInit, type Json, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let id: string;
  let before_: string;
  const call = (path: string, init: CallInit = {}) => server.call(`/v2/datasets${path}`, init);
  const push = (body: unknown, headers = {}) => call(`/${id}/items`, { method: 'POST', body, headers });

  before(async () => {
    server = await startServerOn(engine);
    id = (await call('?name=victim', { method: 'POST' })).json['data'].id as string;
    await push([{ kept: 1 }]);
  });
  after(() => server.stop());

  async function state(): Promise<string> {
    const { itemCount, fields, name, title, generalAccess } = (await call(`/${id}`)).json['data'] as Json;
    const all = (await call('?unnamed=1')).json['data'].total as number;
    return JSON.stringify({ itemCount, fields, name, title, generalAccess, all });
  }
  beforeEach(async () => {
    server.clock.ahead += 2000; // into a fresh window of the dataset's limit
    before_ = await state();
  });

  async function assertFailed(answer: Answer, expected: [status: number, type: string], label?: string) {
    assert.deepEqual([answer.status, answer.json['error'].type], expected, label);
    assert.equal(await state(), before_, label);
  }

  describe('pushing', () => {
    test('A9 what is no object is invalid, and so is a list with one such', async () => {
      for (const body of [
        'null',
        '5',
        'true',
        '[1]',
        '[null]',
        '[[{}]]',
        '[{},"x"]',
        '["{}"]',
        '"5"',
        '[{},[]]',
      ]) {
        await assertFailed(await push(body), [400, 'invalid-input'], body);
      }
      await assertFailed(await call(`/${id}/items`, { method: 'POST' }), [400, 'invalid-input'], 'nothing');
    });

    test('A28 more keys or items than can be worked on are invalid, and the error names the limit', async () => {
      const many = (count: number, text: (index: number) => string) =>
        Array.from({ length: count }, (_, index) => text(index)).join(',');
      for (const [body, limit] of [
        [`{${many(10_001, (index) => `"key-${index}":1`)}}`, /more than 10,000 keys/],
        [`[{},{"list":[${many(250_000, () => '1')}]}]`, /more than 250,000 keys and elements/],
        [`[${many(250_001, () => '{}')}]`, /more than 250,000 items/],
      ] as const) {
        const answer = await push(body);
        await assertFailed(answer, [400, 'invalid-input'], String(limit));
        assert.match(answer.json['error'].message, limit);
      }
    });

    test('A28 what is no JSON, or nested too deep, is invalid', async () => {
      const deep = '{"a":'.repeat(1000) + '1' + '}'.repeat(1000);
      for (const body of [
        '{',
        '[{}',
        'x',
        '{"a":1}{"b":2}',
        deep,
        `[${deep}]`,
        JSON.stringify(deep),
        '"{"',
        '\0',
      ]) {
        await assertFailed(await push(body), [400, 'invalid-input'], body.slice(0, 20));
      }
    });

    test('A28 nested as deep as may be is kept, and every format copes', async () => {
      const { json } = await call('', { method: 'POST' });
      const path = `/${json['data'].id}`;
      const depth = 199;
      const body = `[${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}]`;
      assert.equal((await call(`${path}/items`, { method: 'POST', body })).status, 201);
      for (const format of ['json', 'jsonl', 'xml', 'rss']) {
        assert.equal((await call(`${path}/items?format=${format}`)).status, 200, format);
      }
      for (const format of ['csv', 'html', 'xlsx']) {
        assert.equal((await call(`${path}/items?format=${format}`)).status, 400, format);
      }
      assert.equal((await call(`${path}/items?flatten=a`)).status, 200);
      assert.equal((await call(path, { method: 'DELETE' })).status, 204);
    });

    test('A28 another content type is refused', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
        const answer = await push('{"a":1}', { 'content-type': type });
        await assertFailed(answer, [400, 'invalid-content-type-header'], type);
      }
    });

    test('A28 another encoding is refused, and so is what is not in its encoding', async () => {
      await assertFailed(await push('{"a":1}', { 'content-encoding': 'zstd' }), [
        415,
        'unsupported-content-encoding',
      ]);
      await assertFailed(await push('{"a":1}', { 'content-encoding': 'gzip' }), [400, 'invalid-input']);
    });

    test('A28 too much is refused, before and after inflation', async () => {
      const body = JSON.stringify([{ text: 'x'.repeat(9_437_184) }]);
      await assertFailed(await push(body), [413, 'request-too-large']);
      await assertFailed(await push(gzipSync(body), { 'content-encoding': 'gzip' }), [
        413,
        'request-too-large',
      ]);
    });

    test('A28 unknown datasets and wrong tokens are told', async () => {
      for (const reference of ['nothing', '~nothing', 'admin~nothing', 'nobody~x', "'%20or%201=1"]) {
        const answer = await call(`/${reference}/items`, { method: 'POST', body: { a: 1 } });
        await assertFailed(answer, [404, 'record-not-found'], reference);
      }
      const wrong = await call(`/${id}/items`, { method: 'POST', body: {}, token: 'api-wrong' });
      await assertFailed(wrong, [401, 'invalid-token']);
      await assertFailed(await call('/admin~/items', { method: 'POST', body: {} }), [400, 'invalid-request']);
    });
  });

  describe('reading', () => {
    test('A28 wrong values in the query are invalid', async () => {
      for (const query of [
        'format=pdf',
        'format=JSON',
        'format=constructor',
        'format=json&format=csv',
        'limit=-1',
        'limit=1.5',
        'limit=x',
        'limit=',
        'limit=9007199254740992',
        'limit=99999999999999999999',
        'offset=9007199254740992',
        'offset=1e400',
        'offset=-1',
        'offset=0x10',
        'desc=yes',
        'clean=2',
        'bom=maybe',
        'fields=a&outputFields=b,c',
        'outputFields=b',
        'format=csv&delimiter=ab',
        'format=csv&delimiter=%22',
        'format=csv&delimiter=%0A',
        'format=csv&delimiter=',
        'xmlRoot=a&xmlRoot=b',
      ]) {
        await assertFailed(await call(`/${id}/items?${query}`), [400, 'invalid-input'], query);
      }
      await assertFailed(await call(`/${id}/items?fields=%00`), [400, 'invalid-input'], 'NUL');
    });

    test('A28 what the query cannot break is taken as it is', async () => {
      for (const query of [
        'unknown=1',
        'fields=__proto__,constructor',
        'omit=__proto__',
        'unwind=__proto__',
        'flatten=constructor',
        'limit=9007199254740991',
        'offset=9007199254740991&limit=9007199254740991',
        'format=xml&xmlRoot=%3Cscript%3E&xmlRow=%22',
        'format=rss&feedTitle=%3C/title%3E',
        `fields=${'a,'.repeat(2000)}`,
      ]) {
        const { status } = await call(`/${id}/items?${query}`);
        assert.equal(status, 200, query.slice(0, 50));
      }
      const xml = (await call(`/${id}/items?format=xml&xmlRoot=%3Cscript%3E&xmlRow=a%20b`)).text;
      assert.match(xml, /<_script_>\s*<a_b>/);
      assert.equal(await state(), before_);
    });

    test('A28 unknown datasets are not found', async () => {
      for (const path of [
        '/nothing',
        '/nothing/items',
        '/nothing/statistics',
        '/~nothing/items',
        '/a~b/items',
      ]) {
        await assertFailed(await call(path), [404, 'record-not-found'], path);
      }
    });
  });

  describe('datasets themselves', () => {
    test('A28 a wrong verb is told which there are', async () => {
      for (const [method, path] of [
        ['PATCH', ''],
        ['DELETE', ''],
        ['POST', `/${id}`],
        ['PATCH', `/${id}`],
        ['PUT', `/${id}/items`],
        ['DELETE', `/${id}/items`],
        ['POST', `/${id}/statistics`],
        ['DELETE', `/${id}/statistics`],
      ] as const) {
        const answer = await call(path, { method });
        await assertFailed(answer, [405, 'method-not-allowed'], `${method} ${path}`);
        assert.match(answer.json['error'].message as string, /OPTIONS/);
      }
      await assertFailed(await call(`/${id}/nothing`), [404, 'page-not-found']);
    });

    test('A28 a name that cannot be one is refused, when creating and when changing', async () => {
      for (const name of ['-a', 'a-', 'a b', 'a~b', 'ä', 'x'.repeat(64), '%00', '../etc']) {
        const { status } = await call(`?name=${name}`, { method: 'POST' });
        assert.equal(status, 400, name);
        if (name !== '%00') {
          await assertFailed(
            await call(`/${id}`, { method: 'PUT', body: { name } }),
            [400, 'invalid-input'],
            name,
          );
        }
      }
      assert.equal(await state(), before_);
    });

    test('A28 a wrong change is refused', async () => {
      for (const body of [
        { name: 5 },
        { title: {} },
        { title: 'x'.repeat(201) },
        { generalAccess: 'EVERYONE' },
        { generalAccess: null },
      ]) {
        const answer = await call(`/${id}`, { method: 'PUT', body });
        await assertFailed(answer, [400, 'invalid-input'], JSON.stringify(body));
      }
      for (const body of ['[]', '5', 'null', '{']) {
        await assertFailed(await call(`/${id}`, { method: 'PUT', body }), [400, 'invalid-input'], body);
      }
    });

    test('A28 a schema that is none is refused', async () => {
      for (const schema of [
        { fields: { type: 'nonsense' } },
        { fields: { $ref: 'http://example.com/schema.json' } },
        { fields: { properties: { a: { pattern: '(' } } } },
        { fields: { $ref: '#' } },
        { views: { a: { transformation: { fields: 5 } } } },
      ]) {
        const answer = await call('?name=with-schema', { method: 'POST', body: { schema } });
        await assertFailed(answer, [400, 'dataset-schema-invalid'], JSON.stringify(schema));
      }
      for (const schema of [5, 'x', []]) {
        const answer = await call('?name=with-schema', { method: 'POST', body: { schema } });
        await assertFailed(answer, [400, 'invalid-input'], JSON.stringify(schema));
      }
    });

    test('A9 a hostile pattern in a schema costs its owner the push, and nobody else their time', async () => {
      const schema = { fields: { properties: { a: { type: 'string', pattern: '^(a|a)*$' } } } };
      const made = await call('', { method: 'POST', body: { schema } });
      const path = `/${made.json['data'].id}`;
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          call(`${path}/items`, { method: 'POST', body: { a: `${'a'.repeat(100)}!` } }),
        ),
      );
      for (const { status, json } of answers) {
        assert.deepEqual([status, json['error'].type], [400, 'schema-validation-error']);
      }
      assert.equal((await call(path)).json['data'].itemCount, 0);
      assert.equal((await call(path, { method: 'DELETE' })).status, 204);
    });

    test('A28 wrong values in a list are refused', async () => {
      for (const query of [
        'limit=-1',
        'offset=x',
        'desc=maybe',
        'unnamed=7',
        'offset=9007199254740992',
        'limit=9007199254740992',
      ]) {
        await assertFailed(await call(`?${query}`), [400, 'invalid-input'], query);
      }
    });
  });
});

describe('limits of one dataset', () => {
  let small: TestServer;
  before(async () => {
    small = await startServer({
      limit: {
        'actors.dataset': { known: 2, anonymous: 2, seconds: 1 },
        'actors.dataset_push': { known: 3, anonymous: 3, seconds: 1 },
      },
    });
    small.clock.goTo(Date.parse('2030-01-01T00:00:00.000Z'));
  });
  after(() => small.stop());

  test('A31 over the rate of a dataset is 429, of another dataset it is not', async () => {
    const make = async () => (await small.call('/v2/datasets', { method: 'POST' })).json['data'].id as string;
    const [one, two] = [await make(), await make()];
    const push = (id: string) => small.call(`/v2/datasets/${id}/items`, { method: 'POST', body: { a: 1 } });
    const read = (id: string) => small.call(`/v2/datasets/${id}/items`);
    for (let n = 0; n < 3; n += 1) assert.equal((await push(one)).status, 201);
    const refused = await push(one);
    assert.deepEqual([refused.status, refused.json['error'].type], [429, 'rate-limit-exceeded']);
    assert.deepEqual(
      [refused.headers.get('retry-after'), refused.headers.get('x-ratelimit-limit')],
      ['1', '3'],
    );
    assert.equal((await push(two)).status, 201);
    for (let n = 0; n < 2; n += 1) assert.equal((await read(one)).status, 200);
    assert.equal((await read(one)).status, 429);
    assert.equal((await read(two)).status, 200);
    small.clock.ahead += 1000;
    assert.equal((await push(one)).status, 201);
    assert.deepEqual((await read(one)).json['length'], 4);
  });

  test('A31 the usual limits are those of the platform', async () => {
    const usual = await startServer();
    const { quotas } = usual.app.kernel.limits;
    assert.deepEqual(quotas['actors.dataset'], { known: 60, anonymous: 60, seconds: 1 });
    assert.deepEqual(quotas['actors.dataset_push'], { known: 400, anonymous: 400, seconds: 1 });
    await usual.stop();
  });
});
