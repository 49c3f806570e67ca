// Secondary limits of the host over HTTP, and whose limits a call counts against. Rules H3–H5.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { anonymousAt } from '../../../../src/kernel/identity/caller.ts';
import { route, Stream, Text } from '../../../../src/kernel/http/route.ts';
import type { OpenApiDocument } from '../../../../src/kernel/openapi/document.ts';
import { hostApi } from '../../../../src/host/api.ts';
import { eventually } from '../../../eventually.ts';
import { joinHost } from '../../../host-people.ts';
import { mount } from '../../../mount.ts';
import { startServer, type Answer, type TestServer } from '../../../server.ts';

function assertSecondary({ status, headers, json }: Answer, most: number): void {
  assert.equal(status, 403);
  assert.match(json['message'], /^You have exceeded a secondary rate limit: /);
  assert.match(json['documentation_url'], /\/docs\/host#secondary-rate-limits$/);
  const wait = Number(headers.get('retry-after'));
  assert.ok(wait >= 1 && wait <= most, `${wait}`);
  assert.notEqual(headers.get('x-ratelimit-remaining'), '0');
  assert.equal(headers.get('cache-control'), 'no-store');
}

describe('secondary limits', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({
      secondaryLimitPoints: 10,
      secondaryLimitGraphql: 3,
      secondaryLimitContentMinute: 2,
      secondaryLimitContentHour: 3,
    });
    server.clock.stop();
  });
  after(() => server.stop());

  test('H5 points per minute for one endpoint: reads cost 1, changes 5, and the budget is not touched', async () => {
    const ann = await joinHost(server, 'ann');
    for (let call = 0; call < 10; call += 1) assert.equal((await ann.get('/user')).status, 200);
    const refused = await ann.get('/user');
    assertSecondary(refused, 60);
    assert.equal(refused.headers.get('x-ratelimit-used'), '10');
    assert.equal((await ann.get('/rate_limit')).json['rate'].used, 10);
    assert.equal((await ann.get('/api/v3/user')).status, 403, 'the same endpoint');
    assert.equal((await ann.get('/user/repos')).status, 200);
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await ann.patch('/user', { name: 'Ann' })).status);
    assert.deepEqual(statuses, [200, 200, 403]);
    server.clock.ahead += 60_000;
    assert.equal((await ann.get('/user')).status, 200);
    const page = await server.call('/docs/host', { token: null });
    assert.match(page.text, /id="secondary-rate-limits".*Points per minute, rest<\/td><td>10</s);
  });

  test('H5 paths that do not exist have points, too', async () => {
    const pat = await joinHost(server, 'pat');
    for (let call = 0; call < 10; call += 1) await pat.get(`/nothing/${call}`);
    assertSecondary(await pat.get('/nothing/else'), 60);
  });

  test('H3 no secondary limit refuses to say what is left', async () => {
    const sue = await joinHost(server, 'sue');
    for (let call = 0; call < 30; call += 1) {
      const { status, headers, json } = await sue.get('/rate_limit');
      assert.deepEqual([status, json['rate'].used, headers.get('x-ratelimit-used')], [200, 0, '0']);
      assert.equal((await server.call('/rate_limit', { token: null })).status, 200);
    }
  });

  test('H3 who asks for it with a credential that is not valid is counted, as everywhere', async () => {
    const used = async () => (await server.call('/rate_limit', { token: null })).json['rate'].used as number;
    const usedBefore = await used();
    assert.equal((await server.call('/rate_limit', { token: 'wrong' })).status, 401);
    const cookie = { cookie: 'signalbox_session=wrong' };
    assert.equal((await server.call('/rate_limit', { token: null, headers: cookie })).status, 200);
    assert.equal(await used(), usedBefore + 2);
  });

  test('H5 GraphQL has points of its own', async () => {
    const gus = await joinHost(server, 'gus');
    const ask = () => gus.post('/graphql', { query: '{ viewer { login } }' });
    for (let call = 0; call < 3; call += 1) assert.equal((await ask()).status, 200);
    assertSecondary(await ask(), 60);
    assert.equal((await gus.get('/user')).status, 200);
  });

  test('H5 a change by GraphQL counts for five points, as over REST', async () => {
    const meg = await joinHost(server, 'meg');
    const change = '{ resolveReviewThread(input: { threadId: "x" }) { thread { id } } }';
    assertSecondary(await meg.post('/graphql', { query: `mutation ${change}` }), 60);
    // Only what it counted for as a call is spent.
    for (let call = 0; call < 2; call += 1)
      assert.equal((await meg.post('/graphql', { query: '{ viewer { login } }' })).status, 200);
    assertSecondary(await meg.post('/graphql', { query: '{ viewer { login } }' }), 60);
  });

  test('H5 what creates something is limited by the minute and the hour, also where it fails', async () => {
    const cat = await joinHost(server, 'cat');
    const create = (name: string) => cat.post('/user/repos', { name });
    assert.equal((await create('one')).status, 201);
    assert.equal((await create('')).status, 422);
    assertSecondary(await create('two'), 60);
    server.clock.ahead += 60_000;
    assert.equal((await create('two')).status, 201);
    assertSecondary(await create('three'), 3600);
    assert.equal((await cat.get('/repos/cat/three')).status, 404);
  });

  test('H5 every operation that answers 201 creates something, and so does a fork', async () => {
    const fay = await joinHost(server, 'fay');
    const gist = () => fay.post('/gists', { files: { 'a.txt': { content: 'a' } } });
    assert.equal((await gist()).status, 201);
    const { json } = await gist();
    assertSecondary(await gist(), 60);
    assertSecondary(await fay.post(`/gists/${json['id']}/comments`, { body: 'Yes.' }), 60);
    assertSecondary(await fay.post('/repos/fay/none/forks', {}), 60);
    const file = { message: 'One', content: '' };
    assertSecondary(await fay.call('/repos/fay/none/contents/a', { method: 'PUT', body: file }), 60);
    assert.equal((await fay.call(`/gists/${json['id']}/star`, { method: 'PUT' })).status, 204);
  });

  test('H5 a minute slides: no second passes in which more is done than in any other minute', async () => {
    const max = await joinHost(server, 'max');
    const status = async () => (await max.get('/user')).status;
    server.clock.ahead += 60_000;
    assert.equal(await status(), 200);
    server.clock.ahead += 54_000;
    for (let call = 0; call < 9; call += 1) assert.equal(await status(), 200);
    server.clock.ahead += 6000;
    assert.equal(await status(), 200, 'the first call is a minute ago');
    assertSecondary(await max.get('/user'), 54);
    server.clock.ahead += 54_000;
    for (let call = 0; call < 9; call += 1) assert.equal(await status(), 200);
    assertSecondary(await max.get('/user'), 6);
  });

  test('H5 a wrong token counts for the address, not for a member', async () => {
    server.clock.ahead += 60_000;
    for (let call = 0; call < 10; call += 1)
      assert.equal((await server.call('/meta', { token: 'wrong' })).status, 401);
    assertSecondary(await server.call('/meta', { token: null }), 60);
    assert.equal((await server.call('/meta')).status, 200);
  });
});

