// Object storage only: presigned URLs, parts, retries, and messages for permanent faults.
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { startS3, type TestS3 } from '../../../../test/s3.ts';
import { openS3Blobs } from './blob-s3.ts';
import type { BlobStore } from './blob.ts';
import { type S3Settings, signHeaders, signUrl } from './s3-client.ts';
import { readS3Location } from './s3-location.ts';

const MB = 1024 * 1024;
const bytes = (words: string): Uint8Array => new TextEncoder().encode(words);

async function setUp(t: TestContext): Promise<{ s3: TestS3; settings: S3Settings; blobs: BlobStore }> {
  const s3 = await startS3();
  t.after(() => s3.stop());
  const settings = {
    ...readS3Location(s3.location),
    accessKey: s3.keys.s3AccessKey,
    secretKey: s3.keys.s3SecretKey,
    retryMs: 1,
  };
  return { s3, settings, blobs: await openS3Blobs(settings) };
}

test('a presigned URL gives the blob to anyone, with the headers that it names, until it expires', async (t) => {
  const { blobs, settings } = await setUp(t);
  await blobs.put('kv/1/a+b', bytes('content'));
  const options = {
    expiresSeconds: 60,
    contentType: 'text/plain; charset=utf-8',
    contentEncoding: 'x-test',
    disposition: `attachment; filename="it's (1).txt"`,
  };
  const url = blobs.presign!('kv/1/a+b', options);
  const response = await fetch(url);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), options.contentType);
  assert.equal(response.headers.get('content-encoding'), 'x-test');
  assert.equal(response.headers.get('content-disposition'), options.disposition);
  assert.equal(await response.text(), 'content');
  const part = await fetch(url, { headers: { range: 'bytes=1-2' } });
  assert.deepEqual([part.status, await part.text()], [206, 'on']);

  assert.equal((await fetch(url.replace('a%252Bb', 'other'))).status, 403);
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 403);
  assert.equal((await fetch(url.replace('X-Amz-Expires=60', 'X-Amz-Expires=600'))).status, 403);
  const earlier = await openS3Blobs(settings, { now: () => Date.now() });
  assert.equal((await fetch(earlier.presign!('kv/1/a+b', { ...options, expiresSeconds: 0 }))).status, 403);
});

test('without redirects there are no presigned URLs', async (t) => {
  const { settings } = await setUp(t);
  assert.equal((await openS3Blobs({ ...settings, redirects: false })).presign, undefined);
});

test('signatures are those of the published examples', () => {
  const keys = {
    region: 'us-east-1',
    accessKey: 'AKIAIOSFODNN7EXAMPLE',
    secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  };
  const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt');
  const now = Date.UTC(2013, 4, 24);
  const signed = new URL(signUrl(url, keys, 86_400, now));
  assert.equal(
    signed.searchParams.get('X-Amz-Signature'),
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
  const lists = new URL('https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J');
  const bodyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const { authorization } = signHeaders({ method: 'GET', url: lists, bodyHash }, keys, now);
  assert.match(authorization!, /34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7$/);
});

test('keys of a session are sent along', () => {
  const keys = { region: 'r', accessKey: 'a', secretKey: 's', sessionToken: 'token/1' };
  const url = new URL('https://s3.test/b/o');
  const headers = signHeaders({ method: 'GET', url, bodyHash: '' }, keys, 0);
  assert.equal(headers['x-amz-security-token'], 'token/1');
  assert.match(headers['authorization']!, /x-amz-date;x-amz-security-token,/);
  assert.equal(new URL(signUrl(url, keys, 1, 0)).searchParams.get('X-Amz-Security-Token'), 'token/1');
});

test('faults that pass are waited out', async (t) => {
  const { s3, blobs } = await setUp(t);
  s3.faults.push(500, 503, 'cut', 429);
  await blobs.put('key', bytes('content'));
  s3.faults.push('cut', 500);
  assert.equal(await text((await blobs.get('key'))!.stream()), 'content');
  s3.faults.push(503);
  assert.deepEqual((await Array.fromAsync(blobs.list())).length, 1);
  s3.faults.push(500);
  await blobs.delete('key');
  assert.equal(s3.objects.size, 0);
});

test('permanent faults are reported, and not retried for ever', async (t) => {
  const { s3, blobs } = await setUp(t);
  const unavailable = { kind: 'unavailable', message: /refused PUT in test-bucket \(InternalError\)/ };
  s3.faults.push(...Array.from({ length: 5 }, () => 500));
  await assert.rejects(blobs.put('key', bytes('content')), unavailable);
  assert.equal(s3.faults.length, 0);
  s3.faults.push(400);
  await assert.rejects(blobs.put('key', bytes('content')), unavailable);
  assert.equal(s3.objects.size, 0);
  s3.faults.push(...Array.from({ length: 5 }, () => 'cut' as const));
  await assert.rejects(blobs.get('key'), { kind: 'unavailable', message: /does not answer/ });
});

test('a large blob is uploaded in parts, and appears when it is complete', async (t) => {
  const { s3, blobs } = await setUp(t);
  const data = Buffer.alloc(20 * MB + 1);
  for (let at = 0; at < data.length; at += MB) data[at] = at / MB;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < data.length; at += 3 * MB) {
      assert.equal(s3.objects.size, 0);
      yield data.subarray(at, at + 3 * MB);
    }
  }
  s3.faults.push(503);
  assert.deepEqual(await blobs.put('large', pieces()), { size: data.length });
  assert.deepEqual(
    s3.calls.filter((call) => call.startsWith('PUT')),
    Array.from({ length: 3 }, () => 'PUT /test-bucket/some/prefix/large'),
  );
  const read: Buffer[] = [];
  for await (const chunk of (await blobs.get('large'))!.stream()) read.push(chunk as Buffer);
  assert.ok(Buffer.concat(read).equals(data));
  for (const size of [8 * MB, 16 * MB]) {
    assert.deepEqual(await blobs.put('even', data.subarray(0, size)), { size });
    assert.equal((await blobs.get('even'))!.size, size);
  }
});

