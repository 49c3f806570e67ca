// Storages over the Signalbox API: records with their types, requests by what is known of them; and writes that name the ETag they replace.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../engines.ts';
import { giveToken, join } from '../../people.ts';
import type { Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';
import { recordCalls } from '../actors/storages/records-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  const { make, put, get, remove, stats } = recordCalls(() => server);
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  const keysOf = async (store: string, query = '') =>
    (await server.call(`/signalbox/v1/key-value-stores/${store}/keys${query}`)).json;
  const text = { headers: { 'content-type': 'text/plain; charset=utf-8' } };

  test('records are listed with type, size, time and ETag, page by page and by prefix', async () => {
    const { id } = await make();
    await put(id, 'b-2', 'two', text);
    await put(id, 'b-1', '{}', { headers: { 'content-type': 'application/json' } });
    await put(id, 'a', Buffer.alloc(100_000), { headers: { 'content-type': 'image/png' } });
    const all = await keysOf(id);
    assert.deepEqual(
      all['items'].map(({ key, size, contentType }: Json) => [key, size, contentType]),
      [
        ['a', 100_000, 'image/png'],
        ['b-1', 2, 'application/json'],
        ['b-2', 3, 'text/plain; charset=utf-8'],
      ],
    );
    assert.equal(all['next'], undefined);
    const [first] = all['items'] as Json[];
    assert.equal((await get(id, 'a')).headers['etag'], `"${first!['etag']}"`);
    assert.equal(typeof first!['updatedAt'], 'number');
    const page = await keysOf(id, '?prefix=b-&limit=1');
    assert.deepEqual([page['items'][0].key, page['next']], ['b-1', 'b-1']);
    const rest = await keysOf(id, `?prefix=b-&limit=1&cursor=${page['next']}`);
    assert.deepEqual([rest['items'][0].key, rest['next']], ['b-2', undefined]);
    assert.deepEqual((await keysOf(id, '?prefix=c'))['items'], []);
  });

  test('records are listed like folders by a delimiter, page by page, however many keys a folder has', async () => {
    const { id } = await make();
    const keys = [
      'shot-a-1',
      'shot-a-2',
      'shot-a-',
      'shot-b',
      'shot-',
      'Shot-c',
      'a.b',
      'STATE',
      'z-1',
      'z-2',
    ];
    for (const key of keys) await put(id, key, key, text);
    const pageOf = async (query: string) =>
      (await server.call(`/signalbox/v1/key-value-stores/${id}/key-groups?${query}`)).json;
    const namesOf = ({ items }: Json) =>
      (items as Json[]).map(({ prefix, record }) => (prefix as string | undefined) ?? `=${record.key}`);
    const all = await pageOf('delimiter=-');
    assert.deepEqual(namesOf(all), ['=STATE', 'Shot-', '=a.b', 'shot-', 'z-']);
    assert.equal(all['next'], undefined);
    const [state] = all['items'] as Json[];
    assert.deepEqual([state!['record'].size, state!['record'].contentType], [5, 'text/plain; charset=utf-8']);
    assert.deepEqual(namesOf(await pageOf('delimiter=-&prefix=shot-')), ['=shot-', 'shot-a-', '=shot-b']);
    assert.deepEqual(namesOf(await pageOf('delimiter=-&prefix=shot-a-')), [
      '=shot-a-',
      '=shot-a-1',
      '=shot-a-2',
    ]);
    assert.deepEqual(namesOf(await pageOf('delimiter=.&prefix=a')), ['a.']);
    assert.deepEqual(namesOf(await pageOf('delimiter=-&prefix=nothing')), []);
    const walked: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await pageOf(`delimiter=-&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      walked.push(...namesOf(page));
      cursor = page['next'] as string | undefined;
    }
    assert.deepEqual(walked, namesOf(all));
    for (const query of ['', 'delimiter=/', 'delimiter=--', 'delimiter=-&limit=0'])
      assert.equal(
        (await server.call(`/signalbox/v1/key-value-stores/${id}/key-groups?${query}`)).status,
        422,
        query,
      );
  });

  test('a record is written only while it has the ETag that If-Match names', async () => {
    const { id } = await make();
    await put(id, 'note', 'first', text);
    const etag = (await get(id, 'note')).headers['etag'] as string;
    const ifMatch = (tag: string) => ({ headers: { ...text.headers, 'if-match': tag } });
    assert.equal((await put(id, 'note', 'second', ifMatch(etag))).status, 201);
    const late = await put(id, 'note', 'third', ifMatch(etag));
    assert.deepEqual([late.status, late.json['error'].type], [409, 'concurrent-update-detected']);
    assert.equal((await put(id, 'note', Buffer.alloc(100_000), ifMatch(etag))).status, 409);
    assert.equal((await get(id, 'note')).body.toString(), 'second');
    assert.equal((await put(id, 'note', 'fourth', ifMatch('*'))).status, 201);
    assert.equal((await put(id, 'note', 'fifth', ifMatch('not quoted'))).status, 400);
    const present = (await get(id, 'note')).headers['etag'] as string;
    await remove(id, 'note');
    assert.equal((await put(id, 'note', 'sixth', ifMatch(present))).status, 409);
    assert.equal((await stats(id))['storageBytes'], 0);
  });

  test('of writes that replace the same ETag at once, one succeeds', async () => {
    const { id } = await make();
    await put(id, 'note', 'first', text);
    const etag = (await get(id, 'note')).headers['etag'] as string;
    const headers = { ...text.headers, 'if-match': etag };
    const writes = await Promise.all(
      Array.from({ length: 8 }, (_, number) => put(id, 'note', `by ${number}`, { headers })),
    );
    assert.deepEqual(
      writes.map(({ status }) => status).toSorted((one, other) => one - other),
      [201, ...Array(7).fill(409)],
    );
    assert.equal((await stats(id))['storageBytes'], 4);
  });

  test('a request is found by its id, its unique key and its URL', async () => {
    const queue = (await server.call('/v2/request-queues', { method: 'POST' })).json['data'].id as string;
    const add = async (body: Json) =>
      (await server.call(`/v2/request-queues/${queue}/requests`, { method: 'POST', body })).json['data']
        .requestId as string;
    const plain = await add({ url: 'https://shop.example.com/p?b=2&a=1', userData: { page: 7 } });
    const named = await add({ url: 'https://shop.example.com/q', uniqueKey: 'P-001' });
    const find = async (q: string) => {
      const path = `/signalbox/v1/request-queues/${queue}/requests/find?q=${encodeURIComponent(q)}`;
      return ((await server.call(path)).json['items'] as Json[]).map(({ id }) => id as string);
    };
    assert.deepEqual(await find(plain), [plain]);
    assert.deepEqual(await find('https://shop.example.com/p?a=1&b=2&utm_source=x#top'), [plain]);
    assert.deepEqual(await find(' P-001 '), [named]);
    assert.deepEqual(await find('https://shop.example.com/q'), []);
    const path = `/signalbox/v1/request-queues/${queue}/requests/find`;
    assert.equal((await server.call(`${path}?q=`)).status, 422);
    assert.equal((await server.call(path)).status, 422);
  });

  test('requests are listed by state, and looking on makes nobody a client of the queue', async () => {
    const { id: queue } = (await server.call('/v2/request-queues', { method: 'POST' })).json['data'] as Json;
    const at = `/v2/request-queues/${queue}`;
    const urls = ['a', 'b', 'c', 'd'].map((name) => `https://shop.example.com/${name}`);
    for (const url of urls)
      await server.call(`${at}/requests?clientKey=crawler`, { method: 'POST', body: { url } });
    await server.call(`${at}/head/lock?clientKey=crawler&lockSecs=60&limit=1`, { method: 'POST' });
    const list = async (query: string) =>
      (await server.call(`/signalbox/v1/request-queues/${queue}/requests?${query}`)).json;
    const urlsOf = (page: Json) => (page['items'] as Json[]).map(({ url }) => url as string);
    const locked = await list('state=locked');
    assert.deepEqual(urlsOf(locked), [urls[0]]);
    assert.equal(locked['items'][0].lockByClient, 'crawler');
    const first = await list('state=pending&limit=2');
    const second = await list(`state=pending&limit=2&cursor=${first['next']}`);
    assert.deepEqual([...urlsOf(first), ...urlsOf(second)], urls.slice(1));
    assert.equal(second['next'], undefined);
    assert.deepEqual(urlsOf(await list('state=any')).toSorted(), urls);
    const bad = ['state=lost', 'limit=0', `cursor=${first['next']}`, 'cursor=x'];
    for (const query of bad)
      assert.equal(
        (await server.call(`/signalbox/v1/request-queues/${queue}/requests?${query}`)).status,
        422,
        query,
      );
    assert.equal((await server.call(at)).json['data'].hadMultipleClients, false);
  });

  test('requests that were handled with errors are counted and listed', async () => {
    const { id: queue } = (await server.call('/v2/request-queues', { method: 'POST' })).json['data'] as Json;
    const add = async (name: string, fields: object) =>
      (
        await server.call(`/v2/request-queues/${queue}/requests`, {
          method: 'POST',
          body: { url: `https://shop.example.com/${name}`, uniqueKey: name, ...fields },
        })
      ).json['data'].requestId as string;
    const handledAt = '2026-06-01T00:00:00.000Z';
    const failed = [
      await add('a', { handledAt, errorMessages: ['HTTP 503'], retryCount: 3 }),
      await add('b', { handledAt, errorMessages: ['HTTP 503', 'It "timed out"\nafter 30 s'] }),
      await add('f', { handledAt, errorMessages: [`HTTP 404 ${'x'.repeat(9000)}`, 'HTTP 500'] }),
    ].toSorted((one, other) => (one < other ? -1 : 1));
    await add('c', { handledAt, errorMessages: [], userData: { errorMessages: ['no'] } });
    await add('d', { errorMessages: ['HTTP 503'] });
    await add('e', { handledAt });
    const path = `/signalbox/v1/request-queues/${queue}/requests/failed`;
    const { items, ...rest } = (await server.call(path)).json as { items: Json[] };
    const ends = items.map((item) => (item['errorMessages'] as string[]).at(-1)!);
    assert.deepEqual(rest, {
      failed: 3,
      isPartial: false,
      errors: [
        { text: 'HTTP <n>', example: ends.find((end) => end.startsWith('HTTP')), count: 2 },
        { text: 'It "timed out"\nafter <n> s', example: 'It "timed out"\nafter 30 s', count: 1 },
      ],
    });
    assert.deepEqual(
      items.map(({ id }) => id),
      failed,
    );
    const [first] = (await server.call(`${path}?limit=1`)).json['items'] as Json[];
    assert.equal(first!['id'], failed[0]);
    const timedOut = await server.call(`${path}?error=${encodeURIComponent('It "timed out"\nafter <n> s')}`);
    assert.deepEqual(
      timedOut.json['items'].map(({ uniqueKey }: Json) => uniqueKey),
      ['b'],
    );
    assert.equal(timedOut.json['failed'], 3);
    assert.deepEqual((await server.call(`${path}?error=other`)).json['items'], []);
    assert.equal((await server.call(`${path}?limit=0`)).status, 422);
  });

  test('storages of others are not found', async () => {
    const store = (await make())['id'] as string;
    const queue = (await server.call('/v2/request-queues', { method: 'POST' })).json['data'].id as string;
    const eve = await join(server, 'eve', { role: 'owner' });
    const { value: token } = await giveToken(server, eve, { role: 'owner' });
    const paths = [
      `key-value-stores/${store}/keys`,
      `key-value-stores/${store}/key-groups?delimiter=-`,
      `request-queues/${queue}/requests/find?q=x`,
      `request-queues/${queue}/requests`,
      `request-queues/${queue}/requests/failed`,
    ];
    for (const path of paths) {
      assert.equal((await server.call(`/signalbox/v1/${path}`, { token })).status, 404, path);
      assert.equal((await server.call(`/signalbox/v1/${path}`, { token: null })).status, 401, path);
    }
  });
});