test('H5 the operator may have limits answered with 429, and the body says so too', async () => {
  const limit = { 'host.core': { known: 2, anonymous: 1, seconds: 60 } };
  const server = await startServer({ hostLimitStatus: '429', secondaryLimitGraphql: 1, limit });
  try {
    for (let call = 0; call < 2; call += 1) assert.equal((await server.call('/user')).status, 200);
    const spent = await server.call('/user');
    assert.deepEqual([spent.status, spent.json['status']], [429, '429']);
    assert.match(spent.json['message'], /^API rate limit exceeded for /);
    assert.equal(spent.headers.get('x-ratelimit-remaining'), '0');
    const ask = () => server.call('/graphql', { method: 'POST', body: { query: '{ viewer { login } }' } });
    assert.equal((await ask()).status, 200);
    const secondary = await ask();
    assert.deepEqual([secondary.status, secondary.json['status']], [429, '429']);
    assert.match(secondary.json['message'], /secondary rate limit/);
    assert.ok(Number(secondary.headers.get('retry-after')) >= 1);
    const documents = ['/openapi.json', '/docs/host/2026-03-10.json'];
    const token = await joinHost(server, 'reader');
    for (const { json } of [
      await token.get(documents[0]!),
      await server.call(documents[1]!, { token: null }),
    ]) {
      const { paths, components } = json as unknown as OpenApiDocument;
      const { responses } = paths['/user']!['get'] as { responses: object };
      assert.deepEqual(Object.keys(responses).includes('429'), true);
      assert.match(JSON.stringify(components.responses['429']), /A rate limit is spent/);
      assert.doesNotMatch(JSON.stringify(components.responses['403']), /A rate limit is spent/);
    }
    const page = await server.call('/docs/host', { token: null });
    assert.match(page.text, /<td><a [^>]+>429<\/a><\/td><td>A rate limit is spent/);
  } finally {
    await server.stop();
  }
});

