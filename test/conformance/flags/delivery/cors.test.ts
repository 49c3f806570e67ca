// Calls to the flags API from pages of other origins, on a running server: rules F24 and F25.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser } from '../../../people.ts';
import { startServer, type Answer, type CallInit, type TestServer } from '../../../server.ts';

const ORIGIN = 'https://dashboards.example';
let server: TestServer;
before(async () => (server = await startServer()));
after(() => server.stop());

/** Replies of every kind, good ones and errors. */
const REPLIES: readonly [status: number, path: string, init?: CallInit][] = [
  [200, '/api/v2', { token: null }],
  [200, '/api/v2/tokens'],
  [200, '/api/v2/openapi.json', { token: null }],
  [201, '/api/v2/tokens', { method: 'POST', body: {} }],
  [400, '/api/v2/tokens?limit=many'],
  [400, '/api/v2/tokens', { method: 'POST', body: '{' }],
  [401, '/api/v2/tokens', { token: null }],
  [404, '/api/v2/nothing'],
  [404, '/api/v2/nothing', { token: null }],
  [404, '/api/v2/tokens/unknown'],
  [405, '/api/v2/tokens', { method: 'PUT' }],
  [413, '/api/v2/tokens', { method: 'POST', body: `"${'x'.repeat(6 * 1024 * 1024)}"` }],
  [204, '/api/v2/tokens', { method: 'OPTIONS', token: null }],
  [204, '/api/v2/nothing', { method: 'OPTIONS', token: null }],
];

const LISTS = {
  'access-control-allow-headers': 'Accept, Content-Type, Content-Length, Accept-Encoding, Authorization',
  'access-control-allow-methods': 'OPTIONS, GET, DELETE, PATCH',
  'access-control-max-age': '300',
};

function assertLists({ headers }: Answer, what: string): void {
  for (const [name, value] of Object.entries(LISTS))
    assert.equal(headers.get(name), value, `${what} ${name}`);
}

test('F24 F25 every reply echoes the origin of the call and carries the three lists', async () => {
  for (const [status, path, init = {}] of REPLIES) {
    const answer = await server.call(path, { ...init, headers: { origin: ORIGIN } });
    const what = `${init.method ?? 'GET'} ${path}`;
    const allowed = answer.headers.get('access-control-allow-origin');
    assert.deepEqual([answer.status, allowed], [status, ORIGIN], what);
    assert.match(answer.headers.get('vary')!, /Origin/, what);
    assertLists(answer, what);
    assert.equal(answer.headers.get('access-control-allow-credentials'), null, what);
  }
});

test('F24 F25 a request that cannot be read is answered with the lists too', async () => {
  for (const path of ['/api/v2/%E0%A4%A', '/api/v2/flags/%zz/x']) {
    const answer = await server.call(path, { headers: { origin: ORIGIN } });
    assert.ok(answer.status >= 400 && answer.status < 500, path);
    assertLists(answer, path);
  }
});

test('F24 without an origin all are allowed', async () => {
  for (const path of ['/api/v2', '/api/v2/tokens', '/api/v2/nothing']) {
    const { headers } = await server.call(path);
    assert.equal(headers.get('access-control-allow-origin'), '*');
  }
});

test('F24 a token works from any origin, a null one included', async () => {
  for (const origin of [ORIGIN, 'http://evil.example', 'null']) {
    const { status, headers } = await server.call('/api/v2/tokens', { headers: { origin } });
    assert.deepEqual([status, headers.get('access-control-allow-origin')], [200, origin]);
  }
});

test('F24 F25 a preflight needs no token on any path, and gives exactly the listed headers and methods', async () => {
  const paths = ['', '/', '/tokens', '/tokens/any', '/tokens/any/reset', '/nothing', '/tokens/a/b/c/d'];
  for (const path of paths.map((rest) => `/api/v2${rest}`)) {
    const answer = await server.call(path, {
      method: 'OPTIONS',
      token: null,
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization, content-type',
      },
    });
    assert.deepEqual([answer.status, answer.text], [204, ''], path);
    assert.equal(answer.headers.get('access-control-allow-origin'), ORIGIN, path);
    assertLists(answer, path);
  }
  const { headers } = await server.call('/api/v2/tokens', { method: 'OPTIONS' });
  assert.equal(headers.get('access-control-allow-origin'), '*');
});

/** The answer to a browser that asks what a page of another origin may send. */
function preflight(method: string, headers?: string): Promise<Answer> {
  return server.call('/api/v2/flags/default/any', {
    method: 'OPTIONS',
    token: null,
    headers: {
      origin: ORIGIN,
      'access-control-request-method': method,
      ...(headers !== undefined && { 'access-control-request-headers': headers }),
    },
  });
}

test('F25 a preflight that asks for more than the lists gets what the API has added, after them', async () => {
  const asked: [method: string, headers?: string][] = [
    ['PUT'],
    ['POST', 'authorization,content-type'],
    ['PUT', 'authorization,content-type,ld-api-version'],
    ['PATCH', 'LD-API-Version'],
    ['GET', 'authorization, x-http-method-override'],
    ['REPORT'],
    ['GET', 'x-unknown'],
  ];
  for (const [method, names] of asked) {
    const { status, headers } = await preflight(method, names);
    const what = `${method} ${names}`;
    assert.equal(status, 204, what);
    assert.equal(
      headers.get('access-control-allow-methods'),
      `${LISTS['access-control-allow-methods']}, POST, PUT`,
      what,
    );
    assert.equal(
      headers.get('access-control-allow-headers'),
      `${LISTS['access-control-allow-headers']}, LD-API-Version, X-HTTP-Method-Override, If-Match`,
      what,
    );
    assert.equal(headers.get('access-control-max-age'), '300', what);
  }
});

test('F25 a preflight that asks for nothing beyond the lists gets them alone', async () => {
  const asked: [method: string, headers?: string][] = [
    ['GET'],
    ['DELETE', ''],
    ['PATCH', 'Accept,CONTENT-TYPE , authorization'],
    ['OPTIONS', 'accept-encoding,content-length'],
  ];
  for (const [method, names] of asked) assertLists(await preflight(method, names), `${method} ${names}`);
});

test('F25 a call that is no preflight gets the lists alone, whatever it asks for', async () => {
  const headers = {
    origin: ORIGIN,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'ld-api-version',
  };
  for (const path of ['/api/v2/tokens', '/api/v2/nothing'])
    assertLists(await server.call(path, { headers }), path);
});

test('F24 a session is refused from a foreign origin, whatever the page may read of that', async () => {
  const [admin] = await server.app.kernel.db.selectFrom('members').selectAll().execute();
  const browser = await openBrowser(server, admin as never);
  const call = (origin: string) =>
    server.call('/api/v2/tokens', { token: null, headers: { ...browser, origin } });
  const { status, headers } = await call(ORIGIN);
  assert.deepEqual([status, headers.get('access-control-allow-credentials')], [403, null]);
  assert.equal((await call(server.url)).status, 200);
});

test('F25 the routes of SDKs keep lists of their own', async () => {
  const { headers } = await server.call('/sdk/latest-all', { method: 'OPTIONS', token: null });
  assert.match(headers.get('access-control-allow-methods') ?? '', /REPORT/);
  assert.equal((await server.call('/sdk/latest-all')).headers.get('access-control-allow-methods'), null);
});
