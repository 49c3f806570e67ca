// What passes the proxy in front of programs, and what does not: tokens, cookies, headers of one connection, streams, WebSockets.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { inTime } from '../../../eventually.ts';
import { FORM, openBrowser } from '../../../people.ts';
import { ADMIN_TOKEN, startServer, type Json, type TestServer } from '../../../server.ts';
import { createStandby, openHttpRequest, runsOf } from './calls.ts';

let server: TestServer;
let actor: Json;
const at = (path: string) => `/standby/admin~proxied${path}`;
before(async () => {
  server = await startServer({ limits: 'off' });
  actor = await createStandby(
    server,
    { maxRequestsPerActorRun: 50, desiredRequestsPerActorRun: 50 },
    { name: 'proxied' },
  );
});
after(() => server.stop());

/** Sends these bytes and returns all that comes until the connection ends. */
async function sendRaw(text: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  // Not ended: a client that closes its side counts as gone.
  socket.write(text);
  let all = '';
  for await (const part of socket.setEncoding('utf8')) all += part as string;
  return all;
}

function get(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const outgoing = request(server.url + path, {
    agent: false,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...headers },
  });
  outgoing.end();
  return once(outgoing, 'response').then(([response]) => response as IncomingMessage);
}

const asText = (json: Json) => JSON.stringify(json);

test('a token in the header is taken out', async () => {
  const { status, json } = await server.call(at('/'));
  assert.equal(status, 200);
  assert.ok(!asText(json).includes(ADMIN_TOKEN));
  assert.equal(json['headers'].authorization, undefined);
});

test('a token in the query is taken out, and the rest stays as it is', async () => {
  const { json } = await server.call(at(`/x?a=1&token=${ADMIN_TOKEN}&b=%2F&%74oken=second&tokens=3`), {
    token: null,
  });
  assert.equal(json['url'], '/x?a=1&b=%2F&tokens=3');
  assert.ok(!asText(json).includes(ADMIN_TOKEN));
  assert.equal((await server.call(at(`?token=${ADMIN_TOKEN}`), { token: null })).json['url'], '/');
});

test('a session is taken out with all cookies, and a page that refers with its token', async () => {
  const { member } = await server.app.kernel.identity.identify(
    { kind: 'token', secret: ADMIN_TOKEN },
    Date.now(),
  );
  const browser = await openBrowser(server, member);
  const { status, json } = await server.call(at('/'), {
    token: null,
    headers: {
      ...browser,
      cookie: `${browser.cookie}; other=1`,
      'x-signalbox-link': 'abc',
      'sec-fetch-site': 'none',
      referer: `${server.url}/?token=abc`,
    },
  });
  assert.equal(status, 200);
  for (const name of ['cookie', 'referer', 'x-signalbox-session', 'x-signalbox-link'])
    assert.equal(json['headers'][name], undefined, name);
});

test('a session from another site, or from nobody knows where, is refused before anything starts', async () => {
  const { member } = await server.app.kernel.identity.identify(
    { kind: 'token', secret: ADMIN_TOKEN },
    Date.now(),
  );
  const browser = await openBrowser(server, member);
  const other = await createStandby(server);
  const path = `/standby/${other['id']}/`;
  const tries: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'null' },
    { origin: 'https://evil.example' },
    {},
  ];
  for (const headers of tries) {
    const { status, json } = await server.call(path, { token: null, headers: { ...browser, ...headers } });
    assert.deepEqual(
      [status, json['error'].type],
      [403, 'insufficient-permissions'],
      JSON.stringify(headers),
    );
  }
  assert.deepEqual(await runsOf(server, other['id'] as string), []);
  const own = await server.call(path, { token: null, headers: { ...browser, origin: server.url } });
  assert.equal(own.status, 200);
});