test('H5 so many calls at the same time; each is given back however it ends', async () => {
  const server = await startServer({ secondaryLimitConcurrent: 2 });
  const { kernel } = server.app;
  const local = anonymousAt('127.0.0.1');
  const open = () => kernel.secondaryLimits.openCalls(local, kernel.clock.now());
  let release: () => void = () => {};
  const access = 'anyone' as const;
  const held = new Promise<void>((resolve) => (release = resolve));
  const shape = { method: 'GET' as const, summary: 'x', access };
  const routes = [
    route(
      { ...shape, id: 'test/slow', path: '/slow' },
      async () => (await held, new Text('text/plain', 'done')),
    ),
    route({ ...shape, id: 'test/fails', path: '/fails' }, () => {
      throw new Error('broken');
    }),
    route(
      { ...shape, id: 'test/stream', path: '/stream', produces: 'text/plain' },
      () =>
        new Stream(
          (async function* () {
            yield Buffer.from('a');
            await held;
          })(),
          { 'content-type': 'text/plain' },
        ),
    ),
  ];
  const { url, close } = await mount(server, { ...hostApi, routes, rawRoutes: [] });
  const port = Number(new URL(url).port);
  const send = async (...paths: string[]) => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => {}).resume();
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    return socket;
  };
  for (const paths of [['/slow'], ['/stream'], ['/slow', '/slow'], ['/stream', '/slow']]) {
    const socket = await send(...paths);
    await eventually(() => open() === paths.length);
    if (paths.length === 2) {
      const refused = await fetch(`${url}/fails`);
      assert.equal(refused.status, 403);
      assert.match(((await refused.json()) as { message: string }).message, /secondary rate limit/);
      assert.equal(refused.headers.get('retry-after'), '1');
    }
    socket.destroy();
    await eventually(() => open() === 0);
  }
  for (let call = 0; call < 5; call += 1) {
    assert.equal((await fetch(`${url}/fails`)).status, 500);
    assert.equal((await fetch(`${url}/nothing`)).status, 404);
  }
  const slow = fetch(`${url}/slow`);
  await eventually(() => open() === 1);
  release();
  assert.equal((await slow).status, 200);
  await eventually(() => open() === 0);
  await close();
  await server.stop();
});

describe('addresses', () => {
  const limit = { 'host.core': { known: 100, anonymous: 2, seconds: 60 } };
  const usedBy = async (server: TestServer, forwarded: string) => {
    const { headers } = await server.call('/meta', {
      token: null,
      headers: { 'x-forwarded-for': forwarded },
    });
    return headers.get('x-ratelimit-used');
  };

  test('H5 who is no trusted proxy cannot choose an address', async () => {
    const server = await startServer({ limit });
    assert.equal(await usedBy(server, '192.0.2.1'), '1');
    assert.equal(await usedBy(server, '192.0.2.2'), '2');
    const { status, json } = await server.call('/meta', {
      token: null,
      headers: { 'x-forwarded-for': '192.0.2.3' },
    });
    assert.equal(status, 403);
    assert.match(json['message'], /^API rate limit exceeded for 127\.0\.0\.1\./);
    await server.stop();
  });

  test('H5 behind trusted proxies the last address that is none of them counts, and IPv6 by /64', async () => {
    const server = await startServer({ limit, trustProxy: ['127.0.0.1', '10.0.0.0/8'] });
    assert.equal(await usedBy(server, '192.0.2.1'), '1');
    assert.equal(await usedBy(server, '198.51.100.9, 192.0.2.1, 10.1.2.3'), '2', 'the first is made up');
    assert.equal(await usedBy(server, '192.0.2.1, 198.51.100.9'), '1');
    assert.equal(await usedBy(server, '2001:db8:0:1::1'), '1');
    assert.equal(await usedBy(server, '2001:db8:0:1:ffff::2'), '2');
    assert.equal(await usedBy(server, '2001:db8:0:2::1'), '1');
    assert.equal(await usedBy(server, 'nonsense'), '1');
    assert.equal(await usedBy(server, 'other nonsense'), '2');
    await server.stop();
  });

  test('H4 a 304 is free for authenticated callers, and counts for others', async () => {
    const server = await startServer({ limit });
    for (const [token, used] of [
      [undefined, ['1', '1']],
      [null, ['1', '2']],
    ] as const) {
      const init = token === null ? { token } : {};
      const first = await server.call('/meta', init);
      const headers = { 'if-none-match': first.headers.get('etag')! };
      const second = await server.call('/meta', { ...init, headers });
      assert.equal(second.status, 304);
      assert.deepEqual(
        [first, second].map((one) => one.headers.get('x-ratelimit-used')),
        used,
      );
    }
    await server.stop();
  });

  test('H4 also where files and archives answer it, which know their ETag before they are read', async () => {
    const server = await startServer();
    const ann = await joinHost(server, 'ann');
    await ann.repository('shop', { auto_init: true });
    const archive = await ann.get('/repos/ann/shop/tarball');
    const raw = { accept: 'application/vnd.host.raw' };
    for (const [path, more] of [
      ['/repos/ann/shop/readme', raw],
      ['/repos/ann/shop/contents/README.md', {}],
      [new URL(archive.headers.get('location')!).pathname, {}],
    ] as const) {
      const first = await ann.call(path, { headers: more });
      assert.equal(first.status, 200, path);
      const headers = { ...more, 'if-none-match': first.headers.get('etag')! };
      for (const method of ['GET', 'HEAD']) {
        const second = await ann.call(path, { method, headers });
        assert.equal(second.status, 304, path);
        const [earlier, now] = [first, second].map((one) => one.headers.get('x-ratelimit-used'));
        assert.equal(now, earlier, `${method} ${path}`);
      }
    }
    await server.stop();
  });
});
