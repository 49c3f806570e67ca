// The rules of key-value stores that need no server: keys, encodings, collections.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Storage } from '../storages/model.ts';
import {
  acceptsEncoding,
  checkKey,
  checkStoreSchema,
  parseEncoding,
  parseKeyFilter,
  recordUrl,
  toStoreDetail,
} from './model.ts';

const storage: Storage = {
  id: 'store-1',
  kind: 'key-value-store',
  userId: 'user-1',
  name: null,
  title: null,
  generalAccess: 'FOLLOW_USER_SETTING',
  secret: 'secret',
  schema: null,
  actId: null,
  actRunId: null,
  chargesItems: false,
  createdAt: 1000,
  modifiedAt: 2000,
  accessedAt: 3000,
};
const stats = {
  readCount: 1,
  writeCount: 2,
  deleteCount: 3,
  listCount: 4,
  storageBytes: 5,
  modifiedAt: 1500,
};
const shown = { publicUrl: 'https://box.test', now: 0, maySign: true };

test('a key is made of 1 to 256 allowed characters', () => {
  for (const key of ['a', 'INPUT', `!-_.'()`, 'x'.repeat(256)]) assert.doesNotThrow(() => checkKey(key));
  for (const key of ['', 'a b', 'a/b', 'a\n', 'ä', 'x'.repeat(257), 'a*', 'a~', 'a%20']) {
    assert.throws(() => checkKey(key), { kind: 'invalid', details: { code: 'invalid-record-key' } }, key);
  }
});

test('an encoding is one of the known, or none', () => {
  for (const [header, encoding] of [
    [undefined, null],
    ['', null],
    ['identity', null],
    [' GZIP ', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
    ['deflate', 'deflate'],
  ] as const) {
    assert.equal(parseEncoding(header), encoding, header);
  }
  for (const header of ['zstd', 'gzip, br', 'constructor']) {
    assert.throws(() => parseEncoding(header), { kind: 'unsupported-encoding' }, header);
  }
});

test('an encoding is accepted if it is named or all are, and not with weight 0', () => {
  for (const [header, isAdmitted] of [
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['GZIP;q=0.1', true],
    ['br, x-gzip', true],
    ['*', true],
    ['*;q=0', false],
    ['gzip;q=0, *', false],
    ['*, gzip;q=0.000', false],
    ['*;q=0, gzip;q=0.5', true],
    ['br', false],
    ['gzipped', false],
    ['identity', false],
  ] as const) {
    assert.equal(acceptsEncoding(header, 'gzip'), isAdmitted, header);
  }
});

test('a collection is a key or a prefix, and is met together with a prefix', () => {
  const schema = { collections: { a: { keyPrefix: 'a-' }, one: { key: 'ONE' } } };
  checkStoreSchema(schema);
  assert.deepEqual(parseKeyFilter(schema, { collection: 'a', prefix: 'a-b' }), { prefixes: ['a-b', 'a-'] });
  assert.deepEqual(parseKeyFilter(schema, { collection: 'one' }), { prefixes: [''], key: 'ONE' });
  assert.deepEqual(parseKeyFilter(null, { prefix: 'x' }), { prefixes: ['x'] });
  assert.deepEqual(parseKeyFilter(schema, { collection: '' }), { prefixes: [''] });
  for (const [from, collection] of [
    [schema, 'toString'],
    [schema, 'b'],
    [null, 'a'],
    [{ collections: 5 }, 'a'],
  ] as const) {
    assert.throws(() => parseKeyFilter(from, { collection }), { details: { code: 'invalid-collection' } });
  }
});

test('a schema may contain anything except in its collections', () => {
  for (const schema of [{}, { title: 'x', other: [1] }, { collections: {} }]) checkStoreSchema(schema);
  for (const collections of [
    null,
    5,
    [1],
    { a: null },
    { a: {} },
    { a: { key: 'x', keyPrefix: 'y' } },
    { a: { key: 5 } },
  ]) {
    assert.throws(() => checkStoreSchema({ collections }), { kind: 'invalid' }, JSON.stringify(collections));
  }
});

test('addresses are signed where the store is not open to everyone', () => {
  const closed = toStoreDetail(storage, stats, shown);
  assert.match(
    closed.keysPublicUrl,
    /^https:\/\/box\.test\/v2\/key-value-stores\/store-1\/keys\?signature=\w+$/,
  );
  assert.match(closed.recordsPublicUrl, /\/records\?signature=\w+$/);
  assert.match(recordUrl('https://box.test/v2', storage, "it's"), /\/store-1\/records\/it's\?signature=\w+$/);
  for (const generalAccess of ['ANYONE_WITH_ID_CAN_READ', 'ANYONE_WITH_NAME_CAN_READ'] as const) {
    const open = { ...storage, generalAccess };
    assert.match(toStoreDetail(open, stats, shown).keysPublicUrl, /\/keys$/);
    assert.match(recordUrl('b', open, 'a'), /\/a$/);
  }
});

test('the owner sees the secret, and everyone when something last changed', () => {
  assert.equal(toStoreDetail(storage, stats, shown).urlSigningSecretKey, 'secret');
  const { modifiedAt, ...summaries } = toStoreDetail(
    storage,
    { ...stats, modifiedAt: 5000 },
    { ...shown, maySign: false },
  );
  assert.equal('urlSigningSecretKey' in summaries, false);
  assert.equal(modifiedAt, new Date(5000).toISOString());
  assert.equal(toStoreDetail(storage, stats, shown).modifiedAt, new Date(2000).toISOString());
  assert.deepEqual(summaries.stats, {
    readCount: 1,
    writeCount: 2,
    deleteCount: 3,
    listCount: 4,
    storageBytes: 5,
    s3StorageBytes: 5,
  });
});
