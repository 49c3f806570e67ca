// Malformed HTTP requests get one error reply, in the format of the API that the path belongs to, and in the order of the requests.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { actorsApi } from '../src/actors/api.ts';
import { deliveryApis } from '../src/flags/delivery/api.ts';
import { ofrepApi } from '../src/flags/ofrep/api.ts';
import { flagsApi } from '../src/flags/api.ts';
import { hostApi } from '../src/host/api.ts';
import type { Api } from '../src/kernel/http/protocol.ts';
import { route, Stream } from '../src/kernel/http/route.ts';
import { Type } from '../src/kernel/schema/schema.ts';
import { writeCertificate } from './certificate.ts';
import { eventually } from './eventually.ts';
import { mount } from './mount.ts';
import { startServer, type Json, type TestServer } from './server.ts';
import { answersIn, dial, exchange, type WireAnswer } from './wire.ts';

/** Larger than the limit of bodies, and larger than what is read of them. */
const LARGE = `X-Large: ${'a'.repeat(20_000)}`;
const HUGE = `X-Large: ${'a'.repeat(40_000)}`;
const begin = (line: string, ...headers: string[]) => [line, 'Host: x', ...headers, ''].join('\r\n');
const head = (line: string, ...headers: string[]) => `${begin(line, ...headers)}\r\n`;

/** The error format of each API, given the call id from the headers. */
const WORDS: Record<string, (answer: WireAnswer, body: Json) => string | null> = {
  '/api/v2/things': ({ headers }, { code, message, id, ...rest }) => {
    assert.deepEqual([typeof code, typeof message, rest], ['string', 'string', {}]);
    assert.equal(id, headers.get('x-request-id'));
    assert.equal(headers.get('content-type'), 'application/json');
    assert.equal(headers.get('ld-api-version'), '20240415');
    return id;
  },
  '/v2/things': ({ headers }, { error: { type, message }, ...rest }) => {
    assert.deepEqual([typeof type, typeof message, rest], ['string', 'string', {}]);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    return headers.get('x-request-id');
  },
  '/things': ({ headers, status }, body) => {
    assert.deepEqual(Object.keys(body), ['message', 'documentation_url', 'status']);
    assert.equal(body['status'], String(status));
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    return headers.get('x-host-request-id');
  },
};
const API_OF: Record<string, string> = {
  '/api/v2/things': 'flags',
  '/v2/things': 'actors',
  '/things': 'host',
};

let server: TestServer;
let fixture: Awaited<ReturnType<typeof mount>>;
/** The server's side of all connections. */
const sockets: Socket[] = [];
let held = Promise.withResolvers<void>();

const slow = route(
  {
    id: 'fixture_slow',
    method: 'GET',
    path: '/slow',
    summary: 'Answer when it is let',
    access: 'anyone',
    reply: { 200: Type.Object({ slow: Type.Boolean() }) },
  },
  async () => {
    await held.promise;
    return { slow: true };
  },
);
const endless = route(
  {
    id: 'fixture_stream',
    method: 'POST',
    path: '/stream',
    summary: 'Begin to answer before the body is there',
    access: 'anyone',
    streams: true,
    reply: { 200: null },
  },
  () =>
    new Stream(
      (async function* () {
        yield 'begun';
        await held.promise;
      })(),
      {},
    ),
);
const take = route(
  {
    id: 'fixture_take',
    method: 'POST',
    path: '/things',
    summary: 'Take a body',
    access: 'anyone',
    body: Type.Unknown(),
    reply: { 200: Type.Null() },
  },
  () => null,
);

before(async () => {
  server = await startServer();
  const on = ({ protocol }: Api): Api => ({
    protocol: { ...protocol, versions: { ...protocol.versions, changes: [] } },
    routes: [slow, endless, take],
  });
  fixture = await mount(server, ...[flagsApi, actorsApi, hostApi, ...deliveryApis, ofrepApi].map(on));
  fixture.http.on('connection', (socket) => sockets.push(socket));
});
after(async () => {
  await fixture.close();
  await server.stop();
});

