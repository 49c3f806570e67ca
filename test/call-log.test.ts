// The call log: one line for each call that fails or changes configuration, and at level debug for all calls.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { eventually } from './eventually.ts';
import { FORM, giveToken, join, openBrowser } from './people.ts';
import { startServer, type CallInit, type TestServer } from './server.ts';

const INFO = 30;
const DEBUG = 20;
const SECRET = 'a'.repeat(43);

type Line = Record<string, unknown>;

let server: TestServer;
before(async () => {
  server = await startServer({ limits: 'off' });
});
after(() => server.stop());
beforeEach(() => {
  server.log.length = 0;
});

/** The log lines of a call; waits for the first. */
async function linesOf(path: string, init: CallInit = {}): Promise<Line[]> {
  const from = server.log.length;
  await server.call(path, init);
  const lines = () => server.log.slice(from).filter(({ api }) => api !== undefined);
  await eventually(() => lines().length > 0);
  return lines();
}

test('a configuration change is one line at info: operation, caller, address and result', async () => {
  const lines = await linesOf('/api/v2/projects', {
    method: 'POST',
    body: { key: 'logged', name: 'Logged' },
  });
  assert.equal(lines.length, 1);
  const { level, call, ms, address, time, msg, ...rest } = lines[0]!;
  assert.equal(level, INFO);
  assert.match(String(call), /^[0-9a-f-]{36}$/);
  assert.equal(typeof ms, 'number');
  assert.equal(typeof time, 'number');
  assert.equal(msg, 'call');
  assert.match(String(address), /127\.0\.0\.1$/);
  assert.deepEqual(
    { ...rest, pid: undefined, hostname: undefined },
    {
      api: 'flags',
      method: 'POST',
      route: 'postProject',
      path: '/api/v2/projects',
      status: 201,
      caller: 'admin',
      token: 'oken',
      pid: undefined,
      hostname: undefined,
    },
  );
});

test('a call that only reads is logged at debug', async () => {
  const [line] = await linesOf('/api/v2/projects');
  assert.deepEqual([line?.['level'], line?.['method'], line?.['status']], [DEBUG, 'GET', 200]);
});

test('data routes are logged at debug when they succeed, and at info when they fail', async () => {
  await server.call('/v2/datasets?name=logged', { method: 'POST' });
  await server.call('/v2/key-value-stores?name=logged', { method: 'POST' });
  await server.call('/v2/request-queues?name=logged', { method: 'POST' });
  const calls: [path: string, init: CallInit][] = [
    ['/v2/datasets/~logged/items', { method: 'POST', body: [{ a: 1 }] }],
    ['/v2/key-value-stores/~logged/records/one', { method: 'PUT', body: 'text' }],
    ['/v2/key-value-stores/~logged/records/one', { method: 'DELETE' }],
    ['/v2/request-queues/~logged/requests', { method: 'POST', body: { url: 'http://example.com' } }],
    ['/v2/request-queues/~logged/head/lock?lockSecs=1', { method: 'POST' }],
    ['/api/v2/projects/default/environments/test/flags/evaluate', { method: 'POST', body: { key: 'ada' } }],
    ['/graphql', { method: 'POST', body: { query: '{ viewer { login } }' } }],
  ];
  for (const [path, init] of calls) {
    const [line] = await linesOf(path, init);
    assert.equal(line?.['level'], DEBUG, `${path}: ${JSON.stringify(line)}`);
  }
  const [failed] = await linesOf('/v2/datasets/~logged/items', { method: 'POST', body: '[1' });
  assert.deepEqual([failed?.['level'], failed?.['status'], failed?.['caller']], [INFO, 400, 'admin']);
});

test('a failed call is one line, with the message of its error and its caller', async () => {
  const ada = await join(server, 'ada');
  const { value } = await giveToken(server, ada, { role: 'reader' });
  const lines = await linesOf('/api/v2/projects', {
    method: 'POST',
    token: value,
    body: { key: 'x', name: 'X' },
  });
  assert.equal(lines.length, 1);
  const [line] = lines;
  assert.deepEqual([line?.['level'], line?.['status'], line?.['failure']], [INFO, 401, 'denied']);
  assert.deepEqual([line?.['caller'], line?.['token']], ['ada', value.slice(-4)]);
  assert.equal(typeof line?.['ms'], 'number');
});

test('a session is logged by its member alone, and a stranger by the address alone', async () => {
  const ada = await join(server, 'ada-2', { role: 'writer' });
  const headers = await openBrowser(server, ada);
  const [mine] = await linesOf('/v2/users/me', { token: null, headers });
  assert.deepEqual([mine?.['caller'], mine?.['token']], ['ada-2', undefined]);
  const [stranger] = await linesOf('/v2/users/me', { token: null });
  assert.deepEqual([stranger?.['caller'], stranger?.['status']], [undefined, 401]);
  assert.match(String(stranger?.['address']), /127\.0\.0\.1$/);
});

test('logging in is logged with its member, and a refused try with its address alone', async () => {
  const ada = await join(server, 'ada-3');
  await openBrowser(server, ada);
  const [entered] = server.log.filter(({ msg }) => msg === 'logged in');
  assert.equal(entered?.['caller'], 'ada-3');
  await server.call('/session', {
    method: 'POST',
    token: null,
    headers: { ...FORM, origin: server.url },
    body: `name=hunter2&password=hunter2`,
  });
  const [refused] = server.log.filter(({ msg }) => msg === 'login refused');
  assert.match(String(refused?.['address']), /127\.0\.0\.1$/);
  assert.ok(!JSON.stringify(server.log).includes('hunter2'));
});

test('no secret of a URL is logged, whether or not there is a route', async () => {
  const paths = [
    `/v2/users/me?token=${SECRET}`,
    `/v2/datasets/unknown/items?signature=${SECRET}`,
    `/api/v2/webhook/triggers/unknown/${SECRET}`,
    `/api/v2/webhook/triggers/unknown/${SECRET}/more`,
    `/v2/nothing/${SECRET}`,
    `/v2/nothing/eyJ${SECRET.slice(0, 20)}%3D`,
  ];
  for (const path of paths) {
    const [line] = await linesOf(path, { token: null, method: path.includes('triggers') ? 'POST' : 'GET' });
    assert.ok(!JSON.stringify(server.log).includes(SECRET.slice(0, 20)), path);
    assert.ok(
      String(line?.['path']).startsWith(path.split(/[?a]{20}/)[0]!.slice(0, 8)),
      String(line?.['path']),
    );
  }
});

test('ignored fields and parameters are in the debug line', async () => {
  const [line] = await linesOf('/v2/request-queues/~logged/requests?forfront=1', {
    method: 'POST',
    body: { url: 'http://example.com/2', uniqeKey: 'x' },
  });
  assert.deepEqual(line?.['ignored'], ['query.forfront', 'uniqeKey']);
});