test('headers of one connection are dropped both ways, and those that Connection names', async () => {
  const { json } = await server.call(at('/'), {
    headers: {
      connection: 'keep-alive, x-named',
      'x-named': '1',
      te: 'trailers',
      'keep-alive': 'timeout=5',
      'x-passed': '2',
    },
  });
  const { headers } = json;
  assert.equal(headers['x-passed'], '2');
  for (const name of ['x-named', 'te', 'keep-alive', 'proxy-connection'])
    assert.equal(headers[name], undefined, name);
  const reply = await get(at('/headers'));
  reply.resume();
  for (const name of ['set-cookie', 'x-hop', 'clear-site-data', 'strict-transport-security'])
    assert.equal(reply.headers[name], undefined, name);
  assert.equal(reply.headers['x-kept'], '1');
  assert.equal(reply.headers['content-security-policy'], 'sandbox allow-scripts');
  assert.equal(reply.headers['x-content-type-options'], 'nosniff');
  assert.equal(reply.headers['content-type'], 'text/html');
  assert.equal(reply.headers['cache-control'], 'private, max-age=60');
});

test('the program hears from the proxy where a request is from, not from the client', async () => {
  const { json } = await server.call(at('/'), {
    headers: {
      'x-forwarded-for': '6.6.6.6',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'gopher',
      'x-real-ip': '6.6.6.6',
      forwarded: 'for=6.6.6.6',
      'x-signalbox-run-secret': 'guess',
      'x-apify-container-server-readiness-probe': '1',
    },
  });
  const { headers } = json;
  assert.equal(headers['x-forwarded-for'], '127.0.0.1');
  assert.equal(headers['x-forwarded-host'], new URL(server.url).host);
  assert.equal(headers['x-forwarded-proto'], 'http');
  assert.equal(headers['x-forwarded-prefix'], '/standby/admin~proxied');
  assert.ok(!asText(json).includes('6.6.6.6'));
  assert.ok(!asText(json).includes('run-secret'), 'the secret is not for programs to see');
});

test('redirects stay below the path of the program, or leave the server', async () => {
  const cases: [to: string, location: string | undefined][] = [
    ['/login', '/standby/admin~proxied/login'],
    ['next?x=1', '/standby/admin~proxied/next?x=1'],
    ['../../../v2/users/me', '/standby/admin~proxied/v2/users/me'],
    ['//evil.example/x', 'http://evil.example/x'],
    ['http:/logout', '/standby/admin~proxied/logout'],
    ['\\v2\\users', '/standby/admin~proxied/v2/users'],
    ['https://example.com/x', 'https://example.com/x'],
    [`${server.url}/standby/admin~proxied/a`, `${server.url}/standby/admin~proxied/a`],
    [`${server.url}/v2/actors/x/run-sync`, undefined],
    [`${server.url}/standby/admin~other`, undefined],
    [`${server.url}/standby/admin~proxied/../other`, undefined],
  ];
  for (const [to, location] of cases) {
    const reply = await get(at(`/redirect?to=${encodeURIComponent(to)}`));
    reply.resume();
    assert.equal(reply.statusCode, 302, to);
    assert.equal(reply.headers['location'], location, to);
  }
});

test('every method arrives as it was sent, except TRACE', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT']) {
    const { status, json } = await server.call(at('/m?method=GET'), { method });
    assert.deepEqual([status, json['method'], json['url']], [200, method, '/m?method=GET'], method);
  }
  const head = await server.call(at('/'), { method: 'HEAD' });
  assert.deepEqual([head.status, head.text], [200, '']);
  assert.equal((await server.call(at('/'), { method: 'TRACE' })).json['error'].type, 'method-not-allowed');
});

test('a CORS preflight is answered without a token and without the program', async () => {
  const { status, headers } = await server.call(at('/never'), {
    method: 'OPTIONS',
    token: null,
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    },
  });
  assert.equal(status, 204);
  assert.equal(headers.get('access-control-allow-origin'), '*');
  assert.match(headers.get('access-control-allow-headers') ?? '', /Authorization/);
});

