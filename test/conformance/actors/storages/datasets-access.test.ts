// Who may read and change a dataset: owners, others, anonymous callers, and holders of a signed URL. Rules A2, A3, A28.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { signStorage, type Storage } from '../../../../src/actors/storages/model.ts';
import { giveToken, join } from '../../../people.ts';
import { startServer, type Answer, type Json, type TestServer } from '../../../server.ts';

let server: TestServer;
let other: string;
let reader: string;
before(async () => {
  server = await startServer();
  other = (await giveToken(server, await join(server, 'other', { role: 'writer' }), { role: 'writer' }))
    .value;
  reader = (await giveToken(server, await join(server, 'reader', { role: 'reader' }), { role: 'reader' }))
    .value;
});
after(() => server.stop());

const call = (path: string, token?: string | null, init = {}) =>
  server.call(`/v2/datasets${path}`, { ...(token !== undefined && { token }), ...init });

async function make(name?: string, generalAccess?: string): Promise<Json> {
  const { json } = await call(name === undefined ? '' : `?name=${name}`, undefined, { method: 'POST' });
  const { id } = json['data'] as Json;
  await call(`/${id}/items`, undefined, { method: 'POST', body: [{ secret: 42 }] });
  if (generalAccess !== undefined) {
    assert.equal((await call(`/${id}`, undefined, { method: 'PUT', body: { generalAccess } })).status, 200);
  }
  return (await call(`/${id}`)).json['data'] as Json;
}

function assertFailed({ status, json }: Answer, expected: [status: number, type: string], label?: string) {
  assert.deepEqual([status, json['error'].type], expected, label);
}

const reads = (reference: string, query = '') => [
  `/${reference}${query}`,
  `/${reference}/items${query}`,
  `/${reference}/statistics${query}`,
];

test('A2 without a token a dataset of restricted access is not shown', async () => {
  const { id } = await make('closed');
  for (const reference of [id as string, 'admin~closed']) {
    for (const path of reads(reference)) assertFailed(await call(path, null), [401, 'invalid-token'], path);
  }
  assertFailed(await call(`/${id}/items`, null, { method: 'POST', body: {} }), [401, 'invalid-token']);
  assertFailed(await call('', null, { method: 'POST' }), [401, 'invalid-token']);
  assertFailed(await call('', null), [401, 'invalid-token']);
});

test("A28 another's dataset, named or not, looks as if there were none", async () => {
  const named = await make('named');
  const unnamed = await make();
  for (const [reference, expected] of [
    [named['id'], [404, 'record-not-found']],
    ['admin~named', [404, 'record-not-found']],
    [unnamed['id'], [404, 'record-not-found']],
    ['~named', [404, 'record-not-found']],
    ['admin~nothing', [404, 'record-not-found']],
    ['nobody~named', [404, 'record-not-found']],
  ] as [string, [number, string]][]) {
    for (const path of reads(reference)) assertFailed(await call(path, other), expected, path);
    for (const [path, init] of [
      [`/${reference}/items`, { method: 'POST', body: { bad: 1 } }],
      [`/${reference}`, { method: 'PUT', body: { title: 'mine' } }],
      [`/${reference}`, { method: 'DELETE' }],
    ] as const) {
      assertFailed(await call(path, other, init), expected, `${init.method} ${path}`);
    }
  }
  for (const { id } of [named, unnamed]) {
    const { data } = (await call(`/${id}`)).json;
    assert.deepEqual([data.itemCount, data.title], [1, null]);
  }
});

test('A28 one may have a dataset of the same name as another', async () => {
  const mine = await make('shared-name');
  const theirs = await call('?name=shared-name', other, { method: 'POST' });
  assert.equal(theirs.status, 201);
  assert.notEqual(theirs.json['data'].id, mine['id']);
  assert.equal((await call('/~shared-name', other)).json['data'].id, theirs.json['data'].id);
  const listed = (await call('?unnamed=1', other)).json['data'].items as Json[];
  assert.deepEqual(
    listed.map(({ id }) => id as string),
    [theirs.json['data'].id],
  );
});

test('A3 nobody comes to stand for another by having their id as a username', async () => {
  const victim = await join(server, 'victim', { role: 'writer' });
  const { value: victims } = await giveToken(server, victim, { role: 'writer' });
  const plant = async (username: string) => {
    const { value } = await giveToken(server, await join(server, username, { role: 'writer' }), {
      role: 'writer',
    });
    const { json } = await call('?name=inbox', value, { method: 'POST' });
    const { id } = json['data'] as Json;
    const body = { generalAccess: 'ANYONE_WITH_NAME_CAN_READ' };
    assert.equal((await call(`/${id}`, value, { method: 'PUT', body })).status, 200);
    return id as string;
  };
  await plant(victim.id);
  for (const reference of [`${victim.id}~inbox`, '~inbox']) {
    assertFailed(await call(`/${reference}`, victims), [404, 'record-not-found'], reference);
  }
  const made = await call('?name=inbox', victims, { method: 'POST' });
  assert.equal((await call(`/${victim.id}~inbox`, victims)).json['data'].id, made.json['data'].id);
  const unlike = 'a'.repeat(24);
  const planted = await plant(unlike);
  assert.equal((await call(`/${unlike}~inbox`, victims)).json['data'].id, planted, 'it is nobody else');
});

test('A28 whoever may only read cannot make, fill or delete datasets', async () => {
  assertFailed(await call('', reader, { method: 'POST' }), [403, 'insufficient-permissions']);
  assert.equal((await call('', reader)).status, 200);
});

