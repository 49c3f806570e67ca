// Key-value stores whose large records are in object storage that speaks S3. Rules A10 and A11.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { startS3, type TestS3 } from '../../../s3.ts';
import { ADMIN_TOKEN, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { recordCalls, send } from './records-calls.ts';

const KB = 1024;

onEachEngine((engine) => {
  let s3: TestS3;
  let server: TestServer;
  const { make, put, get, remove, at, stats } = recordCalls(() => server);
  before(async () => {
    s3 = await startS3();
    server = await startServerOn(engine, { limits: 'off', blobs: s3.location, ...s3.keys });
  });
  after(async () => {
    await server.stop();
    await s3.stop();
  });

  /** Follows the redirect as a client does, without the token. */
  const follow = (url: unknown, headers = {}) => send(url as string, { token: null, headers });

  test('A10 a large record is answered 302 to a temporary address, a small one with its bytes', async () => {
    const { id } = await make();
    const content = randomBytes(100 * KB);
    await put(id, 'small', 'small', { headers: { 'content-type': 'text/plain' } });
    await put(id, 'large', content, { headers: { 'content-type': 'image/png' } });
    assert.equal((await get(id, 'small')).status, 200);
    const { status, headers, body } = await get(id, 'large');
    assert.deepEqual([status, body.length, headers['cache-control']], [302, 0, 'no-store']);
    assert.ok((headers['location'] as string).startsWith(`${s3.endpoint}/`));
    const given = await follow(headers['location']);
    assert.deepEqual([given.status, given.headers['content-type']], [200, 'image/png']);
    assert.equal(given.headers['content-disposition'], undefined);
    assert.ok(given.body.equals(content));
    const part = await follow(headers['location'], { range: 'bytes=5-9' });
    assert.ok(part.status === 206 && part.body.equals(content.subarray(5, 10)));
    const saved = await follow((await get(id, 'large', {}, '?attachment=1')).headers['location']);
    assert.equal(saved.headers['content-disposition'], 'attachment; filename="large"');
  });

  test('A10 what a browser could run comes through this server, in its sandbox', async () => {
    const { id } = await make();
    const content = randomBytes(100 * KB);
    for (const type of ['text/html', 'text/xsl', 'image/svg+xml', 'x/y']) {
      await put(id, 'page', content, { headers: { 'content-type': type } });
      const { status, headers, body } = await get(id, 'page');
      assert.deepEqual([status, headers['content-type']], [200, type]);
      assert.equal(headers['content-security-policy'], 'sandbox allow-scripts', type);
      assert.ok(body.equals(content));
      const saved = await follow((await get(id, 'page', {}, '?attachment=1')).headers['location']);
      assert.equal(saved.headers['content-disposition'], 'attachment; filename="page"', type);
    }
  });

  test('A10 who follows redirects gets the record, with or without a token', async () => {
    const { id } = await make();
    const content = randomBytes(100 * KB);
    await put(id, 'large', content);
    const url = `${server.url}/v2/key-value-stores/${id as string}/records/large`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    assert.ok(response.redirected && Buffer.from(await response.arrayBuffer()).equals(content));
    const { recordPublicUrl } = (await at(`/${id}/keys`)).json['data'].items[0] as {
      recordPublicUrl: string;
    };
    assert.ok(Buffer.from(await (await fetch(recordPublicUrl)).arrayBuffer()).equals(content));
    assert.equal((await get(id, 'large', { token: null })).status, 401);
  });

  test('A10 HEAD is answered here, as the address is good for GET alone', async () => {
    const { id } = await make();
    await put(id, 'large', randomBytes(100 * KB), { headers: { 'content-type': 'image/png' } });
    const { status, headers } = await get(id, 'large', { method: 'HEAD' });
    assert.deepEqual(
      [status, headers['content-length'], headers['content-type']],
      [200, String(100 * KB), 'image/png'],
    );
    const known = await get(id, 'large', { headers: { 'if-none-match': headers['etag'] as string } });
    assert.equal(known.status, 304);
  });

  test('A10 an encoding that the caller does not take is undone here', async () => {
    const { id } = await make();
    const plain = randomBytes(200 * KB);
    const packed = gzipSync(plain);
    await put(id, 'packed', packed, { headers: { 'content-encoding': 'gzip' } });
    const decoded = await get(id, 'packed');
    assert.equal(decoded.status, 200);
    assert.ok(decoded.body.equals(plain));
    const { status, headers } = await get(id, 'packed', { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(status, 302);
    const given = await follow(headers['location']);
    assert.equal(given.headers['content-encoding'], 'gzip');
    assert.ok(given.body.equals(packed));
  });

  test('A11 what is replaced, deleted or broken off leaves no object', async () => {
    const { id } = await make();
    const sooner = s3.objects.size;
    await Promise.all(Array.from({ length: 8 }, (_, i) => put(id, 'one', Buffer.alloc(100 * KB, i))));
    assert.equal(s3.objects.size, sooner + 1);
    await put(id, 'one', 'small');
    assert.equal(s3.objects.size, sooner);
    await put(id, 'one', Buffer.alloc(9 * KB * KB, 1));
    await remove(id, 'one');
    assert.equal(s3.objects.size, sooner);

    const url = `${server.url}/v2/key-value-stores/${id as string}/records/cut`;
    const upload = request(url, { method: 'PUT', headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    upload.on('error', () => {});
    if (!upload.write(Buffer.alloc(9 * KB * KB))) await once(upload, 'drain');
    await eventually(() => s3.uploads.size > 0);
    const seen = server.log.length;
    upload.destroy();
    await eventually(() => server.log.slice(seen).some(({ failure }) => failure === 'malformed'));
    assert.deepEqual([s3.objects.size, s3.uploads.size], [sooner, 0]);
    assert.equal((await get(id, 'cut')).status, 404);
    assert.equal((await stats(id))['storageBytes'], 0);
  });

  test('A11 while the object storage is away large records are refused and small ones go on', async () => {
    const { id } = await make();
    await put(id, 'one', Buffer.alloc(100 * KB, 1));
    s3.faults.push(...Array.from({ length: 5 }, () => 500));
    const { status } = await put(id, 'one', Buffer.alloc(100 * KB, 2));
    assert.equal(status, 503);
    assert.equal((await put(id, 'small', 'small')).status, 201);
    const kept = await follow((await get(id, 'one')).headers['location']);
    assert.ok(kept.body.equals(Buffer.alloc(100 * KB, 1)));
  });

  test('A10 a deleted store takes its objects along', async () => {
    const { id } = await make();
    const sooner = s3.objects.size;
    for (let i = 0; i < 5; i += 1) await put(id, `large-${i}`, randomBytes(100 * KB));
    assert.equal(s3.objects.size, sooner + 5);
    assert.equal((await at(`/${id}`, { method: 'DELETE' })).status, 204);
    await eventually(() => s3.objects.size <= sooner);
  });

  test('A10 where clients cannot reach the object storage, records come through this server', async () => {
    const blobs = `${s3.location}&redirect=no`;
    const inner = await startServerOn(engine, { limits: 'off', blobs, ...s3.keys });
    const calls = recordCalls(() => inner);
    const { id } = await calls.make();
    const content = randomBytes(100 * KB);
    await calls.put(id, 'large', content);
    const { status, body } = await calls.get(id, 'large');
    assert.ok(status === 200 && body.equals(content));
    const part = await calls.get(id, 'large', { headers: { range: 'bytes=-5' } });
    assert.ok(part.status === 206 && part.body.equals(content.subarray(-5)));
    await inner.stop();
  });

  test('A10 no log line holds a key of the object storage', () => {
    assert.doesNotMatch(JSON.stringify(server.log), /test-secret-key|X-Amz-Signature/);
  });
});