test('a large body passes as a stream, in both ways of framing it', async () => {
  const body = Buffer.alloc(20 * 1024 * 1024, 'abc');
  const hash = createHash('sha256').update(body).digest('hex');
  const known = await server.call(at('/'), { method: 'POST', body });
  assert.deepEqual([known.json['length'], known.json['hash']], [body.length, hash]);
  const outgoing = request(server.url + at('/'), {
    method: 'PUT',
    agent: false,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'transfer-encoding': 'chunked' },
  });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.end(body);
  const [reply] = await answered;
  let text = '';
  for await (const part of reply.setEncoding('utf8')) text += part as string;
  assert.equal((JSON.parse(text) as Json)['hash'], hash);
});

test('a slow reader holds back the program, and the server keeps nothing of it', async () => {
  const earlier = process.memoryUsage().arrayBuffers;
  const reply = await get(at(`/bytes?size=${300 * 1024 * 1024}`));
  // At once: until the line after this a second part may have come.
  reply.once('data', () => reply.pause());
  const [first] = (await once(reply, 'data')) as [Buffer];
  // The program writes as fast as it can meanwhile.
  for (let turn = 0; turn < 20; turn += 1) await server.call(at('/'));
  const held = process.memoryUsage().arrayBuffers - earlier;
  assert.ok(held < 30 * 1024 * 1024, `${held} bytes held`);
  let total = first.length;
  for await (const part of reply) total += (part as Buffer).length;
  assert.equal(total, 300 * 1024 * 1024);
});

test('events arrive while the reply goes on, and the program hears when the client leaves', async () => {
  const reply = await get(at('/stream'));
  const [first] = (await inTime(once(reply.setEncoding('utf8'), 'data'))) as [string];
  assert.match(first, /first/);
  await inTime(once(reply, 'data'));
  reply.destroy();
  const { json } = await server.call(at('/'));
  assert.equal(json['run'], (await runsOf(server, actor['id'] as string))[0]!['id']);
});

test('a reply that breaks off is broken off for the client too', async () => {
  const reply = await get(at('/break'));
  await assert.rejects(async () => {
    for await (const _part of reply);
  });
});

