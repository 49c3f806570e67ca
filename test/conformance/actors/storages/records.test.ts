// Records of key-value stores on a running server with each engine: rules A10 and A11.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { onEachEngine } from '../../../engines.ts';
import type { TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { recordCalls, type RawAnswer } from './records-calls.ts';

const KB = 1024;
/** Around the size at which a record moves out of its row. */
const SIZES = [0, 1, 64 * KB, 64 * KB + 1, 300 * KB];

onEachEngine((engine) => {
  let server: TestServer;
  const { make, put, get, remove, stats, blobs, at } = recordCalls(() => server);
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  test('A11 POST writes a record as PUT does', async () => {
    const { id } = await make();
    const path = `/v2/key-value-stores/${id}/records/greeting`;
    const headers = { 'content-type': 'text/plain' };
    const { status, json } = await server.call(path, { method: 'POST', body: 'hello', headers });
    assert.deepEqual([status, json], [201, { data: {} }]);
    assert.equal((await server.call(path)).text, 'hello');
  });

  test('A11 a record of any content type and size comes back byte for byte', async () => {
    const { id } = await make();
    const types = [
      'image/png',
      'text/plain; charset=utf-8',
      'application/vnd.x+json; v=1',
      'text/html',
      'x/y; a="b"',
    ];
    for (const [index, size] of SIZES.entries()) {
      const content = randomBytes(size);
      const type = types[index]!;
      const answer = await put(id, `record-${size}`, content, { headers: { 'content-type': type } });
      assert.equal(answer.status, 201, `${size}`);
      assert.deepEqual(answer.json, { data: {} });
      const path = new URL(answer.headers['location'] as string).pathname;
      assert.equal(path, `/v2/key-value-stores/${id}/records/record-${size}`);
      const { status, headers, body } = await get(id, `record-${size}`);
      assert.deepEqual([status, headers['content-type']], [200, type], `${size}`);
      assert.equal(headers['content-length'], String(size));
      assert.ok(body.equals(content), `${size}`);
    }
    assert.equal(
      (await stats(id))['storageBytes'],
      SIZES.reduce((sum, size) => sum + size),
    );
  });

  test('A11 POST writes as PUT does, and a body of unknown length is taken', async () => {
    const { id } = await make();
    assert.equal((await put(id, 'posted', 'one', { method: 'POST' })).status, 201);
    assert.equal((await get(id, 'posted')).body.toString(), 'one');
    const content = randomBytes(200 * KB);
    const pieces = Readable.from([
      content.subarray(0, 10),
      content.subarray(10, 90_000),
      content.subarray(90_000),
    ]);
    assert.equal((await put(id, 'chunked', pieces)).status, 201);
    const { body, headers } = await get(id, 'chunked');
    assert.ok(body.equals(content));
    assert.equal(headers['content-type'], 'application/octet-stream');
  });

  test('A11 a record is replaced as a whole, in a row or in a blob', async () => {
    const { id } = await make();
    const sooner = (await blobs()).length;
    for (const size of [10, 100 * KB, 200 * KB, 20, 0]) {
      const content = randomBytes(size);
      await put(id, 'one', content, { headers: { 'content-type': `type/${size}` } });
      const { body, headers } = await get(id, 'one');
      assert.ok(body.equals(content), `${size}`);
      assert.equal(headers['content-type'], `type/${size}`);
      assert.equal((await stats(id))['storageBytes'], size);
      assert.equal((await blobs()).length - sooner, size > 64 * KB ? 1 : 0, `${size}`);
    }
  });

  test('A11 of many writes to one key at once, one is kept whole, with at most one blob', async () => {
    const { id } = await make();
    const sooner = (await blobs()).length;
    const contents = Array.from({ length: 12 }, (_, i) => Buffer.alloc(i % 3 === 0 ? 1000 : 100 * KB + i, i));
    const answers = await Promise.all(contents.map((content) => put(id, 'one', content)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    const { body } = await get(id, 'one');
    assert.ok(contents.some((content) => content.equals(body)));
    const { storageBytes, writeCount } = await stats(id);
    assert.deepEqual([storageBytes, writeCount], [body.length, 12]);
    assert.equal((await blobs()).length - sooner, body.length > 64 * KB ? 1 : 0);
  });

  test('A11 what is written and deleted at once leaves no blob without a record', async () => {
    const { id } = await make();
    const sooner = (await blobs()).length;
    const calls: Promise<RawAnswer>[] = [];
    for (let i = 0; i < 12; i += 1) {
      calls.push(put(id, 'one', Buffer.alloc(100 * KB, i)), remove(id, 'one'));
    }
    await Promise.all(calls);
    const { status, body } = await get(id, 'one');
    assert.equal((await blobs()).length - sooner, status === 200 ? 1 : 0);
    assert.equal((await stats(id))['storageBytes'], status === 200 ? body.length : 0);
  });

  test('A11 who reads while a record is replaced gets the one or the other', async () => {
    const { id } = await make();
    const contents = Array.from({ length: 10 }, (_, i) => Buffer.alloc(100 * KB, i));
    await put(id, 'one', contents[0]);
    const reads: Promise<RawAnswer>[] = [];
    for (const content of contents) {
      const writing = put(id, 'one', content);
      for (let i = 0; i < 4; i += 1) reads.push(get(id, 'one'));
      await writing;
    }
    for (const { status, body } of await Promise.all(reads)) {
      assert.equal(status, 200);
      assert.ok(contents.some((content) => content.equals(body)));
    }
  });

  test('A11 a content encoding is kept, and given as it is to who admits it', async () => {
    const { id } = await make();
    const plain = Buffer.from('compress me '.repeat(20_000));
    for (const [encoding, packed] of [
      ['gzip', gzipSync(plain)],
      ['br', brotliCompressSync(plain)],
      ['deflate', deflateSync(plain)],
    ] as const) {
      await put(id, encoding, packed, {
        headers: { 'content-encoding': encoding, 'content-type': 'text/plain' },
      });
      for (const accepted of [encoding, `x, ${encoding};q=0.5`, '*']) {
        const { headers, body } = await get(id, encoding, { headers: { 'accept-encoding': accepted } });
        assert.deepEqual(
          [headers['content-encoding'], headers['vary']],
          [encoding, 'Accept-Encoding'],
          accepted,
        );
        assert.ok(body.equals(packed), accepted);
      }
      for (const headers of [
        {},
        { 'accept-encoding': 'identity' },
        { 'accept-encoding': `${encoding};q=0, *` },
      ]) {
        const answer = await get(id, encoding, { headers });
        assert.deepEqual([answer.status, answer.headers['content-encoding']], [200, undefined]);
        assert.ok(answer.body.equals(plain), encoding);
      }
      const head = await get(id, encoding, { method: 'HEAD' });
      assert.deepEqual([head.status, head.headers['content-length']], [200, undefined]);
    }
    assert.equal(
      (await put(id, 'plain', plain, { headers: { 'content-encoding': 'identity' } })).status,
      201,
    );
    const { headers } = await get(id, 'plain', { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(headers['content-encoding'], undefined);
  });

  test('A10 content that is not what its encoding says is an error, not a hang', async () => {
    const { id } = await make();
    const packed = gzipSync(randomBytes(300 * KB));
    for (const [key, content] of [
      ['nonsense', Buffer.from('not at all')],
      ['large-nonsense', randomBytes(100 * KB)],
    ] as const) {
      await put(id, key, content, { headers: { 'content-encoding': 'gzip' } });
      const answer = await get(id, key);
      assert.deepEqual([answer.status, answer.json['error'].type], [406, 'invalid-header'], key);
      const asSent = await get(id, key, { headers: { 'accept-encoding': 'gzip' } });
      assert.ok(asSent.body.equals(content), key);
    }
    await put(id, 'cut', packed.subarray(0, -1000), { headers: { 'content-encoding': 'gzip' } });
    await assert.rejects(get(id, 'cut'), { code: 'ECONNRESET' });
  });

  test('A10 HEAD tells the same and has no body', async () => {
    const { id } = await make();
    for (const size of [5, 100 * KB]) {
      await put(id, 'one', randomBytes(size), { headers: { 'content-type': 'image/gif' } });
      const [told, given] = [await get(id, 'one', { method: 'HEAD' }), await get(id, 'one')];
      assert.deepEqual([told.status, told.body.length], [200, 0]);
      for (const name of ['content-type', 'content-length', 'etag', 'last-modified']) {
        assert.equal(told.headers[name], given.headers[name], name);
      }
    }
    assert.equal((await get(id, 'absent', { method: 'HEAD' })).status, 404);
  });

  test('A10 a record that is known already is not sent again', async () => {
    const { id } = await make();
    await put(id, 'one', 'first');
    const etag = (await get(id, 'one')).headers['etag'] as string;
    for (const tag of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
      const { status, body } = await get(id, 'one', { headers: { 'if-none-match': tag } });
      assert.deepEqual([status, body.length], [304, 0], tag);
    }
    await put(id, 'one', 'second');
    const { status, body, headers } = await get(id, 'one', { headers: { 'if-none-match': etag } });
    assert.deepEqual([status, body.toString()], [200, 'second']);
    assert.notEqual(headers['etag'], etag);
  });

  test('A10 a part of a record is given by range', async () => {
    const { id } = await make();
    for (const size of [1000, 100 * KB]) {
      const content = randomBytes(size);
      await put(id, 'one', content);
      for (const [range, start, end] of [
        ['bytes=0-0', 0, 0],
        ['bytes=10-19', 10, 19],
        ['bytes=990-', 990, size - 1],
        ['bytes=-7', size - 7, size - 1],
        [`bytes=5-${size * 2}`, 5, size - 1],
      ] as const) {
        const { status, headers, body } = await get(id, 'one', { headers: { range } });
        assert.deepEqual([status, headers['content-range']], [206, `bytes ${start}-${end}/${size}`], range);
        assert.ok(body.equals(content.subarray(start, end + 1)), range);
      }
      for (const range of ['bytes=5-2', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=-', 'nonsense']) {
        const { status, body } = await get(id, 'one', { headers: { range } });
        assert.deepEqual([status, body.length], [200, size], range);
      }
      const beyond = await get(id, 'one', { headers: { range: `bytes=${size}-` } });
      assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, `bytes */${size}`]);
      const { etag } = (await get(id, 'one')).headers;
      const same = await get(id, 'one', { headers: { range: 'bytes=0-1', 'if-range': etag as string } });
      const other = await get(id, 'one', { headers: { range: 'bytes=0-1', 'if-range': '"other"' } });
      assert.deepEqual([same.status, other.status], [206, 200]);
    }
  });

  test('A10 an attachment is to be saved; whatever the type, a browser keeps it out of this origin', async () => {
    const { id } = await make();
    const html = { headers: { 'content-type': 'text/html; charset=utf-8' } };
    await put(id, "it's(1).html", '<script>1</script>', html);
    await put(id, 'text', 'x', { headers: { 'content-type': 'text/plain' } });
    const shown = await get(id, "it's(1).html");
    assert.match(shown.headers['content-security-policy'] as string, /^sandbox/);
    assert.equal(shown.headers['content-disposition'], undefined);
    assert.equal(shown.body.toString(), '<script>1</script>');
    for (const query of ['?attachment=1', '?attachment=true']) {
      const { headers } = await get(id, "it's(1).html", {}, query);
      assert.equal(headers['content-disposition'], `attachment; filename="it's(1).html"`, query);
    }
    const text = await get(id, 'text', {}, '?attachment=0');
    assert.equal(text.headers['content-disposition'], undefined);
    assert.equal(text.headers['content-security-policy'], 'sandbox allow-scripts');
    for (const { headers } of [shown, text]) assert.equal(headers['x-content-type-options'], 'nosniff');
  });

  test('A10 a deleted record is gone with its blob, and deleting succeeds when there is none', async () => {
    const { id } = await make();
    const sooner = (await blobs()).length;
    for (const size of [10, 100 * KB]) {
      await put(id, 'one', randomBytes(size));
      for (let time = 0; time < 2; time += 1) {
        const { status, body } = await remove(id, 'one');
        assert.deepEqual([status, body.length], [204, 0]);
      }
      const { status, json } = await get(id, 'one');
      assert.deepEqual([status, json['error'].type], [404, 'record-not-found']);
    }
    assert.equal((await blobs()).length, sooner);
    assert.equal((await stats(id))['storageBytes'], 0);
  });

  test('A10 stores count how they are used', async () => {
    const { id } = await make();
    await put(id, 'a', 'one');
    await put(id, 'a', 'three');
    await put(id, 'b', 'x');
    await get(id, 'a');
    await get(id, 'a', { method: 'HEAD' });
    await get(id, 'absent');
    await at(`/${id}/keys`);
    await remove(id, 'b');
    const expected = {
      readCount: 2,
      writeCount: 3,
      deleteCount: 1,
      listCount: 1,
      storageBytes: 5,
      s3StorageBytes: 5,
    };
    assert.deepEqual(await stats(id), expected);
    const { modifiedAt, createdAt } = (await at(`/${id}`)).json['data'] as Record<string, string>;
    assert.ok(modifiedAt! > createdAt!);
  });
});