/** Writes raw bytes, and returns the reply of a server that closes after it. */
async function refusalOf(request: string | Buffer): Promise<WireAnswer> {
  const { text } = await exchange(fixture.url, request);
  const [answer, ...others] = answersIn(text);
  assert.ok(answer !== undefined, 'no answer');
  assert.equal(others.length, 0);
  assert.equal(answer.headers.get('connection'), 'close');
  assert.ok(answer.headers.has('date'));
  return answer;
}

function expectWords(path: string, answer: WireAnswer, status: number): Json {
  const body = JSON.parse(answer.body) as Json;
  assert.equal(answer.status, status);
  assert.equal(answer.headers.get('access-control-allow-origin'), '*');
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  const id = WORDS[path]!(answer, body);
  assert.match(id ?? '', /^[0-9a-f-]{36}$/);
  const [line] = server.log.filter((one) => one['call'] === id && one['failure'] !== undefined);
  assert.deepEqual([line?.['api'], line?.['status']], [API_OF[path], status]);
  return body;
}

describe('F13 A1 in its own words each API', () => {
  for (const path of Object.keys(WORDS)) {
    const unreadable: [what: string, request: string, status: number][] = [
      ['headers that are too large', head(`GET ${path} HTTP/1.1`, LARGE, 'Connection: close'), 431],
      ['headers that are huge', head(`GET ${path} HTTP/1.1`, HUGE), 431],
      ['a path that is too long', head(`GET ${path}/${'a'.repeat(40_000)} HTTP/1.1`), 431],
      ['a header with a space in its name', head(`GET ${path} HTTP/1.1`, 'Bad Header: x'), 400],
      ['a header that is cut in two', head(`GET ${path} HTTP/1.1`, 'X-Cut: a\rb'), 400],
      ['two lengths', head(`POST ${path} HTTP/1.1`, 'Content-Length: 1', 'Content-Length: 2'), 400],
      ['an unknown verb', head(`NONSENSE ${path} HTTP/1.1`), 400],
      ['an unknown protocol', head(`GET ${path} HTTP/7.0`), 400],
      ['a path with a space', head(`GET ${path} and more HTTP/1.1`), 400],
      ['a broken chunk', `${head(`POST ${path} HTTP/1.1`, 'Transfer-Encoding: chunked')}zz\r\n`, 400],
      [
        'a chunk with long extensions',
        `${head(`POST ${path} HTTP/1.1`, 'Transfer-Encoding: chunked')}1;${'a'.repeat(20_000)}\r\n`,
        413,
      ],
      ['no Host', `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400],
    ];
    for (const [what, request, status] of unreadable) {
      test(`refuses ${what} with ${status} below ${path}`, async () => {
        expectWords(path, await refusalOf(request), status);
      });
    }

    test(`refuses a request that takes too long with 408 below ${path}`, async () => {
      const wire = dial(fixture.url);
      const known = sockets.length;
      wire.write(`${head(`POST ${path} HTTP/1.1`, 'Content-Length: 5')}ab`);
      await eventually(() => (sockets[known]?.bytesRead ?? 0) > 0);
      // As Node does after its timeout, which is too long for a test.
      const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      fixture.http.emit('clientError', late, sockets[known]!);
      const [answer] = answersIn(await wire.closed);
      expectWords(path, answer!, 408);
    });
  }

  test('tells the kind of the failure', async () => {
    const codeOf = async (path: string, ...headers: string[]) =>
      JSON.parse((await refusalOf(head(`GET ${path} HTTP/1.1`, ...headers))).body) as Json;
    assert.equal((await codeOf('/api/v2', HUGE))['code'], 'headers_too_large');
    assert.equal((await codeOf('/api/v2', 'Bad Header: x'))['code'], 'invalid_request');
    assert.equal((await codeOf('/v2', HUGE))['error'].type, 'invalid-header');
    assert.equal((await codeOf('/v2', 'Bad Header: x'))['error'].type, 'invalid-request');
    assert.match((await codeOf('/', 'Bad Header: x'))['message'], /not valid HTTP/);
  });

  test('is chosen as when the same path can be read', async () => {
    const paths = `
      / /api /api/v2 /api/v2/ /api/v2?x=/v2 /api/v2x /api/v2/v2 /API/V2 /api/v3 /api/v3/v2
      /v2 /v2/ /v22 /v2#x //v2 /v2// /x/../v2 /sdk/x /msdk
      /%61pi/v2/x /api%2Fv2/x /v%32 /v2%2Fx /v2/%E0%A4%A /v2/% /%/v2 /%2576%32
      http://elsewhere.example/v2/x http://elsewhere.example/api/v2 http://elsewhere.example`;
    // Without the common headers, and without those that differ in each call.
    const shapeOf = ({ headers, body }: WireAnswer) => [
      [...headers.keys()].filter((name) => !/^(x-ratelimit-.*|keep-alive)$/.test(name)).toSorted(),
      Object.keys(JSON.parse(body) as Json),
    ];
    for (const path of paths.trim().split(/\s+/)) {
      const [read] = answersIn(
        (await exchange(fixture.url, head(`GET ${path} HTTP/1.1`, 'Connection: close'))).text,
      );
      const refused = await refusalOf(head(`GET ${path} HTTP/1.1`, 'Bad Header: x'));
      assert.equal(read!.status, 404, path);
      assert.deepEqual(shapeOf(refused), shapeOf(read!), path);
    }
  });

  test('is not known when the request began in an earlier packet: the one at the root answers', async () => {
    const wire = dial(fixture.url);
    const known = sockets.length;
    const start = begin('GET /v2/things HTTP/1.1');
    wire.write(start);
    await eventually(() => sockets[known]?.bytesRead === start.length);
    wire.write(`${HUGE}\r\n\r\n`);
    const [answer] = answersIn(await wire.closed);
    expectWords('/things', answer!, 431);
  });

  test('is chosen by the request that is broken, not by one before it in the same packet', async () => {
    const wire = dial(fixture.url);
    wire.write(head('GET /v2/nothing HTTP/1.1') + head('GET /api/v2/things HTTP/1.1', HUGE));
    const [first, second] = answersIn(await wire.closed);
    assert.equal(first!.status, 404);
    expectWords('/api/v2/things', second!, 431);
  });

  test('answers the origin of a request whose body is broken', async () => {
    const origin = 'https://app.example';
    const chunked = ['Transfer-Encoding: chunked', `Origin: ${origin}`];
    const answer = await refusalOf(`${head('POST /api/v2/things HTTP/1.1', ...chunked)}zz\r\n`);
    assert.equal(answer.headers.get('access-control-allow-origin'), origin);
  });

  test('sends no body in answer to HEAD', async () => {
    const { text } = await exchange(fixture.url, head('HEAD /api/v2/things HTTP/1.1', HUGE));
    assert.match(text, /^HTTP\/1\.1 431 [^]*\r\ncontent-length: [1-9]\d*\r\n\r\n$/);
  });
});

describe('a refusal', () => {
  test('waits for the answers to earlier requests', async () => {
    held = Promise.withResolvers();
    const wire = dial(fixture.url);
    const known = sockets.length;
    const request =
      head('GET /v2/slow HTTP/1.1').repeat(2) + head('GET /v2/things HTTP/1.1', 'Bad Header: x');
    wire.write(request);
    await eventually(() => sockets[known]?.bytesRead === request.length);
    wire.write('and more that cannot be read');
    await eventually(() => sockets[known]!.bytesRead > request.length);
    assert.equal(wire.text(), '');
    held.resolve();
    const [first, second, third, ...others] = answersIn(await wire.closed);
    assert.deepEqual([first!.status, second!.status, others.length], [200, 200, 0]);
    expectWords('/v2/things', third!, 400);
  });

  test('of a broken body waits for them, too', async () => {
    held = Promise.withResolvers();
    const wire = dial(fixture.url);
    const known = sockets.length;
    const request = `${head('GET /v2/slow HTTP/1.1')}${head('POST /things HTTP/1.1', 'Transfer-Encoding: chunked')}zz\r\n`;
    wire.write(request);
    await eventually(() => sockets[known]?.bytesRead === request.length);
    assert.equal(wire.text(), '');
    held.resolve();
    const [first, second, ...others] = answersIn(await wire.closed);
    assert.deepEqual([first!.status, others.length], [200, 0]);
    expectWords('/things', second!, 400);
  });

  test('is not sent into an answer that has begun', async () => {
    held = Promise.withResolvers();
    const wire = dial(fixture.url);
    wire.write(head('POST /v2/stream HTTP/1.1', 'Transfer-Encoding: chunked'));
    await eventually(() => wire.text().includes('begun'));
    wire.write('zz\r\n');
    const text = await wire.closed;
    held.resolve();
    assert.equal(text.match(/HTTP\/1\.1/g)?.length, 1);
    assert.match(text, /begun\r\n$/);
  });

  test('is not sent after the answer to a request whose body breaks later', async () => {
    const wire = dial(fixture.url);
    wire.write(head('POST /v2/nothing HTTP/1.1', 'Transfer-Encoding: chunked'));
    await eventually(() => answersIn(wire.text()).length === 1);
    wire.write('zz\r\n');
    const answers = answersIn(await wire.closed);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404],
    );
  });

  test('does not follow a request with Connection: close', async () => {
    const wire = dial(fixture.url);
    wire.write(`${head('GET /v2/nothing HTTP/1.1', 'Connection: close')}and more`);
    const answers = answersIn(await wire.closed);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404],
    );
  });

  test('is not sent to a client that disconnects in the middle, but earlier requests are answered', async () => {
    held = Promise.withResolvers();
    const wire = dial(fixture.url);
    const known = sockets.length;
    const request = head('GET /v2/slow HTTP/1.1') + begin('GET /v2/things HTTP/1.1');
    wire.write(request);
    wire.end();
    await eventually(() => sockets[known]?.bytesRead === request.length);
    held.resolve();
    const answers = answersIn(await wire.closed);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200],
    );
  });

  test('arrives even at a client that continues to send', async () => {
    const answer = await refusalOf(head('GET /v2/things HTTP/1.1', `X-Large: ${'a'.repeat(4_000_000)}`));
    expectWords('/v2/things', answer, 431);
  });

  test('is not caused by an unknown expectation', async () => {
    const request = head('GET /v2/nothing HTTP/1.1', 'Expect: wonders', 'Connection: close');
    const { status } = await exchange(fixture.url, request);
    assert.equal(status, 404);
  });

  test('of bytes that are not HTTP affects no other connection', async () => {
    for (const bytes of [
      Buffer.alloc(100),
      Buffer.from('160301020001000100', 'hex'),
      Buffer.from('\r\n\r\nx'),
    ]) {
      assert.equal((await exchange(fixture.url, bytes)).status, 400);
    }
    const bugs = server.log.filter(({ level }) => (level as number) >= 50);
    assert.deepEqual(bugs, []);
  });

  test('that fails itself closes the connection, and affects no other', async () => {
    const renderError = () => {
      throw new Error('no words');
    };
    const speechless = await mount(server, {
      protocol: { ...actorsApi.protocol, prefixes: [''], renderError },
      routes: [],
    });
    assert.equal((await exchange(speechless.url, 'what?')).text, '');
    assert.equal((await exchange(speechless.url, 'what?')).text, '');
    await speechless.close();
  });

  test('is sent over TLS, and nothing to clients without TLS', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-tls-'));
    const files = writeCertificate(folder);
    const secure = await startServer(files);
    const port = Number(new URL(secure.url).port);
    const text = await new Promise<string>((resolve, reject) => {
      const chunks: Buffer[] = [];
      const socket = connect({ host: '127.0.0.1', port, ca: readFileSync(files.tlsCert) });
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.on('error', reject);
      socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
      socket.write(head('GET /api/v2/flags HTTP/1.1', LARGE, 'Connection: close'));
    });
    const plain = dial(secure.url);
    plain.write(head('GET /api/v2/flags HTTP/1.1'));
    assert.equal(await plain.closed.catch(() => ''), '');
    await secure.stop();
    rmSync(folder, { recursive: true });
    const [answer] = answersIn(text);
    assert.deepEqual(
      [answer!.status, (JSON.parse(answer!.body) as Json)['code']],
      [431, 'headers_too_large'],
    );
  });
});