test('two requests on one connection cannot be made of one', async () => {
  const auth = `Authorization: Bearer ${ADMIN_TOKEN}\r\n`;
  const inner = `GET ${at('/smuggled')} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const both = await sendRaw(
    `POST ${at('/')} HTTP/1.1\r\nHost: x\r\n${auth}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
  );
  assert.match(both, /^HTTP\/1.1 400 /);
  const odd = await sendRaw(
    `POST ${at('/')} HTTP/1.1\r\nHost: x\r\n${auth}Transfer-Encoding: x, chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`,
  );
  assert.ok(!odd.includes('"x, chunked"'), odd);
  const named = await sendRaw(
    `POST ${at('/named')} HTTP/1.1\r\nHost: x\r\n${auth}Connection: close, Content-Length\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
  );
  assert.match(named, new RegExp(`"length":${inner.length}`));
});

test('a head that is too large is refused in the words of the API', async () => {
  const { status, json } = await server.call(at('/'), { headers: { 'x-large': 'x'.repeat(20_000) } });
  assert.deepEqual([status, json['error'].type], [431, 'invalid-header']);
});

test('WebSockets pass, without the token', async () => {
  for (const [path, headers] of [
    [at('/head'), { authorization: `Bearer ${ADMIN_TOKEN}` }],
    [at(`/head?token=${ADMIN_TOKEN}`), {}],
  ] as const) {
    const socket = new WebSocket(server.url.replace('http', 'ws') + path, { headers });
    const [first] = (await inTime(once(socket, 'message'))) as [Buffer];
    const seen = JSON.parse(first.toString()) as Json;
    assert.equal(seen['url'], '/head');
    assert.ok(!first.toString().includes(ADMIN_TOKEN));
    assert.equal(seen['headers'].upgrade, 'websocket');
    socket.send('hello');
    const [echo] = (await inTime(once(socket, 'message'))) as [Buffer];
    assert.equal(echo.toString(), 'hello');
    socket.close();
    await inTime(once(socket, 'close'));
  }
});

test('a page opens a program and its WebSocket by links of its session, which the program does not see', async () => {
  const { member } = await server.app.kernel.identity.identify(
    { kind: 'token', secret: ADMIN_TOKEN },
    Date.now(),
  );
  const browser = await openBrowser(server, member);
  const linkTo = async (path: string) => {
    const body = new URLSearchParams({ path }).toString();
    const headers = { ...browser, ...FORM, origin: server.url };
    const { json } = await server.call('/session/links', { method: 'POST', token: null, headers, body });
    return json['url'] as string;
  };
  const { cookie } = browser;
  const typed = { cookie, 'sec-fetch-site': 'same-origin' };
  assert.equal((await server.call(at('/page?a=1'), { token: null, headers: typed })).status, 401);
  const { json } = await server.call(await linkTo(at('/page?a=1')), { token: null, headers: typed });
  assert.equal(json['url'], '/page?a=1');
  assert.ok(!/signalbox[_-](link|session)/.test(asText(json)));

  const headers = { cookie, origin: server.url };
  assert.equal((await refusedUpgrade(at('/head'), headers)).statusCode, 401);
  const link = await linkTo(at('/head'));
  assert.equal((await refusedUpgrade(link, { ...headers, origin: 'https://evil.example' })).statusCode, 403);
  const socket = new WebSocket(server.url.replace('http', 'ws') + link, { headers });
  const [first] = (await inTime(once(socket, 'message'))) as [Buffer];
  assert.equal((JSON.parse(first.toString()) as Json)['url'], '/head');
  assert.ok(!/signalbox[_-](link|session)/.test(first.toString()));
  socket.close();
  await inTime(once(socket, 'close'));
});

async function refusedUpgrade(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const socket = new WebSocket(server.url.replace('http', 'ws') + path, { headers });
  socket.on('error', () => {});
  const [, response] = (await inTime(once(socket, 'unexpected-response'))) as [unknown, IncomingMessage];
  return response;
}

test('an upgrade without a token, to what is not there, or that the program refuses is an ordinary reply', async () => {
  assert.equal((await refusedUpgrade(at('/head'))).statusCode, 401);
  const authorization = `Bearer ${ADMIN_TOKEN}`;
  assert.equal((await refusedUpgrade('/standby/admin~nothing/', { authorization })).statusCode, 404);
  const refused = await refusedUpgrade(at('/refuse'), { authorization });
  assert.equal(refused.statusCode, 418);
  assert.equal(refused.headers['set-cookie'], undefined);
  let text = '';
  for await (const part of refused.setEncoding('utf8')) text += part as string;
  assert.equal(text, 'no');
});

test('elsewhere a request that offers an upgrade is answered as without it', async () => {
  for (const upgrade of ['h2c', 'websocket']) {
    const { status } = await server.call('/v2/users/me', {
      headers: { connection: 'Upgrade, HTTP2-Settings', upgrade },
    });
    assert.equal(status, 200, upgrade);
    const posted = await server.call(at('/'), {
      method: 'POST',
      body: { a: 1 },
      headers: { connection: 'Upgrade', upgrade: 'h2c' },
    });
    assert.equal(posted.json['length'], 7);
    assert.equal(posted.json['headers'].upgrade, undefined);
  }
});

test('a request that waits is dropped when its client leaves', async () => {
  const slow = await createStandby(server, { maxRequestsPerActorRun: 1, desiredRequestsPerActorRun: 1 });
  const path = `/standby/${slow['id']}/`;
  const gone = openHttpRequest(server, path);
  await once(gone.request, 'socket');
  gone.request.destroy();
  assert.equal((await openHttpRequest(server, path).end()).status, 200);
});
