// Request bodies on the Actors API: size before and after inflation, encodings and types, on a test route. Rule A28.
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { actorsApi } from '../../../src/actors/api.ts';
import { reply, route } from '../../../src/kernel/http/route.ts';
import { Type } from '../../../src/kernel/schema/schema.ts';
import { mount } from '../../mount.ts';
import { ADMIN_TOKEN, startServer, type Json, type TestServer } from '../../server.ts';
import { answersIn, exchange } from '../../wire.ts';

const LIMIT = 9_437_184;

const store = route(
  {
    id: 'fixture_store',
    method: 'POST',
    path: '/fixture',
    summary: 'Tell how large an item is',
    access: 'caller',
    body: Type.Object({ item: Type.String() }),
    reply: { 201: Type.Object({ length: Type.Integer() }) },
  },
  ({ body }) => reply(201, { length: body.item.length }),
);

const measure = route(
  {
    id: 'fixture_measure',
    method: 'PUT',
    path: '/fixture',
    summary: 'Tell how many bytes arrive',
    access: 'caller',
    streams: true,
    reply: { 200: Type.Object({ length: Type.Integer() }) },
  },
  async ({ stream }) => ({ length: (await buffer(stream)).length }),
);

let server: TestServer;
let fixture: Awaited<ReturnType<typeof mount>>;
before(async () => {
  server = await startServer();
  fixture = await mount(server, { protocol: actorsApi.protocol, routes: [store, measure] });
});
after(async () => {
  await fixture.close();
  await server.stop();
});

async function send(
  body: string | Buffer | undefined,
  headers: Record<string, string> = {},
): Promise<{ status: number; json: Json }> {
  const response = await fetch(`${fixture.url}/v2/fixture`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: body as string | Uint8Array<ArrayBuffer> }),
  });
  return { status: response.status, json: (await response.json()) as Json };
}

/** A body of exactly this many bytes, and the length of the item in it. */
function bodyOf(bytes: number): { text: string; length: number } {
  const frame = JSON.stringify({ item: '' }).length;
  return { text: JSON.stringify({ item: 'x'.repeat(bytes - frame) }), length: bytes - frame };
}

function assertFailed(
  { status, json }: { status: number; json: Json },
  expected: [number, string],
  label?: string,
) {
  assert.deepEqual([status, json['error'].type], expected, label);
}

test('A28 a request with neither a length nor chunks has an empty body, wherever it is read', async () => {
  const call = async (method: string) => {
    const lines = [`${method} /v2/fixture HTTP/1.1`, 'Host: x', `Authorization: Bearer ${ADMIN_TOKEN}`];
    const head = [...lines, 'Content-Type: application/json', 'Connection: close', '', ''].join('\r\n');
    const [answer] = answersIn((await exchange(fixture.url, head)).text);
    return { status: answer!.status, json: JSON.parse(answer!.body) as Json };
  };
  assertFailed(await call('POST'), [400, 'invalid-input']);
  assert.deepEqual(await call('PUT'), { status: 200, json: { data: { length: 0 } } });
});

test('A28 a body of 9,437,184 bytes is taken, one more is too large', async () => {
  const { text, length } = bodyOf(LIMIT);
  assert.deepEqual(await send(text), { status: 201, json: { data: { length } } });
  const over = await send(bodyOf(LIMIT + 1).text);
  assertFailed(over, [413, 'request-too-large']);
  assert.match(over.json['error'].message as string, /9437184/);
});

test('A28 the limit holds for the inflated size too', async () => {
  const { text, length } = bodyOf(LIMIT);
  const headers = { 'content-encoding': 'gzip' };
  assert.deepEqual((await send(gzipSync(text), headers)).json, { data: { length } });
  assertFailed(await send(gzipSync(bodyOf(LIMIT + 1).text), headers), [413, 'request-too-large']);
});

test('A28 a small bomb is refused before it grows', async () => {
  const zeros = Buffer.alloc(160 * 1024 * 1024);
  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  for (const [encoding, bomb] of [
    ['gzip', gzipSync(zeros, { level: 1 })],
    ['br', brotliCompressSync(zeros, quick)],
  ] as const) {
    const usual = process.memoryUsage().arrayBuffers;
    assertFailed(await send(bomb, { 'content-encoding': encoding }), [413, 'request-too-large'], encoding);
    assert.ok(process.memoryUsage().arrayBuffers - usual < 64 * 1024 * 1024, encoding);
  }
});

test('A28 br, gzip, deflate and identity are taken', async () => {
  const text = JSON.stringify({ item: 'compress me '.repeat(200) });
  const expected = { status: 201, json: { data: { length: 2400 } } };
  for (const [encoding, body] of [
    ['br', brotliCompressSync(text)],
    ['gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['identity', Buffer.from(text)],
  ] as const) {
    assert.deepEqual(await send(body, { 'content-encoding': encoding }), expected, encoding);
  }
});

test('A28 another encoding is 415, and told which there are', async () => {
  for (const encoding of ['zstd', 'compress', 'gzip, br', 'utf-8', 'constructor', '__proto__']) {
    const answer = await send('{"item":""}', { 'content-encoding': encoding });
    assertFailed(answer, [415, 'unsupported-content-encoding'], encoding);
    assert.match(answer.json['error'].message as string, /br, gzip, deflate/);
  }
});

test('A28 a body that is not what its encoding says is a bad request', async () => {
  const cut = gzipSync('{"item":"cut off"}').subarray(0, -12);
  for (const [encoding, body] of [
    ['gzip', 'plain'],
    ['br', 'plain'],
    ['deflate', 'plain'],
    ['gzip', cut],
  ] as const) {
    assertFailed(await send(body, { 'content-encoding': encoding }), [400, 'invalid-input'], encoding);
  }
});

test('A28 a body must be declared as JSON', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
    const answer = await send('{"item":""}', { 'content-type': type });
    assertFailed(answer, [400, 'invalid-content-type-header'], type);
  }
  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON']) {
    assert.equal((await send('{"item":""}', { 'content-type': type })).status, 201, type);
  }
});

test('A28 what breaks the schema is invalid-input, and so is what is no JSON', async () => {
  for (const body of ['{}', '{"item":5}', '{"item":null}']) {
    assertFailed(await send(body), [400, 'invalid-input'], body);
  }
  for (const body of ['{', '{"item":"x"} x', 'nope', '['.repeat(50_000)]) {
    assertFailed(await send(body), [400, 'invalid-input'], body.slice(0, 20));
  }
  assertFailed(await send(undefined), [400, 'invalid-input'], 'no body');
});

test('A28 a caller without a token is told so before the body is looked at', async () => {
  assertFailed(await send('{', { authorization: '' }), [401, 'invalid-token']);
});
