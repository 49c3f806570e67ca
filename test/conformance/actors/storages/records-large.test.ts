// Large records are streamed in little memory, and an aborted upload leaves nothing behind. Rules A10 and A11.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readdirSync, writeSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { makeFolder, startServer as spawnServer } from '../../../../src/cli/fixture.ts';
import { eventually } from '../../../eventually.ts';
import { rounds } from '../../../long.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../../../server.ts';
import { recordCalls, send } from './records-calls.ts';

const MB = 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, 'a record that is large ');

/** A record of this many megabytes, generated while it is sent. */
function* pieces(megabytes: number): Generator<Buffer> {
  for (let sent = 0; sent < megabytes * MB; sent += PIECE.length) yield PIECE;
}

const LARGE_MB = rounds(120, 200);

test(`A10 A11 a record of ${LARGE_MB} MB goes up and down in little memory`, async () => {
  const { url, token } = await spawnServer(makeFolder());
  const store = `${url}/v2/key-value-stores`;
  const made = await send(store, { method: 'POST', token: token! });
  const record = `${store}/${made.json['data'].id as string}/records/large`;
  const usedMb = async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)![1]) / MB;
  };
  const idle = await usedMb();
  let peak = idle;
  const watching = setInterval(() => void usedMb().then((mb) => (peak = Math.max(peak, mb))), 50);

  const expected = createHash('sha1');
  for (const piece of pieces(LARGE_MB)) expected.update(piece);
  const uploaded = await send(record, {
    method: 'PUT',
    token: token!,
    body: Readable.from(pieces(LARGE_MB)),
  });
  assert.equal(uploaded.status, 201);
  const received = createHash('sha1');
  const response = await fetch(record, { headers: { authorization: `Bearer ${token!}` } });
  assert.equal(response.headers.get('content-length'), String(LARGE_MB * MB));
  for await (const chunk of response.body!) received.update(chunk as Uint8Array);
  clearInterval(watching);
  assert.equal(received.digest('hex'), expected.digest('hex'));
  assert.ok(peak - idle < 100, `${Math.round(peak - idle)} MB more than at rest`);
});

let server: TestServer;
const { make, put, get, stats, keys, blobs } = recordCalls(() => server);
const data = makeFolder();
before(async () => (server = await startServer({ data, limits: 'off', recordBytes: 10 * MB })));
after(() => server.stop());

const temporaries = () => readdirSync(join(data, 'blobs', 'tmp'));

test('A11 a client that goes away in the middle leaves nothing, and the record as it was', async () => {
  const { id } = await make();
  await put(id, 'one', Buffer.alloc(100_000, 1));
  const sooner = await blobs();
  const url = `${server.url}/v2/key-value-stores/${id as string}/records/one`;
  // With a length, a small one is collected; others are read piece by piece.
  for (const [sent, length] of [
    [[Buffer.alloc(1000)], { 'content-length': 60_000 }],
    [[Buffer.alloc(1000)], {}],
    [pieces(2), {}],
  ] as const) {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, ...length };
    const upload = request(url, { method: 'PUT', headers });
    upload.on('error', () => {});
    const seen = server.log.length;
    let size = 0;
    for (const piece of sent) {
      size += piece.length;
      await new Promise((resolve) => upload.write(piece, resolve));
    }
    if (size > MB) await eventually(() => temporaries().length > 0);
    upload.destroy();
    await eventually(() => server.log.slice(seen).some(({ failure }) => failure === 'malformed'));
    assert.deepEqual(temporaries(), []);
    assert.deepEqual(await blobs(), sooner);
    assert.ok((await get(id, 'one')).body.equals(Buffer.alloc(100_000, 1)));
    assert.deepEqual([(await stats(id))['writeCount'], (await stats(id))['storageBytes']], [1, 100_000]);
  }
});

test('A11 a client that goes away while it reads ends the reading', async () => {
  const { id } = await make();
  await put(id, 'one', Readable.from(pieces(9)));
  const open = () => readdirSync('/proc/self/fd').length;
  const sooner = open();
  for (let time = 0; time < 20; time += 1) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const url = `${server.url}/v2/key-value-stores/${id as string}/records/one`;
    const download = request(url, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` }, agent: false });
    download.on('response', (response) =>
      response.once('data', () => response.destroy()).on('close', resolve),
    );
    download.end();
    await promise;
  }
  await eventually(() => open() <= sooner + 2);
});

test('a record that has changed on the disk is not given out as if it were whole', async () => {
  const { id } = await make();
  for (const [key, size] of [
    ['small', 500_000],
    ['large', 3 * MB],
  ] as const) {
    await put(id, key, Buffer.alloc(size, 'x'));
    for await (const { key: blob } of server.app.kernel.blobs.list(`kv/${id as string}/`)) damage(blob);
  }
  const seen = server.log.length;
  const { status, body } = await get(id, 'small');
  assert.equal(status, 500);
  assert.doesNotMatch(body.toString(), /xx/);
  await assert.rejects(get(id, 'large'), { code: 'ECONNRESET' });
  await eventually(
    () => server.log.slice(seen).filter((line) => JSON.stringify(line).includes('is damaged')).length >= 2,
  );
});

/** Changes the last byte of the file. */
function damage(blob: string): void {
  const name = createHash('sha256').update(JSON.stringify(blob)).digest('hex');
  const file = openSync(join(data, 'blobs', name.slice(0, 2), name.slice(2)), 'r+');
  writeSync(file, '!', fstatSync(file).size - 1);
  closeSync(file);
}

test('A28 a record above the limit is refused, announced or not, and leaves nothing', async () => {
  const { id } = await make();
  assert.equal((await put(id, 'just', Buffer.alloc(10 * MB))).status, 201);
  const sooner = await blobs();
  for (const body of [Buffer.alloc(10 * MB + 1), Readable.from(pieces(11)), Readable.from(pieces(30))]) {
    const { status, json } = await put(id, 'over', body);
    assert.deepEqual([status, json['error'].type], [413, 'record-too-large']);
    assert.match(json['error'].message as string, /10485760/);
  }
  assert.deepEqual(temporaries(), []);
  assert.deepEqual(await blobs(), sooner);
  assert.deepEqual((await keys(id))['count'], 1);
});