test('A3 what anyone with the id may read is read without a token by id, not by name', async () => {
  const { id } = await make('open-by-id', 'ANYONE_WITH_ID_CAN_READ');
  for (const path of reads(id as string)) {
    assert.equal((await call(path, null)).status, 200, path);
    assert.equal((await call(path, other)).status, 200, path);
  }
  for (const path of reads('admin~open-by-id')) {
    assertFailed(await call(path, null), [401, 'invalid-token'], path);
    assertFailed(await call(path, other), [404, 'record-not-found'], path);
  }
});

test('A3 what anyone with the name may read is read by name too', async () => {
  const { id } = await make('open-by-name', 'ANYONE_WITH_NAME_CAN_READ');
  for (const path of [...reads(id as string), ...reads('admin~open-by-name')]) {
    assert.equal((await call(path, null)).status, 200, path);
  }
});

test('A28 reading is not writing', async () => {
  const { id } = await make(undefined, 'ANYONE_WITH_NAME_CAN_READ');
  const pushing = { method: 'POST', body: { bad: 1 } };
  assertFailed(await call(`/${id}/items`, null, pushing), [401, 'invalid-token']);
  assertFailed(await call(`/${id}/items`, other, pushing), [403, 'insufficient-permissions']);
  assertFailed(await call(`/${id}`, other, { method: 'DELETE' }), [403, 'insufficient-permissions']);
  assert.equal((await call(`/${id}`)).json['data'].itemCount, 1);
});

test('A28 the key that signs URLs is shown to the owner alone', async () => {
  const { id } = await make(undefined, 'ANYONE_WITH_ID_CAN_READ');
  assert.ok((await call(`/${id}`)).json['data'].urlSigningSecretKey.length > 20);
  for (const token of [null, other]) {
    const { text, json } = await call(`/${id}`, token);
    assert.ok(!text.includes('urlSigningSecretKey'));
    assert.equal(json['data'].itemsPublicUrl, `${server.url}/v2/datasets/${id}/items`);
  }
  assert.ok(!(await call('?unnamed=1')).text.includes('urlSigningSecretKey'));
});

test('A28 the public URL of a restricted dataset is signed, and opens its items for fourteen days', async () => {
  const { id, itemsPublicUrl } = await make();
  assert.match(itemsPublicUrl, /\?signature=/);
  const path = (itemsPublicUrl as string).slice(`${server.url}/v2/datasets`.length);
  assert.deepEqual((await call(path, null)).json, [{ secret: 42 }]);
  assert.deepEqual((await call(path, other)).json, [{ secret: 42 }]);
  assert.equal((await call(`${path}&format=csv`, null, { method: 'HEAD' })).status, 200);
  const signature = new URL(itemsPublicUrl).searchParams.get('signature')!;
  assertFailed(await call(`/${id}/items?signature=${signature}`, null, { method: 'POST', body: {} }), [
    401,
    'invalid-token',
  ]);
  server.clock.ahead += 15 * 24 * 60 * 60 * 1000;
  assertFailed(await call(path, null), [403, 'invalid-signature']);
  server.clock.ahead = 0;
});

test('A28 a signature is good with the padding of base64 and without', async () => {
  const { id, urlSigningSecretKey: secret } = await make();
  const padded = new Set<number>();
  // Longer times give longer texts, and so every padding.
  const later = Date.now() + 86_400_000;
  for (let expiresAt = 0; padded.size < 2; expiresAt = expiresAt === 0 ? later : expiresAt * 3) {
    assert.ok(expiresAt < Number.MAX_SAFE_INTEGER, 'another padding');
    const signature = signStorage({ id, secret } as Storage, expiresAt);
    const padding = '='.repeat((4 - (signature.length % 4)) % 4);
    padded.add(padding.length);
    for (const text of [signature, signature + padding, encodeURIComponent(signature + padding)]) {
      assert.deepEqual((await call(`/${id}/items?signature=${text}`, null)).json, [{ secret: 42 }], text);
    }
  }
});

test('A28 a signature that is not right opens nothing', async () => {
  const mine = await make();
  const { id, urlSigningSecretKey: secret } = mine;
  const storage = { id, secret } as Storage;
  const good = signStorage(storage);
  assert.equal((await call(`/${id}/items?signature=${good}`, null)).status, 200);
  assertFailed(await call(`/${id}/items?signature=${good}=====`, null), [403, 'invalid-signature']);
  const expired = signStorage(storage, Date.now() - 1);
  const elsewhere = signStorage({ ...storage, id: 'another' });
  for (const signature of [expired, elsewhere, `${good}x`, good.slice(1), 'x', '0.0.0', '%00', 'MC4w']) {
    const { status } = await call(`/${id}/items?signature=${signature}`, null);
    assert.ok(status === 403 || (signature === '%00' && status === 400), `${signature}: ${status}`);
  }
  assertFailed(await call(`/${id}/items?signature=${expired}`, other), [403, 'invalid-signature']);
  assert.equal((await call(`/${id}/items?signature=wrong`)).status, 200, 'the owner needs none');
});

test('A3 changing a name changes how a dataset is found', async () => {
  const { id } = await make('first-name');
  assert.equal(
    (await call('/~first-name', undefined, { method: 'PUT', body: { name: 'second-name' } })).status,
    200,
  );
  assertFailed(await call('/~first-name'), [404, 'record-not-found']);
  assert.equal((await call('/~second-name/items')).json['length'], 1);
  await make('taken');
  const taken = await call(`/${id}`, undefined, { method: 'PUT', body: { name: 'taken' } });
  assertFailed(taken, [409, 'name-not-unique']);
  assert.equal(
    (await call(`/${id}`, undefined, { method: 'PUT', body: { name: null } })).json['data'].name,
    null,
  );
});
