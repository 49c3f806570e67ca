// What operators depend on: health, readiness, metrics, roles, documentation, size limits and timeouts.
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { after, before, test } from 'node:test';
import { flagsApi } from '../src/flags/api.ts';
import { openApiBytes, describeApi } from '../src/kernel/openapi/document.ts';
import { readExamples } from '../src/kernel/openapi/examples.ts';
import { eventually, inTime } from './eventually.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from './server.ts';
import { dial, exchange } from './wire.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

test('healthz reports that the process is alive, and its version', async () => {
  const { status, json } = await server.call('/healthz', { token: null });
  assert.equal(status, 200);
  assert.equal(json['status'], 'ok');
  assert.match(json['version'], /^\d+\.\d+\.\d+$/);
});

test('readyz checks the database, the worker and that the server is not closing', async () => {
  const { status, json } = await server.call('/readyz', { token: null });
  assert.equal(status, 200);
  assert.deepEqual(json['checks'], { database: true, worker: true, disk: true, open: true });
});

test('readyz answers 503 when the database is away', async () => {
  const broken = await startServer();
  const { engine } = broken.app.kernel;
  const ping = engine.ping;
  engine.ping = () => Promise.reject(new Error('away'));
  const { status, json } = await broken.call('/readyz', { token: null });
  engine.ping = ping;
  await broken.stop();
  assert.equal(status, 503);
  assert.equal(json['checks'].database, false);
});

test('metrics count calls by route and status', async () => {
  await server.call('/v2/users/me');
  await server.call('/v2/users/me', { token: null });
  const { text, headers } = await server.call('/metrics', { token: null });
  assert.match(headers.get('content-type') ?? '', /^text\/plain/);
  assert.match(text, /signalbox_calls_total\{api="actors",route="users_me_get",status="200"\} 1/);
  assert.match(text, /signalbox_calls_total\{api="actors",route="users_me_get",status="401"\} 1/);
  assert.match(text, /signalbox_info\{version="[\d.]+"\} 1/);
  assert.match(text, /signalbox_call_seconds_bucket\{le="0.01",api="actors",route="users_me_get"\}/);
});

test('metrics ask for a token where the operator has set one', async () => {
  const metricsToken = 'a-token-for-the-metrics';
  const guarded = await startServer({ metricsToken });
  const read = (token: string | null) => guarded.call('/metrics', { token });
  for (const token of [null, 'a-token-for-the-metricS', `${metricsToken}x`, ADMIN_TOKEN]) {
    const { status, headers, text } = await read(token);
    assert.equal(status, 401);
    assert.match(headers.get('www-authenticate') ?? '', /^Bearer/);
    assert.match(text, /^The metrics need the token .*\.\n$/);
  }
  const { status, text } = await read(metricsToken);
  assert.equal(status, 200);
  assert.match(text, /signalbox_info/);
  for (const path of ['/healthz', '/readyz'])
    assert.equal((await guarded.call(path, { token: null })).status, 200);
  await guarded.stop();
});

test('a worker serves only the endpoints of the operator', async () => {
  const worker = await startServer({ role: 'worker' });
  assert.equal((await worker.call('/readyz')).status, 200);
  assert.equal((await worker.call('/v2/users/me')).status, 404);
  await worker.stop();
});

test('an api node answers calls and leaves waiting work alone', async () => {
  const node = await startServer({ role: 'api' });
  assert.equal((await node.call('/v2/users/me')).status, 200);
  assert.equal((await node.call('/readyz')).json['checks'].worker, true);
  assert.deepEqual(await node.app.kernel.db.selectFrom('due').selectAll().execute(), []);
  await node.stop();
});

test('every page that an error points to is there', async () => {
  for (const path of ['/nope', '/user']) {
    const { json } = await server.call(path, { token: null });
    const page = await fetch(json['documentation_url'] as string);
    assert.equal(page.status, 200);
    const { hash } = new URL(json['documentation_url'] as string);
    assert.ok((await page.text()).includes(`id="${hash.slice(1)}"`) || hash === '');
  }
  const { headers } = await server.call('/rate_limit');
  const [, link = ''] = /<([^>]+)>; rel="deprecation"/.exec(headers.get('link') ?? '') ?? [];
  assert.ok((await (await fetch(link)).text()).includes(`id="${new URL(link).hash.slice(1)}"`));
});

