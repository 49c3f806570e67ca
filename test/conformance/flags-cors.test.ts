// Calls to the flags API from pages of other origins, on a running server: rules F24 and F25.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, type TestServer } from '../server.ts';

const ORIGIN = 'https://dashboards.example';
let server: TestServer;
before(async () => (server = await startServer()));
after(() => server.stop());

test('F24 the origin of a call is echoed, on good replies and on errors', async () => {
  const headers = { origin: ORIGIN };
  for (const [status, path, init] of [
    [200, '/api/v2/tokens', {}],
    [201, '/api/v2/tokens', { method: 'POST', body: {} }],
    [401, '/api/v2/tokens', { token: null }],
    [404, '/api/v2/nothing', {}],
    [405, '/api/v2/tokens', { method: 'PUT' }],
    [204, '/api/v2/tokens', { method: 'OPTIONS', token: null }],
  ] as const) {
    const answer = await server.call(path, { ...init, headers });
    assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [status, ORIGIN]);
    assert.match(answer.headers.get('vary')!, /Origin/);
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

test('F25 a preflight needs no token and gives exactly the listed headers and methods', async () => {
  for (const path of ['/api/v2', '/api/v2/tokens', '/api/v2/tokens/any', '/api/v2/tokens/any/reset']) {
    const { status, headers, text } = await server.call(path, {
      method: 'OPTIONS',
      token: null,
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization, content-type',
      },
    });
    assert.deepEqual([status, text], [204, '']);
    assert.equal(headers.get('access-control-allow-origin'), ORIGIN);
    assert.equal(
      headers.get('access-control-allow-headers'),
      'Accept, Content-Type, Content-Length, Accept-Encoding, Authorization',
    );
    assert.equal(headers.get('access-control-allow-methods'), 'OPTIONS, GET, DELETE, PATCH');
    assert.equal(headers.get('access-control-max-age'), '300');
  }
});

test('F25 no other origin is ever lent the cookies of this one', async () => {
  const { headers } = await server.call('/api/v2/tokens', { headers: { origin: ORIGIN } });
  assert.equal(headers.get('access-control-allow-credentials'), null);
});
