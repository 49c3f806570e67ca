// Paths of routes over HTTP: the rest of a path as a parameter, other beginnings of paths, and what a router might normalise.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { hostApi } from '../src/host/api.ts';
import { callRoute } from './typed-client.ts';
import type { Api } from '../src/kernel/http/protocol.ts';
import { isNameFree } from '../src/kernel/identity/store-reserved-names.ts';
import { Failure } from '../src/kernel/failure.ts';
import { describeApi } from '../src/kernel/openapi/document.ts';
import { apiOf } from '../src/kernel/http/module.ts';
import { route, type Method } from '../src/kernel/http/route.ts';
import { RepositoryParams, type RepositoryParamValues } from '../src/host/repositories/access.ts';
import { Type, type TObject } from '../src/kernel/schema/schema.ts';
import { mount } from './mount.ts';
import { ADMIN_TOKEN, startServer, type Json, type TestServer } from './server.ts';

const OfRepository = Type.Object(RepositoryParams);
const OfBranch = Type.Object({ ...RepositoryParams, branch: Type.String() });
const OfPath = Type.Object({ ...RepositoryParams, path: Type.String() });

const echo = <P extends TObject>(id: string, method: Method, path: string, params: P) =>
  route(
    {
      id,
      method,
      path: `/repos/{owner}/{repo}${path}`,
      summary: `Echo ${id}`,
      access: 'caller',
      params,
      reply: { 200: Type.Unknown() },
    },
    (call) => ({ id, params: call.params }),
  );

const moved = (method: 'GET' | 'PATCH') =>
  route(
    {
      id: `${method}-old-name`,
      method,
      path: '/moved/{to}',
      summary: 'Answer with another address',
      access: 'caller',
      params: Type.Object({ to: Type.String() }),
      reply: { 200: Type.Unknown() },
    },
    ({ params: { to } }) => {
      throw new Failure('moved', `It is at ${to} now`, { location: to });
    },
  );

const getContents = echo('get-contents', 'GET', '/contents/{path...}', OfPath);
const api: Api = apiOf(
  {
    ...hostApi.protocol,
    versions: { names: ['2022-11-28', '2026-03-10'], changes: [] },
    pathAliases: { '/repositories/{repository_id}': '/repos/{owner}/{repo}' },
  },
  [
    {
      tag: { name: 'paths', description: 'Paths' },
      routes: [
        getContents,
        echo('put-contents', 'PUT', '/contents/{path...}', OfPath),
        echo('get-repository', 'GET', '', OfRepository),
        echo('get-branch', 'GET', '/branches/{branch}', OfBranch),
        ...(['GET', 'PATCH'] as const).map(moved),
        echo('get-protection', 'GET', '/branches/{branch}/protection', OfBranch),
      ],
    },
  ],
);

let server: TestServer;
let mounted: Awaited<ReturnType<typeof mount>>;
before(async () => {
  server = await startServer({ limits: 'off' });
  mounted = await mount(server, api);
});
after(async () => {
  await mounted.close();
  await server.stop();
});

/** `fetch` resolves `..` itself, so that the request is written by hand. */
async function ask(path: string, method = 'GET'): Promise<{ status: number; body: Json }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const { port } = new URL(mounted.url);
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  request({ port, path, method, headers }, (response) => {
    let text = '';
    response.on('data', (chunk: Buffer) => (text += chunk.toString()));
    response.on('end', () => resolve({ status: response.statusCode!, text }));
  })
    .on('error', reject)
    .end();
  const { status, text } = await promise;
  return { status, body: text === '' ? {} : (JSON.parse(text) as Json) };
}

test('the rest of a path is one parameter, decoded once and not normalised', async () => {
  for (const [sent, path] of [
    ['', ''],
    ['/', ''],
    ['/a', 'a'],
    ['/a/b.txt', 'a/b.txt'],
    ['/a%2Fb', 'a/b'],
    ['/a%20b/%C3%A9?ref=x/y', 'a b/é'],
    ['/100%25/%252e', '100%/%2e'],
    ['/100%/x', '100%/x'],
    ['/a+b;c=d', 'a+b;c=d'],
    ['/../../../user', '../../../user'],
    ['/%2e%2e/%2E%2E/user', '../../user'],
    ['/..%2f..%2fuser', '../../user'],
    ['//a//b/', '/a//b/'],
    ['/a%5C..%5Cb', 'a\\..\\b'],
    ['/a\\..\\b', 'a\\..\\b'],
    ['/branches/main/protection', 'branches/main/protection'],
  ] as const) {
    for (const prefix of ['', '/api/v3']) {
      const { status, body } = await ask(`${prefix}/repos/octo/cat/contents${sent}`);
      assert.equal(status, 200, sent);
      assert.deepEqual(body, { id: 'get-contents', params: { owner: 'octo', repo: 'cat', path } }, sent);
    }
  }
  const nul = await ask('/repos/octo/cat/contents/a%00b');
  assert.equal(nul.status, 400);
});

