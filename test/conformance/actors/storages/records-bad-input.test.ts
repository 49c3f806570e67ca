// Invalid calls to key-value stores on each route: the right status, and nothing changed. Rule A28.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { recordCalls, send, type RawAnswer } from './records-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let store: string;
  let asItWas: Json;
  const { make, put, get, remove, keys, at } = recordCalls(() => server);
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    store = (await make('?name=kept'))['id'] as string;
    await put(store, 'one', 'kept');
    asItWas = await keys(store);
  });
  after(() => server.stop());

  const fails = ({ status, json }: RawAnswer, expected: [number, string], label?: string) =>
    assert.deepEqual([status, json['error'].type], expected, label);

  const BAD_KEYS = [
    'a b',
    'a/b',
    'ä',
    'a%',
    'a*',
    'a~b',
    'a:b',
    'a,b',
    '\n',
    '🚂',
    'x'.repeat(257),
    'x'.repeat(9000),
    '"',
  ];

  test('A28 a key that is none is an invalid-record-key', async () => {
    for (const key of BAD_KEYS) {
      for (const answer of [
        await put(store, key, 'x'),
        await put(store, key, 'x', { method: 'POST' }),
        await put(store, key, Buffer.alloc(200_000)),
        await get(store, key),
        await remove(store, key),
      ]) {
        fails(answer, [400, 'invalid-record-key'], key.slice(0, 20));
      }
    }
    for (const key of ['%', '%ff', '%2', '%E0%A4%A']) {
      fails(await at(`/${store}/records/${key}`), [400, 'invalid-record-key'], key);
    }
    const { status } = await at(`/${store}/records/a%00b`, { method: 'PUT', body: 'x' });
    assert.equal(status, 400);
    fails(await at(`/${store}/records/`, { method: 'PUT', body: 'x' }), [400, 'invalid-record-key'], 'empty');
  });

  test('A28 keys of every allowed character and length are good', async () => {
    const { id } = await make();
    const all = [`aZ09!-_.'()`, 'x'.repeat(256), '...', '!', '__proto__', 'constructor', 'null'];
    for (const key of all) assert.equal((await put(id, key, key)).status, 201, key);
    for (const key of all) assert.equal((await get(id, key)).body.toString(), key, key);
    assert.equal((await keys(id))['count'], all.length);
  });

  test('A28 an encoding that is not known is refused before the body is stored', async () => {
    for (const encoding of ['zstd', 'compress', 'gzip, br', 'utf-8', 'constructor', '__proto__']) {
      for (const body of ['x', Buffer.alloc(200_000)]) {
        const answer = await put(store, 'one', body, { headers: { 'content-encoding': encoding } });
        fails(answer, [415, 'unsupported-content-encoding'], encoding);
        assert.match(answer.json['error'].message as string, /br, gzip, deflate/);
      }
    }
  });

  test('A28 a content type that is none is named as what is wrong', async () => {
    for (const type of ['nonsense', '/', 'text/', 'tëxt/plain']) {
      const answer = await put(store, 'one', 'x', { headers: { 'content-type': type } });
      fails(answer, [400, 'invalid-content-type-header'], type);
    }
  });

  test('A28 queries that break their rules are invalid-input', async () => {
    for (const path of [
      'keys?limit=-1',
      'keys?limit=x',
      'keys?limit=1.5',
      'keys?limit=1&limit=2',
      'keys?prefix=a&prefix=b',
      'keys?signature=a&signature=b',
      'records?prefix=a&prefix=b',
      'records/one?attachment=maybe',
      'records/one?attachment=1&attachment=1',
    ]) {
      fails(await at(`/${store}/${path}`), [400, 'invalid-input'], path);
    }
    for (const path of ['keys?prefix=%00', 'keys?exclusiveStartKey=a%00', 'keys?collection=%00']) {
      assert.equal((await at(`/${store}/${path}`)).status, 400, path);
    }
    for (const path of [
      'keys?unknown=1',
      'records/one?disableRedirect=1',
      'keys?exclusiveStartKey=',
      'keys?prefix=',
    ]) {
      assert.equal((await at(`/${store}/${path}`)).status, 200, path);
    }
    for (const query of ['?limit=x', '?offset=-1', '?desc=maybe', '?unnamed=5']) {
      fails(await at(query), [400, 'invalid-input'], query);
    }
  });

  test('A28 bodies that are none leave a store as it was', async () => {
    const json = { 'content-type': 'application/json' };
    for (const [body, headers, expected] of [
      ['{', json, [400, 'invalid-input']],
      ['[]', json, [400, 'invalid-input']],
      ['{"name":5}', json, [400, 'invalid-input']],
      ['{"name":""}', json, [400, 'invalid-input']],
      ['{"generalAccess":"EVERYONE"}', json, [400, 'invalid-input']],
      ['{}', { 'content-type': 'text/plain' }, [400, 'invalid-content-type-header']],
    ] as const) {
      fails(await at(`/${store}`, { method: 'PUT', body, headers }), [...expected], body);
    }
    for (const body of ['{"schema":5}', '{"schema":[]}', '{"schema":{"collections":7}}']) {
      fails(await at('', { method: 'POST', body, headers: json }), [400, 'invalid-input'], body);
    }
    for (const name of ['-a', 'a-', 'a b', 'ä', 'x'.repeat(64), '%00']) {
      assert.equal((await at(`?name=${encodeURIComponent(name)}`, { method: 'POST' })).status, 400, name);
    }
    assert.equal((await at(`/${store}`)).json['data'].name, 'kept');
  });

  test('A28 a verb that is not allowed is told which are', async () => {
    for (const [path, methods, allow] of [
      ['', ['PUT', 'PATCH', 'DELETE'], 'OPTIONS, HEAD, GET, POST'],
      [`/${store}`, ['POST', 'PATCH'], 'OPTIONS, HEAD, GET, PUT, DELETE'],
      [`/${store}/keys`, ['POST', 'PUT', 'PATCH', 'DELETE'], 'OPTIONS, HEAD, GET'],
      [`/${store}/records`, ['POST', 'PUT', 'PATCH', 'DELETE'], 'OPTIONS, HEAD, GET'],
      [`/${store}/records/one`, ['PATCH'], 'OPTIONS, HEAD, GET, POST, PUT, DELETE'],
    ] as const) {
      for (const method of methods) {
        const answer = await at(path, { method, body: 'x' });
        fails(answer, [405, 'method-not-allowed'], `${method} ${path}`);
        assert.equal(answer.headers['allow'], allow, path);
      }
    }
    fails(await at(`/${store}/records/one/two`), [404, 'page-not-found']);
    fails(await at(`/${store}/nothing`), [404, 'page-not-found']);
  });

  test('A28 a store that is none is not found, whatever its name looks like', async () => {
    for (const reference of ['x', '%', '..', '%2e%2e', 'a'.repeat(3000), '🚂', "' or 1=1 --", 'null']) {
      const path = `/${reference.includes('%') ? reference : encodeURIComponent(reference)}`;
      for (const [method, rest] of [
        ['GET', '/keys'],
        ['PUT', '/records/one'],
        ['GET', '/records/one'],
        ['DELETE', '/records/one'],
      ] as const) {
        if (/^\/(\.\.|%2e%2e)$/.test(path)) continue; // clients normalize such a URL
        const answer = await at(path + rest, { method, ...(method === 'PUT' && { body: 'x' }) });
        fails(answer, [404, 'record-not-found'], `${method} ${path.slice(0, 20)}`);
      }
    }
    fails(await at('/~'), [400, 'invalid-request']);
    fails(await at('/admin~/keys'), [400, 'invalid-request']);
    const { status } = await send(`${server.url}/v2/key-value-stores/a%00b/keys`);
    assert.equal(status, 400);
  });

  test('A28 a refused upload is read to its end, so that the connection goes on', async () => {
    const large = Buffer.alloc(3_000_000);
    fails(await put('nothing', 'one', large), [404, 'record-not-found']);
    fails(await put(store, 'a b', large), [400, 'invalid-record-key']);
    fails(await put(store, 'one', large, { token: null }), [401, 'invalid-token']);
    assert.equal((await get(store, 'one')).status, 200);
  });

  test("A28 after all of this the store is as it was, and no fault was the server's", async () => {
    assert.deepEqual(await keys(store), asItWas);
    assert.equal((await get(store, 'one')).body.toString(), 'kept');
    assert.deepEqual(
      server.log.filter(({ level }) => (level as number) >= 40),
      [],
    );
  });
});