test('an upload that breaks off in the middle leaves nothing', async (t) => {
  const { s3, blobs } = await setUp(t);
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(9 * MB);
    throw new Error('the client went away');
  }
  await assert.rejects(blobs.put('key', failing()), /the client went away/);
  assert.deepEqual([s3.objects.size, s3.uploads.size], [0, 0]);
  s3.faults.push(500, 500, 500, 500, 500);
  await assert.rejects(blobs.put('key', new Uint8Array(9 * MB)), { kind: 'unavailable' });
  assert.deepEqual([s3.objects.size, s3.uploads.size], [0, 0]);
});

test('opening aborts the uploads that a crash left behind, and not those in progress', async (t) => {
  const { s3, settings } = await setUp(t);
  const old = Date.now() - 25 * 60 * 60 * 1000;
  s3.uploads.set('stale', { name: 'some/prefix/a%20b', parts: new Map(), startedAt: old });
  s3.uploads.set('fresh', { name: 'some/prefix/b', parts: new Map(), startedAt: Date.now() });
  s3.uploads.set('other', { name: 'elsewhere', parts: new Map(), startedAt: old });
  await openS3Blobs(settings);
  assert.deepEqual([...s3.uploads.keys()], ['fresh', 'other']);
});

test('objects of others are left alone', async (t) => {
  const { s3, blobs } = await setUp(t);
  await blobs.put('mine', bytes('content'));
  const [stored] = s3.objects.values();
  for (const name of ['elsewhere', 'some/prefix2', 'some/prefix/%', 'some/prefix/%5C'])
    s3.objects.set(name, stored!);
  assert.deepEqual(
    (await Array.fromAsync(blobs.list())).map(({ key }) => key),
    ['mine'],
  );
});

test('a key that cannot be a name is refused', async (t) => {
  const { blobs } = await setUp(t);
  for (const key of ['', 'x'.repeat(1025), 'ü'.repeat(200)]) {
    await assert.rejects(blobs.put(key, bytes('content')), { kind: 'invalid' });
  }
});

test('faults of the storage are reported when it is opened', async (t) => {
  const { s3, settings } = await setUp(t);
  await assert.rejects(openS3Blobs({ ...settings, bucket: 'absent' }), {
    kind: 'unavailable',
    message: `There is no bucket "absent" at ${s3.endpoint}: create it, or correct --blobs.`,
  });
  const secretKey = 'not the secret';
  await assert.rejects(openS3Blobs({ ...settings, secretKey }), (error: Error) => {
    assert.match(error.message, /check the access keys/);
    assert.doesNotMatch(String(error) + String(error.cause), /not the secret/);
    return true;
  });
  await assert.rejects(openS3Blobs({ ...settings, endpoint: 'http://127.0.0.1:1' }), {
    message: /does not answer/,
  });
});

test('a location is a bucket, with a prefix, an endpoint and a region', () => {
  assert.deepEqual(readS3Location('s3://my-bucket'), {
    bucket: 'my-bucket',
    prefix: '',
    endpoint: 'https://s3.us-east-1.amazonaws.com',
    region: 'us-east-1',
    redirects: true,
  });
  assert.deepEqual(readS3Location('s3://box/a/b/?endpoint=http://minio:9000/&region=eu-1&redirect=no'), {
    bucket: 'box',
    prefix: 'a/b/',
    endpoint: 'http://minio:9000',
    region: 'eu-1',
    redirects: false,
  });
  for (const wrong of [
    's3://',
    's3:///x',
    's3://A_b',
    's3://key:secret@box',
    's3://box?endpoint=ftp://x',
    's3://box?endpoint=http://user:word@x',
    's3://box?endpoint=http://x/path',
    's3://box?redirect=maybe',
    's3://box?secret=x',
    's3://box?region=a/b',
  ]) {
    assert.throws(() => readS3Location(wrong), /^Error: a folder or s3:/, wrong);
  }
});

test('an object without a checksum, as some object storages keep them, is read', async (t) => {
  const { s3, blobs } = await setUp(t);
  await blobs.put('key', Buffer.from('content'));
  delete s3.objects.get('some/prefix/key')!.checksum;
  const blob = await blobs.get('key');
  assert.equal(await text(blob!.stream()), 'content');
});
