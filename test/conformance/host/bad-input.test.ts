// Invalid input to the host, on each engine: an error that says what is wrong, and never a 500.
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { after, before, test } from 'node:test';
import { cpuMsOf } from '../../cpu-time.ts';
import { onEachEngine } from '../../engines.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../../server.ts';
import { exchange } from '../../wire.ts';

const HEAD = `Host: host.example\r\nConnection: close\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n`;
const LONG = 'a'.repeat(900);
const many = { known: 100_000, anonymous: 100_000, seconds: 3600 };

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\n${HEAD}${headers}\r\n`;

function post(path: string, body: string | Buffer, headers = 'Content-Type: application/json\r\n'): Buffer {
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.concat([
    Buffer.from(`POST ${path} HTTP/1.1\r\n${HEAD}${headers}${length}\r\n`, 'latin1'),
    Buffer.from(body),
  ]);
}

const ask = (query: string, variables?: unknown) => post('/graphql', JSON.stringify({ query, variables }));

const PATHS: [path: string, status: number][] = [
  ['/users/%E0%A4%A', 404],
  ['/users/%ED%A0%80', 404],
  ['/users/%', 404],
  ['/users/%00', 400],
  ['/users/a%00b', 400],
  ['/users/%F0%9F%9A%82', 404],
  ['/users/..%2F..%2Fetc%2Fpasswd', 404],
  ["/users/'%20or%20''='", 404],
  [`/users/${LONG}`, 404],
  ['/users/', 404],
  ['/users?since=99999999999999999999', 200],
  ['/users?since=1.5', 422],
  ['/user/%00', 400],
  ['/user/keys/%00', 404],
  ['/user/keys?page=99999999999999999999', 422],
  ['/users/a%00b/starred', 400],
  ['/users/admin/keys?page=0', 422],
  ['/user/starred/a%00b/c', 404],
  ['/user/starred/admin/..%2F..', 404],
  ['/user/starred?page=99999999999999999999', 422],
  ['/repos/admin/%F0%9F%9A%82/stargazers', 404],
  ['/repositories/99999999999999999999/subscribers', 404],
  ['/repos/admin/x/collaborators/%E0%A4%A', 404],
  ['/avatars/99999999999999999999', 404],
  ['/avatars/3000000000', 404],
  ['/avatars/2147483647', 404],
  ['/avatars/-1', 404],
  ['/avatars/1.5', 404],
  ['/avatars/1e3', 404],
  ['/avatars/%00', 404],
  ['/repositories/x', 404],
  ['/repositories/1e0/commits', 404],
  ['/organizations/x', 404],
  ['/organizations/1.5/repos', 404],
  ['/teams/x', 404],
  ['/teams/-1/members', 404],
  ['/search/users?q=', 422],
  ['/search/users?q=%00', 400],
  ['/search/users?q=a&q=b', 422],
  ['/search/users?q[]=a', 422],
  ['/search/users?q=a&page=99999999999999999999', 422],
  ['/search/users?q=a&page=-1', 422],
  ['/search/users?q=a&page=0', 422],
  ['/search/users?q=a&page=1.5', 422],
  ['/search/users?q=a&page=x', 422],
  ['/search/users?q=a&page=1&page=2', 422],
  ['/search/users?q=a&per_page=-1', 422],
  ['/search/users?q=a&per_page=99999999999999999999', 200],
  ['/search/users?q=%E0%A4%A', 200],
  ['/search/users?q=%25%5C_', 200],
  [`/search/users?q=${LONG}`, 422],
  ['/search/users?q=a&__proto__=1&constructor=2', 200],
  ['http://elsewhere.example/search/users?q=a&page=2', 200],
  ['//', 404],
  ['/user%0d%0aX-Injected:%201', 404],
  ['/rate_limit?%00', 200],
  ['/versions?x=%E0%A4%A', 200],
];

const HEADERS: [header: string, status: number][] = [
  ['X-Host-Api-Version: \xff\xfe', 400],
  ['X-Host-Api-Version: __proto__', 400],
  ['X-Host-Api-Version: 2022-11-28\r\nX-Host-Api-Version: 2026-03-10', 400],
  ['Accept: \xff', 415],
  [`Accept: ${',;'.repeat(3000)}`, 200],
  ['If-None-Match: "\xff, W/, ,', 200],
  ['If-Modified-Since: yesterday', 200],
  ['Cookie: \xff=\xff;;=;', 200],
  ['Origin: null', 200],
  ['X-Injected: a\rb', 400],
  ['Content-Length: -1', 400],
];

const BODIES: [name: string, request: string | Buffer, status: number][] = [
  ['empty', post('/graphql', ''), 422],
  ['not JSON', post('/graphql', '{"query":'), 400],
  ['not UTF-8', post('/graphql', Buffer.from([0xff, 0xfe, 0x7b])), 400],
  ['null', post('/graphql', 'null'), 400],
  ['a list', post('/graphql', '[]'), 400],
  ['a text', post('/graphql', '"x"'), 400],
  ['deep', post('/graphql', `{"query":${'['.repeat(100_000)}`), 400],
  ['wrong types', post('/graphql', '{"query":1,"variables":[],"operationName":{}}'), 422],
  ['a prototype', post('/graphql', '{"query":"{viewer{login}}","__proto__":{"x":1}}'), 200],
  ['an odd type', post('/graphql', '{"query":"{viewer{login}}"}', 'Content-Type: text/plain\r\n'), 200],
  ['no type', post('/graphql', '{"query":"{viewer{login}}"}', ''), 200],
  ['a broken type', post('/graphql', '{"query":"{viewer{login}}"}', 'Content-Type: ///\r\n'), 400],
  ['an unknown encoding', post('/graphql', '{}', 'Content-Encoding: zstd\r\n'), 415],
  ['a wrong encoding', post('/graphql', '{}', 'Content-Encoding: gzip\r\n'), 400],
  [
    'too large',
    `POST /graphql HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{`,
    413,
  ],
  [
    'chunked',
    `POST /graphql HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n1b\r\n{"query":"{viewer{login}}"}\r\n0\r\n\r\n`,
    200,
  ],
  ['a broken chunk', `POST /graphql HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
  [
    'two lengths',
    `POST /graphql HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`,
    400,
  ],
  ['not asked for', post('/app-manifests/x/conversions', '{}'), 404],
  ['not asked for and not JSON', post('/app-manifests/x/conversions', '{'), 400],
  ['a NUL in a code', post('/app-manifests/%00/conversions', ''), 400],
  ['SARIF for nothing', post('/repos/a/b/code-scanning/sarifs', '{"commit_sha":5,"ref":null}'), 404],
  ['a NUL in a login', ask('{ user(login: "\\u0000") { login } }'), 200],
  ['a NUL in a variable', ask('query($l: String!) { user(login: $l) { login } }', { l: 'a\0b' }), 200],
  ['half a letter', ask('query($l: String!) { user(login: $l) { login } }', { l: '\ud800' }), 200],
  ['a NUL in a search', ask('{ search(query: "\\u0000", type: USER, first: 1) { userCount } }'), 200],
  [
    'a long search',
    ask(`{ search(query: "${'x'.repeat(60_000)}", type: USER, first: 1) { userCount } }`),
    200,
  ],
  [
    'a made-up cursor',
    ask(`{ search(query: "a", type: USER, first: 1, after: "${btoa('cursor:1e300')}") { userCount } }`),
    200,
  ],
  [
    'a far cursor',
    ask(`{ search(query: "a", type: USER, first: 1, after: "${btoa('cursor:999999999')}") { userCount } }`),
    200,
  ],
  [
    'a fraction of a page',
    ask('query($n: Int) { search(query: "a", type: USER, first: $n) { userCount } }', { n: 1.5 }),
    200,
  ],
  ['a deep list', ask(`{ user(login: ${'['.repeat(2400)}${']'.repeat(2400)}) { login } }`), 200],
  ['a deep type', ask(`query($a: ${'['.repeat(2400)}Int${']'.repeat(2400)}) { viewer { login } }`), 200],
  [
    'deep fields',
    ask(`{ __type(name: "User") ${'{ ofType '.repeat(2400)}{ name } ${'}'.repeat(2400)} }`),
    200,
  ],
  ['too many words', ask(`{ ${'viewer { login } '.repeat(2000)} }`), 200],
];

onEachEngine(({ kind, database }) => {
  let server: TestServer;
  before(async () => {
    const location = await database();
    const place = kind === 'sqlite' ? { data: dirname(location) } : { database: location };
    server = await startServer({ ...place, limit: { 'host.search': many } });
  });
  after(() => server.stop());

  async function expectStatus(request: string | Buffer, status: number, name: string): Promise<void> {
    const answer = await exchange(server.url, request);
    assert.equal(answer.status, status, `${name}: ${answer.text.slice(0, 2000)}`);
    assert.doesNotMatch(answer.text, /^x-injected/im);
    const bugs = server.log.filter(({ level }) => (level as number) >= 50);
    assert.deepEqual(bugs, [], name);
  }

  test('strange paths and queries are told off or found', async () => {
    for (const [path, status] of PATHS) {
      await expectStatus(get(path), status, path);
      if (path.startsWith('/')) await expectStatus(get(`/api/v3${path}`), status, `/api/v3${path}`);
    }
  });

  test('a path that is far too long is refused', async () => {
    await expectStatus(get(`/users/${LONG.repeat(10)}`), 404, 'a long name');
    assert.equal((await exchange(server.url, get(`/users/${'a'.repeat(20_000)}`))).status, 431);
  });

  test('strange headers change nothing, or are told off', async () => {
    for (const [header, status] of HEADERS) {
      const request = Buffer.from(get('/user', `${header}\r\n`), 'latin1');
      await expectStatus(request, status, header.slice(0, 60));
    }
  });

  test('strange verbs find nothing', async () => {
    for (const verb of ['PUT', 'DELETE', 'TRACE', 'PROPFIND'])
      await expectStatus(`${verb} /user HTTP/1.1\r\n${HEAD}\r\n`, 404, verb);
    await expectStatus(`NONSENSE /user HTTP/1.1\r\n${HEAD}\r\n`, 400, 'NONSENSE');
    await expectStatus(`OPTIONS * HTTP/1.1\r\n${HEAD}\r\n`, 204, 'OPTIONS *');
  });

  for (const [name, request, status] of BODIES) {
    test(`a body that is ${name} is answered ${status}`, () => expectStatus(request, status, name));
  }

  test('fragments that spread each other do not keep the server busy', async () => {
    const links = Array.from(
      { length: 200 },
      (_, at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`,
    );
    const query = `{ ...F0 } ${links.join(' ')} fragment F200 on Query { viewer { login } }`;
    const cpuMs = await cpuMsOf(() => expectStatus(ask(query), 200, 'fragments'));
    assert.ok(cpuMs < 10_000, `${cpuMs} ms`);
  });
});
