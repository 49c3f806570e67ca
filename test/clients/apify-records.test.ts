// The real `apify-client` on key-value stores: every method of its clients for one store and for all of them.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { ApifyApiError, ApifyClient, type KeyValueStoreClient } from 'apify-client';
import { giveToken, join } from '../people.ts';
import { startS3 } from '../s3.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

/** The client also accepts bytes and streams, although its types do not. */
const sendable = (value: unknown) => value as string;

for (const place of ['files', 'object storage']) {
  describe(`with large records in ${place}`, () => {
    let server: TestServer;
    let client: ApifyClient;
    let store: KeyValueStoreClient;
    const stops: (() => Promise<void>)[] = [];
    before(async () => {
      const s3 = place === 'files' ? undefined : await startS3();
      const blobs = s3 === undefined ? {} : { blobs: s3.location, ...s3.keys };
      server = await startServer({ ...blobs, limits: 'off' });
      stops.push(server.stop, ...(s3 === undefined ? [] : [s3.stop]));
      client = clientWith(ADMIN_TOKEN);
      store = client.keyValueStore((await client.keyValueStores().getOrCreate('shared')).id);
    });
    after(async () => {
      for (const stop of stops) await stop();
    });

    function clientWith(token?: string): ApifyClient {
      const { url: baseUrl } = server;
      return new ApifyClient({
        baseUrl,
        publicBaseUrl: baseUrl,
        maxRetries: 0,
        ...(token !== undefined && { token }),
      });
    }

    test('a store is got or made, found by id and by name, changed and deleted', async () => {
      const stores = client.keyValueStores();
      const made = await stores.getOrCreate('my-store');
      assert.ok(made.createdAt instanceof Date);
      assert.equal((await stores.getOrCreate('my-store')).id, made.id);
      for (const reference of [made.id, 'admin/my-store', '~my-store']) {
        assert.equal((await client.keyValueStore(reference).get())?.id, made.id, reference);
      }
      const one = client.keyValueStore(made.id);
      const changed = await one.update({
        name: 'other-name',
        title: 'Other',
        generalAccess: 'ANYONE_WITH_ID_CAN_READ',
      });
      assert.deepEqual(
        [changed.name, changed.title, changed.generalAccess],
        ['other-name', 'Other', 'ANYONE_WITH_ID_CAN_READ'],
      );
      assert.equal(await client.keyValueStore('admin/my-store').get(), undefined);
      await one.delete();
      assert.equal(await one.get(), undefined);
      await one.delete();
    });

    test('stores are listed, by pages and one by one', async () => {
      const mine = clientWith(
        (await giveToken(server, await join(server, 'lister', { role: 'writer' }), { role: 'writer' })).value,
      );
      const stores = mine.keyValueStores();
      for (const name of ['a', 'b', 'c']) await stores.getOrCreate(name);
      await stores.getOrCreate();
      const all = await stores.list();
      assert.deepEqual(
        all.items.map(({ name }) => name),
        ['a', 'b', 'c'],
      );
      assert.deepEqual([all.total, all.count, all.offset, all.limit, all.desc], [3, 3, 0, 1000, false]);
      const page = await stores.list({ desc: true, limit: 1, offset: 1 });
      assert.deepEqual(
        page.items.map(({ name }) => name),
        ['b'],
      );
      assert.equal((await stores.list({ unnamed: true })).total, 4);
      const names: (string | undefined)[] = [];
      for await (const { name } of stores.list({ limit: 2 })) names.push(name);
      assert.deepEqual(names, ['a', 'b']);
    });

    test('a schema is kept with the store', async () => {
      const schema = { collections: { pictures: { keyPrefix: 'pic-' } } };
      const { id } = await client.keyValueStores().getOrCreate('with-schema', { schema });
      const one = client.keyValueStore(id);
      for (const key of ['pic-1', 'other']) await one.setRecord({ key, value: key });
      const { items } = await one.listKeys({ collection: 'pictures' });
      assert.deepEqual(
        items.map(({ key }) => key),
        ['pic-1'],
      );
      await assert.rejects(one.listKeys({ collection: 'unknown' }), {
        statusCode: 400,
        type: 'invalid-collection',
      });
    });

    test('texts, objects, bytes and streams come back as what they are', async () => {
      const large = randomBytes(300_000);
      const numbers = Array.from({ length: 40_000 }, (_, i) => i);
      for (const [key, value, type, expected] of [
        ['text', 'text ü 🚂', 'text/plain; charset=utf-8', 'text ü 🚂'],
        ['object', { a: [1, null, 'ü'] }, 'application/json; charset=utf-8', { a: [1, null, 'ü'] }],
        ['number', 5, 'application/json; charset=utf-8', 5],
        ['null', null, 'application/json; charset=utf-8', null],
        ['large-object', numbers, 'application/json; charset=utf-8', numbers],
        ['long-text', 'long '.repeat(50_000), 'text/plain; charset=utf-8', 'long '.repeat(50_000)],
        ['bytes', Buffer.from([0, 255, 1]), 'application/octet-stream', Buffer.from([0, 255, 1])],
        ['large-bytes', large, 'application/octet-stream', large],
        ['stream', Readable.from([large]), 'application/octet-stream', large],
      ] as const) {
        await store.setRecord({ key, value: sendable(value) });
        const record = await store.getRecord(key);
        assert.deepEqual([record?.key, record?.contentType], [key, type]);
        assert.deepEqual(record?.value, expected, key);
      }
      await store.setRecord({ key: 'typed', value: '<p>', contentType: 'text/html' });
      assert.deepEqual(await store.getRecord('typed'), {
        key: 'typed',
        value: '<p>',
        contentType: 'text/html',
      });
    });

    test('a record is given as bytes or as a stream when asked for', async () => {
      for (const size of [10, 300_000]) {
        const value = JSON.stringify('x'.repeat(size));
        await store.setRecord({ key: 'json', value, contentType: 'application/json' });
        const asBytes = await store.getRecord('json', { buffer: true });
        assert.ok(Buffer.isBuffer(asBytes?.value));
        assert.equal(asBytes.value.toString(), value);
        const asStream = await store.getRecord('json', { stream: true });
        assert.equal((await buffer(asStream!.value)).toString(), value);
      }
    });

    test('whether a record is there is told without it, and what is not there is undefined', async () => {
      await store.setRecord({ key: 'here', value: sendable(Buffer.alloc(100_000)) });
      assert.equal(await store.recordExists('here'), true);
      assert.equal(await store.recordExists('not-here'), false);
      assert.equal(await store.getRecord('not-here'), undefined);
      await store.deleteRecord('here');
      assert.equal(await store.recordExists('here'), false);
      await store.deleteRecord('here');
    });

    test('keys are listed by pages, by prefix and one by one', async () => {
      const { id } = await client.keyValueStores().getOrCreate('keys');
      const one = client.keyValueStore(id);
      const keys = Array.from({ length: 12 }, (_, i) => `k-${String(i).padStart(2, '0')}`);
      for (const key of [...keys, 'other']) await one.setRecord({ key, value: key });
      const first = await one.listKeys({ limit: 5, prefix: 'k-' });
      assert.deepEqual([first.count, first.isTruncated, first.nextExclusiveStartKey], [5, true, 'k-04']);
      const second = await one.listKeys({
        limit: 10,
        prefix: 'k-',
        exclusiveStartKey: first.nextExclusiveStartKey,
      });
      assert.deepEqual([second.count, second.isTruncated, second.nextExclusiveStartKey], [7, false, null]);
      const seen: string[] = [];
      for await (const { key } of one.listKeys({ prefix: 'k-' })) seen.push(key);
      assert.deepEqual(seen, keys);
      const some: string[] = [];
      for await (const { key } of one.listKeys({ limit: 3 })) some.push(key);
      assert.deepEqual(some, keys.slice(0, 3));
    });

    test('public addresses open a record and the list of keys to anyone', async () => {
      const key = "it's-(1)!";
      await store.setRecord({ key, value: sendable(randomBytes(100_000)) });
      const url = await store.getRecordPublicUrl(key);
      assert.match(url, /signature=/);
      const response = await fetch(url);
      assert.deepEqual([response.status, (await response.arrayBuffer()).byteLength], [200, 100_000]);
      const list = await fetch(
        await store.createKeysPublicUrl({ limit: 1, prefix: 'it', expiresInSecs: 60 }),
      );
      const { data } = (await list.json()) as { data: { items: { key: string }[] } };
      assert.deepEqual(
        data.items.map((item) => item.key),
        [key],
      );
      assert.equal((await fetch(await store.createKeysPublicUrl())).status, 200);
      const expired = await store.createKeysPublicUrl({ expiresInSecs: 60 });
      server.clock.ahead += 61_000;
      assert.equal((await fetch(expired)).status, 403);
      server.clock.ahead = 0;
    });

    test('a signature stands in for a token', async () => {
      await store.setRecord({ key: 'signed', value: 'kept' });
      const signature = new URL(await store.getRecordPublicUrl('signed')).searchParams.get('signature')!;
      const { id } = (await store.get())!;
      const anyone = clientWith().keyValueStore(id);
      assert.equal((await anyone.getRecord('signed', { signature }))?.value, 'kept');
      await assert.rejects(anyone.getRecord('signed', { signature: 'wrong' }), { statusCode: 403 });
      const ofAll = new URL(await store.createKeysPublicUrl()).searchParams.get('signature')!;
      assert.ok((await anyone.listKeys({ signature: ofAll })).count > 0);
    });

    test('what is refused is an error with its type', async () => {
      await assert.rejects(store.setRecord({ key: 'a b', value: 'x' }), (error: unknown) => {
        assert.ok(error instanceof ApifyApiError);
        assert.deepEqual(
          [error.statusCode, error.type, error.httpMethod],
          [400, 'invalid-record-key', 'put'],
        );
        return true;
      });
      const other = await giveToken(server, await join(server, 'other', { role: 'writer' }), {
        role: 'writer',
      });
      const { id } = (await store.get())!;
      const theirs = clientWith(other.value).keyValueStore(id);
      // Another's store answers as one that is not there.
      await assert.rejects(theirs.setRecord({ key: 'a', value: 'x' }), { statusCode: 404 });
      await assert.rejects(theirs.listKeys(), { statusCode: 404, type: 'record-not-found' });
    });
  });
}