test('each API has its documentation and its OpenAPI documents to read', async () => {
  for (const path of ['/docs', '/docs/flags', '/docs/actors', '/docs/host']) {
    const { status, headers } = await server.call(path, { token: null });
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
  }
  for (const name of ['flags/20240415', 'actors/v2', 'host/2022-11-28', 'host/2026-03-10']) {
    assert.equal((await server.call(`/docs/${name}.json`, { token: null })).json['openapi'], '3.1.0');
  }
});

const DOCUMENTS = [
  '/api/v2/openapi.json',
  '/v2/openapi.json',
  '/openapi.json',
  '/api/v3/openapi.json',
  '/docs/flags/20240415.json',
  '/docs/actors/v2.json',
  '/docs/host/2022-11-28.json',
  '/docs/host/2026-03-10.json',
];

test('an OpenAPI document has an ETag, and is not sent again to a client that has it', async () => {
  for (const path of DOCUMENTS) {
    const first = await server.call(path, { token: null });
    const etag = first.headers.get('etag')!;
    assert.match(first.headers.get('content-type')!, /^application\/json/, path);
    assert.equal(first.headers.get('content-length'), String(Buffer.byteLength(first.text)), path);
    assert.equal(first.headers.get('cache-control'), 'no-cache', path);
    const headers = { 'if-none-match': `"other", W/${etag}` };
    const again = await server.call(path, { token: null, headers });
    assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag], path);
    const other = await server.call(path, { token: null, headers: { 'if-none-match': '"other"' } });
    assert.deepEqual([other.status, other.text], [200, first.text], path);
  }
});

test('each API has its OpenAPI document below its base path, in the version that was asked for', async () => {
  const read = async (path: string, version?: string) => {
    const headers = version === undefined ? {} : { 'x-host-api-version': version };
    return (await server.call(path, { token: null, headers })).json;
  };
  assert.deepEqual(await read('/api/v2/openapi.json'), await read('/docs/flags/20240415.json'));
  assert.deepEqual(await read('/v2/openapi.json'), await read('/docs/actors/v2.json'));
  assert.deepEqual(await read('/openapi.json'), await read('/docs/host/2022-11-28.json'));
  const newest = await read('/api/v3/openapi.json', '2026-03-10');
  assert.deepEqual(newest, await read('/docs/host/2026-03-10.json'));
});

test('/llms.txt lists the documents for programs, and is not sent again to a client that has it', async () => {
  const { status, headers, text } = await server.call('/llms.txt', { token: null });
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
  for (const path of DOCUMENTS.filter((one) => !one.startsWith('/api/v3')))
    assert.ok(text.includes(`(${server.url}${path})`), path);
  assert.match(text, /rate limits: global 2000 calls/i);
  assert.match(text, /x-host-api-version/i);
  const links = [...text.matchAll(/\]\((\S+)\)/g)].map(([, link]) => link!);
  for (const link of links) assert.equal((await fetch(link)).status, 200, link);
  const etag = headers.get('etag')!;
  const again = await server.call('/llms.txt', { token: null, headers: { 'if-none-match': etag } });
  assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag]);
});

test('a document is built once per version, in slices between other calls', async () => {
  // A new object, so that it is not in the cache.
  const api = { ...flagsApi };
  const version = api.protocol.versions.names.at(-1)!;
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 0);
  const [one, other] = await Promise.all([openApiBytes(api, version), openApiBytes(api, version)]);
  clearInterval(counting);
  assert.equal(one, other);
  assert.equal(one, await openApiBytes(api, version));
  const examples = await readExamples('flags');
  assert.equal(one.bytes.toString(), JSON.stringify(describeApi(api, version, examples)));
  assert.ok(turns > 2, 'timers ran while it was made');
});

