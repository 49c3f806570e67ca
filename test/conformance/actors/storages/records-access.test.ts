// Who may use a key-value store, and how it is named, with each engine. Rules A1, A2, A3 and A28 for records.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Member } from '../../../../src/kernel/identity/store-members.ts';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join } from '../../../people.ts';
import { ADMIN_TOKEN, type Json, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { namesOf, recordCalls, type RawAnswer, type RawInit } from './records-calls.ts';

const DAY = 24 * 60 * 60 * 1000;

onEachEngine((engine) => {
  let server: TestServer;
  let ada: Member;
  let adas: string;
  let readers: string;
  const { make, put, get, remove, keys, at } = recordCalls(() => server);
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await join(server, 'ada', { role: 'writer' });
    adas = (await giveToken(server, ada, { role: 'writer' })).value;
    readers = (await giveToken(server, ada, { role: 'reader' })).value;
  });
  after(() => server.stop());

  const change = (id: string, body: Json, token = ADMIN_TOKEN) =>
    at(`/${id}`, {
      method: 'PUT',
      token,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const fails = ({ status, json }: RawAnswer, expected: [number, string], label?: string) =>
    assert.deepEqual([status, json['error'].type], expected, label);

  /** Every call that reads and every call that writes, on one store. */
  const reads = (id: string, init: RawInit): Promise<RawAnswer>[] => [
    at(`/${id}`, init),
    at(`/${id}/keys`, init),
    at(`/${id}/records`, init),
    get(id, 'one', init),
  ];
  const writes = (id: string, init: RawInit): Promise<RawAnswer>[] => [
    put(id, 'one', 'changed', init),
    put(id, 'one', 'changed', { method: 'POST', ...init }),
    put(id, 'one', Buffer.alloc(100_000), init),
    remove(id, 'one', init),
    at(`/${id}`, { method: 'DELETE', ...init }),
    at(`/${id}`, {
      method: 'PUT',
      body: '{"title":"x"}',
      headers: { 'content-type': 'application/json' },
      ...init,
    }),
  ];

  test('A3 a store is named by id, by owner and name, or by name alone', async () => {
    const { id } = await make('?name=of-admin');
    await put(id, 'one', 'admin');
    const own = await make('?name=of-admin', { token: adas });
    await put(own['id'], 'one', 'ada', { token: adas });
    for (const reference of [id, 'admin~of-admin', '~of-admin']) {
      assert.equal((await get(reference, 'one')).body.toString(), 'admin', reference);
      assert.equal((await at(`/${reference}`)).json['data'].id, id, reference);
    }
    assert.equal((await get('~of-admin', 'one', { token: adas })).body.toString(), 'ada');
    assert.equal((await get('ada~of-admin', 'one', { token: adas })).body.toString(), 'ada');
    for (const reference of ['nothing', '~nothing', 'nobody~of-admin', 'of-admin']) {
      for (const answer of await Promise.all([...reads(reference, {}), ...writes(reference, {})])) {
        fails(answer, [404, 'record-not-found'], reference);
      }
    }
  });

  test('A2 every call needs a token, and nothing changes without one', async () => {
    const { id } = await make();
    await put(id, 'one', 'kept');
    for (const token of [null, 'api-wrong']) {
      for (const answer of await Promise.all([...reads(id, { token }), ...writes(id, { token })])) {
        fails(answer, [401, 'invalid-token']);
      }
    }
    fails(await at('', { token: null }), [401, 'invalid-token']);
    fails(await at('', { method: 'POST', token: null }), [401, 'invalid-token']);
    assert.equal((await get(id, 'one')).body.toString(), 'kept');
    const inUrl = await get(id, 'one', { token: null }, `?token=${ADMIN_TOKEN}`);
    assert.equal(inUrl.body.toString(), 'kept');
  });

  test('A28 a store of someone else is not found, named or not', async () => {
    const [unnamed, named] = [await make(), await make('?name=private')];
    for (const { id } of [unnamed, named] as Json[]) await put(id, 'one', 'kept');
    for (const answer of await Promise.all([
      ...reads(unnamed['id'], { token: adas }),
      ...writes(unnamed['id'], { token: adas }),
    ])) {
      fails(answer, [404, 'record-not-found']);
    }
    for (const answer of await Promise.all([
      ...reads(named['id'], { token: adas }),
      ...writes(named['id'], { token: adas }),
    ])) {
      fails(answer, [404, 'record-not-found']);
    }
    for (const { id } of [unnamed, named] as Json[]) {
      assert.equal((await get(id, 'one')).body.toString(), 'kept');
      assert.deepEqual(namesOf(await keys(id)), ['one']);
    }
  });

  test("A28 a token that may only read reads one's own and changes nothing", async () => {
    const { id } = await make('?name=to-read', { token: adas });
    await put(id, 'one', 'kept', { token: adas });
    for (const { status } of await Promise.all(reads(id, { token: readers }))) assert.equal(status, 200);
    for (const answer of await Promise.all(writes(id, { token: readers }))) {
      fails(answer, [403, 'insufficient-permissions']);
    }
    fails(await at('?name=more', { method: 'POST', token: readers }), [403, 'insufficient-permissions']);
    assert.equal((await get(id, 'one', { token: adas })).body.toString(), 'kept');
  });

  test('A28 general access opens a store to readers, never to writers', async () => {
    const { id } = await make('?name=open');
    await put(id, 'one', 'kept');
    const statuses = async (reference: string, token: string | null) =>
      (await Promise.all(reads(reference, { token }))).map(({ status }) => status);
    const [ALL, REFUSED] = [
      [200, 200, 200, 200],
      [401, 401, 401, 401],
    ];
    await change(id, { generalAccess: 'ANYONE_WITH_ID_CAN_READ' });
    assert.deepEqual(await statuses(id, null), ALL);
    assert.deepEqual(await statuses(id, adas), ALL);
    assert.deepEqual(await statuses('admin~open', null), REFUSED);
    await change(id, { generalAccess: 'ANYONE_WITH_NAME_CAN_READ' });
    assert.deepEqual(await statuses(id, null), ALL);
    assert.deepEqual(await statuses('admin~open', null), ALL);
    for (const answer of await Promise.all(writes(id, { token: adas }))) {
      fails(answer, [403, 'insufficient-permissions']);
    }
    for (const answer of await Promise.all(writes(id, { token: null })))
      fails(answer, [401, 'invalid-token']);
    const [{ recordPublicUrl }] = (await keys(id, '', { token: null }))['items'] as [Json];
    assert.equal(new URL(recordPublicUrl as string).search, '');
    await change(id, { generalAccess: 'RESTRICTED' });
    assert.deepEqual(await statuses(id, null), REFUSED);
    assert.equal((await get(id, 'one')).body.toString(), 'kept');
  });

  test('A10 a signed address opens one record, or the store, for as long as it says', async () => {
    const { id, keysPublicUrl, recordsPublicUrl, urlSigningSecretKey } = await make('?name=signed');
    assert.equal(typeof urlSigningSecretKey, 'string');
    await put(id, 'one', 'kept');
    await put(id, 'two', 'too');
    const ofRecord = new URL((await keys(id))['items'][0].recordPublicUrl as string).search;
    const ofStore = new URL(keysPublicUrl as string).search;
    const opens = async (query: string) => [
      (await get(id, 'one', { token: null }, query)).status,
      (await get(id, 'two', { token: null }, query)).status,
      (await at(`/${id}/keys${query}`, { token: null })).status,
      (await at(`/${id}/records${query}`, { token: null })).status,
    ];
    assert.deepEqual(await opens(ofRecord), [200, 403, 403, 403]);
    assert.deepEqual(await opens(ofStore), [200, 200, 200, 200]);
    assert.deepEqual(await opens('?signature=wrong'), [403, 403, 403, 403]);
    assert.equal((await fetch(recordsPublicUrl as string)).status, 200);
    fails(await get(id, 'one', { token: null }, '?signature=x'), [403, 'invalid-signature']);
    assert.equal(
      (await get(id, 'one', { token: adas }, ofRecord)).body.toString(),
      'kept',
      "someone else's token",
    );
    for (const answer of await Promise.all([
      put(id, 'one', 'changed', { token: adas }),
      at(`/${id}/records/one${ofStore}`, { method: 'PUT', token: adas, body: 'changed' }),
      at(`/${id}/records/one${ofStore}`, { method: 'DELETE', token: adas }),
    ])) {
      fails(answer, [404, 'record-not-found'], 'a signature writes nothing');
    }
    server.clock.ahead += 15 * DAY;
    assert.deepEqual(await opens(ofStore), [403, 403, 403, 403], 'after two weeks');
    assert.deepEqual((await opens(ofRecord))[0], 200, "a record's has no end");
    server.clock.ahead = 0;
  });

  test('A10 the secret that signs is shown to the owner alone', async () => {
    const { id } = await make('?name=shown');
    await change(id, { generalAccess: 'ANYONE_WITH_ID_CAN_READ' });
    for (const token of [null, adas]) {
      const { data } = (await at(`/${id}`, { token })).json;
      assert.equal(data.urlSigningSecretKey, undefined);
      assert.equal(new URL(data.keysPublicUrl as string).search, '');
    }
    assert.ok((await at(`/${id}`)).json['data'].urlSigningSecretKey);
    assert.doesNotMatch(JSON.stringify((await at('')).json), /urlSigningSecretKey/);
  });

  test('A1 A3 stores are made once for each name, listed, renamed and deleted', async () => {
    const made = await at('?name=life', { method: 'POST', token: adas });
    const again = await at('?name=life', { method: 'POST', token: adas });
    assert.deepEqual([made.status, again.status], [201, 200]);
    const { id } = made.json['data'] as Json;
    assert.equal(again.json['data'].id, id);
    assert.match(made.headers['location'] as string, new RegExp(`/v2/key-value-stores/${id as string}$`));
    const sooner = (await at('?limit=1000', { token: adas })).json['data'] as Json;
    assert.ok(sooner['items'].some((item: Json) => item['id'] === id && item['username'] === 'ada'));
    await at('', { method: 'POST', token: adas });
    const unnamed = (await at('?unnamed=1', { token: adas })).json['data'] as Json;
    assert.equal(unnamed['total'], (sooner['total'] as number) + 1);
    const renamed = await change(id, { name: 'life-2', title: 'Second' }, adas);
    assert.deepEqual([renamed.json['data'].name, renamed.json['data'].title], ['life-2', 'Second']);
    assert.equal((await at('/~life', { token: adas })).status, 404);
    await make('?name=taken', { token: adas });
    fails(await change(id, { name: 'taken' }, adas), [409, 'name-not-unique']);
    fails(await change(id, { name: '-bad-' }, adas), [400, 'invalid-input']);
    await put(id, 'one', Buffer.alloc(100_000), { token: adas });
    assert.equal((await at(`/${id}`, { method: 'DELETE', token: adas })).status, 204);
    for (const answer of await Promise.all([...reads(id, { token: adas }), ...writes(id, { token: adas })])) {
      fails(answer, [404, 'record-not-found']);
    }
  });
});