test('a slash in the name of a branch stays inside its parameter, encoded or not', async () => {
  const branch = await ask('/repos/octo/cat/branches/feature%2Fa%2fb');
  assert.deepEqual(branch.body, {
    id: 'get-branch',
    params: { owner: 'octo', repo: 'cat', branch: 'feature/a/b' },
  });
  const protection = await ask('/repos/octo/cat/branches/feature%2Fa/protection');
  assert.deepEqual(protection.body['params']?.branch, 'feature/a');
  const plain = await ask('/repos/octo/cat/branches/feature/a');
  assert.deepEqual(plain.body['params']?.branch, 'feature/a');
  const deeper = await ask('/repos/octo/cat/branches/feature/a/protection');
  assert.deepEqual(deeper.body['params']?.branch, 'feature/a');
  const dots = await ask('/repos/octo/cat/branches/..');
  assert.deepEqual(dots.body['params']?.branch, '..');
});

test('a path with another beginning has the parameters of that beginning, checked like all others', async () => {
  const cases: [path: string, id: string, params: RepositoryParamValues & Record<string, unknown>][] = [
    ['/repositories/12', 'get-repository', { repository_id: 12 }],
    ['/repositories/12/contents', 'get-contents', { repository_id: 12, path: '' }],
    ['/repositories/12/contents/a/b', 'get-contents', { repository_id: 12, path: 'a/b' }],
    ['/api/v3/repositories/12/branches/a%2Fb', 'get-branch', { repository_id: 12, branch: 'a/b' }],
  ];
  for (const [path, id, params] of cases) {
    assert.deepEqual((await ask(path)).body, { id, params }, path);
  }
  for (const path of [
    '/repositories/x',
    '/repositories/0',
    '/repositories/99999999999999999999',
    '/repositories/1.5/contents/a',
  ]) {
    assert.equal((await ask(path)).status, 404, path);
  }
  assert.equal((await ask('/repositories/12/nothing')).status, 404);
  assert.equal((await ask('/repositories')).status, 404);
});

test('a verb that no path with such a rest has is refused as everywhere, and OPTIONS lists those that it has', async () => {
  for (const path of ['/repos/octo/cat/contents', '/repositories/12/contents/a/b']) {
    assert.equal((await ask(path, 'DELETE')).status, 404, path);
    const response = await fetch(mounted.url + path, { method: 'OPTIONS' });
    assert.equal(response.headers.get('allow'), 'OPTIONS, HEAD, GET, PUT', path);
    assert.equal((await ask(path, 'HEAD')).status, 200);
    assert.equal((await ask(path, 'PUT')).body['id'], 'put-contents');
  }
});

test('what has moved is answered with its new address: 301 where it is read, 307 where it is changed', async () => {
  const absolute = 'https://elsewhere.test/a?b=c';
  for (const [prefix, to, location] of [
    ['', '/repositories/12/contents/a%20b?ref=x', `${server.url}/repositories/12/contents/a%20b?ref=x`],
    ['/api/v3', '/repositories/12', `${server.url}/api/v3/repositories/12`],
    ['', absolute, absolute],
  ] as const) {
    for (const [method, status] of [
      ['GET', 301],
      ['HEAD', 301],
      ['PATCH', 307],
    ] as const) {
      const response = await fetch(`${mounted.url}${prefix}/moved/${encodeURIComponent(to)}`, {
        method,
        redirect: 'manual',
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      });
      assert.equal(response.status, status, to);
      assert.equal(response.headers.get('location'), location);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      const text = await response.text();
      if (method === 'HEAD') continue;
      assert.deepEqual(JSON.parse(text), {
        message: 'Moved Permanently',
        url: location,
        documentation_url: `${server.url}/docs/host/errors#moved`,
        status: String(status),
      });
    }
  }
});

test('the typed client fills in the rest of a path', async () => {
  const connection = { url: mounted.url, authorization: `Bearer ${ADMIN_TOKEN}` };
  const { body } = await callRoute(connection, getContents, {
    params: { owner: 'octo', repo: 'cat', path: 'docs/a b' },
  });
  assert.deepEqual((body as { params: unknown }).params, { owner: 'octo', repo: 'cat', path: 'docs/a b' });
});

test('the description has each operation once, with the parameters of the path that it shows', () => {
  const { paths } = describeApi(api, '2026-03-10', {});
  assert.deepEqual(Object.keys(paths).toSorted(), [
    '/moved/{to}',
    '/repos/{owner}/{repo}',
    '/repos/{owner}/{repo}/branches/{branch}',
    '/repos/{owner}/{repo}/branches/{branch}/protection',
    '/repos/{owner}/{repo}/contents/{path}',
  ]);
  const { parameters } = paths['/repos/{owner}/{repo}/contents/{path}']!['get'] as {
    parameters: { name: string; required: boolean }[];
  };
  assert.deepEqual(
    parameters.map(({ name, required }) => [name, required]),
    [
      ['owner', true],
      ['repo', true],
      ['path', true],
    ],
  );
});

test('no new member is named like the first word of a path', async () => {
  const { db } = server.app.kernel;
  const words = [
    'api',
    'v2',
    'sdk',
    'ofrep',
    'repos',
    'users',
    'rate_limit',
    'docs',
    'session',
    'healthz',
    'metrics',
  ];
  for (const word of [...words, 'console', 'Signalbox', 'apify', 'admin']) {
    assert.equal(await isNameFree(db, word), false, word);
  }
  const invited = await server.call('/api/v2/members', {
    method: 'POST',
    body: [{ email: 'docs@example.com', role: 'reader' }],
  });
  assert.equal(invited.status, 201, invited.text);
  assert.equal((await server.call('/users/docs')).status, 404);
  assert.equal((await server.call('/users/docs-2')).status, 200);
});