test('documentation has a rate limit for each address, with Retry-After', async () => {
  const docs = { anonymous: 2, known: 2, seconds: 60 };
  const small = await startServer({ limit: { docs, 'flags.route': docs }, trustProxy: ['127.0.0.1'] });
  const statusesOf = async (address: string) => {
    const headers = { 'x-forwarded-for': address };
    const answers = [];
    for (const path of ['/docs', '/docs/host/2026-03-10.json', '/docs/actors', '/docs/flags/20240415.json']) {
      answers.push(await small.call(path, { token: null, headers }));
    }
    return answers;
  };
  const answers = await statusesOf('203.0.113.1');
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 429, 429],
  );
  const wait = Number(answers[2]!.headers.get('retry-after'));
  assert.ok(wait >= 1 && wait <= 60, `${wait}`);
  assert.equal((await statusesOf('203.0.113.2'))[0]!.status, 200);
  const described = [];
  for (let call = 0; call < 3; call += 1)
    described.push((await small.call('/api/v2/openapi.json', { token: null })).status);
  assert.deepEqual(described, [200, 200, 429]);
  await small.stop();
});

test('every API reply forbids sniffing and has the id of the call', async () => {
  for (const path of ['/', '/nope', '/v2/users/me', '/v2/nope', '/api/v2', '/api/v2/nope']) {
    const { headers } = await server.call(path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    assert.match(
      headers.get('x-request-id') ?? headers.get('x-host-request-id') ?? '',
      /^[0-9a-f-]{36}$/,
      path,
    );
  }
});

test('headers larger than 16 KiB are refused with 431', async () => {
  const request = `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`;
  assert.equal((await exchange(server.url, request)).status, 431);
});

test('a proxy is believed only when it is named', async () => {
  const limit = { 'host.core': { anonymous: 1, known: 1, seconds: 60 } };
  const plain = await startServer({ limit });
  const forged = (address: string) =>
    plain.call('/', { token: null, headers: { 'x-forwarded-for': address } });
  assert.equal((await forged('203.0.113.1')).status, 200);
  assert.equal((await forged('203.0.113.2')).status, 403);
  await plain.stop();
  const behind = await startServer({ trustProxy: ['127.0.0.1'], limit });
  const from = (address: string) =>
    behind.call('/', { token: null, headers: { 'x-forwarded-for': address } });
  assert.equal((await from('203.0.113.1')).status, 200);
  assert.equal((await from('203.0.113.1')).status, 403);
  assert.equal((await from('203.0.113.2')).status, 200);
  await behind.stop();
});

test('closing lets a call under way finish', async () => {
  const closing = await startServer();
  const { db } = closing.app.kernel;
  // A transaction blocks the writer, so that the call is still running when the server begins to close.
  const held = Promise.withResolvers<void>();
  const holding = db.transaction().execute(async (tx) => {
    await tx.selectFrom('members').select('id').execute();
    await held.promise;
  });
  const received = Promise.withResolvers<unknown>();
  subscribe('http.server.request.start', received.resolve);
  const call = closing.call('/api/v2/tokens', { method: 'POST', body: { name: 'late' } });
  await inTime(received.promise);
  unsubscribe('http.server.request.start', received.resolve);
  const stopped = closing.stop();
  held.resolve();
  await holding;
  assert.equal((await call).status, 201);
  await stopped;
});

test('a path is known however it is written', async () => {
  for (const target of ['http://localhost/api/v2/projects', '/%61pi/v2/projects', '/api/v2/projects?a=/b'])
    for (const [verb, status] of [
      ['PATCH', 405],
      ['OPTIONS', 204],
    ] as const) {
      const request = `${verb} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
      assert.equal((await exchange(server.url, request)).status, status, `${verb} ${target}`);
    }
});

test('one token can have 256 bodies in progress; more get 503 with Retry-After, and other callers are not affected', async () => {
  const { bodyMemory } = server.app.kernel;
  const head =
    `POST /api/v2/projects HTTP/1.1\r\nHost: x\r\nAuthorization: ${ADMIN_TOKEN}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{';
  const stalled = Array.from({ length: 256 }, () => dial(server.url));
  for (const wire of stalled) wire.write(head);
  await eventually(() => bodyMemory.bytes === stalled.length);
  const refused = await server.call('/api/v2/projects', { method: 'POST', body: {} });
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
  const stranger = await server.call('/v2/datasets', { method: 'POST', token: null, body: {} });
  assert.equal(stranger.status, 401);
  for (const wire of stalled) wire.end();
  await Promise.all(stalled.map(({ closed }) => closed));
  await eventually(() => bodyMemory.bytes === 0);
  const { status } = await server.call('/api/v2/projects', { method: 'POST', body: {} });
  assert.equal(status, 400);
});
