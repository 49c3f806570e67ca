// Media types, errors, credentials, CORS and the plain resources of the host, on a running server: rule H24, and what clients depend on.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ADMIN_TOKEN, startServer, type Answer, type CallInit, type TestServer } from '../../../server.ts';

const SIMPLE_USER =
  'avatar_url events_url followers_url following_url gists_url gravatar_id html_url id node_id login organizations_url received_events_url repos_url site_admin starred_url subscriptions_url type url';
const PUBLIC_USER = `${SIMPLE_USER} bio blog company email followers following hireable location name twitter_username public_gists public_repos created_at updated_at`;
const PRIVATE_USER = `${PUBLIC_USER} collaborators disk_usage owned_private_repos private_gists total_private_repos two_factor_authentication`;

const namesIn = (text: string) => text.split(' ').sort();
const keysOf = ({ json }: Answer) => Object.keys(json).sort();

let server: TestServer;
before(async () => (server = await startServer({ publicUrl: 'https://host.example' })));
after(() => server.stop());

for (const prefix of ['', '/api/v3']) {
  describe(`below "${prefix}/"`, () => {
    const call = (path: string, init?: CallInit) => server.call(prefix + path, init);
    const accepting = (accept: string) => call('/meta', { headers: { accept } });

    test('H24 the vendor media type of any vendor is accepted, and answered as plain JSON', async () => {
      const types = [
        ['application/vnd.host.v3+json', 'v3; format=json'],
        ['application/vnd.github.v3+json', 'v3; format=json'],
        ['application/vnd.some-vendor2.v3+json', 'v3; format=json'],
        ['Application/VND.GitHub.V3+JSON', 'v3; format=json'],
        ['application/vnd.github+json', 'v3; format=json'],
        ['application/vnd.github.v3.raw+json', 'v3; param=raw; format=json'],
        ['application/vnd.github.v3.raw', 'v3; param=raw'],
        ['application/vnd.github.beta+json', 'beta; format=json'],
        ['application/vnd.github.beta.raw', 'beta; param=raw'],
        ['application/vnd.github.machine-man-preview+json', 'v3; param=machine-man-preview; format=json'],
        ['application/vnd.github.v3+json; charset=utf-8', 'v3; format=json'],
        ['text/html, application/vnd.github.v3+json;q=0.9', 'v3; format=json'],
        ['application/json', 'v3; format=json'],
        ['*/*', 'v3'],
        ['application/*', 'v3'],
        ['', 'v3'],
      ] as const;
      for (const [accept, told] of types) {
        const { status, headers, json } = await accepting(accept);
        assert.equal(status, 200, accept);
        assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
        assert.equal(headers.get('x-host-media-type'), `host.${told}`, accept);
        assert.equal(headers.get('x-github-media-type'), `github.${told}`, accept);
        assert.ok('installed_version' in json);
      }
    });

    test('H24 an Accept header without anything that is JSON is 415', async () => {
      for (const accept of ['text/html', 'image/png, text/html;q=0.5', 'application/xml']) {
        const { status, json, headers } = await accepting(accept);
        assert.equal(status, 415, accept);
        assert.match(json['message'], /Must accept 'application\/json'/);
        assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      }
    });

    test('H24 what is not JSON can be asked for by its own type', async () => {
      for (const accept of ['text/plain', 'text/*', 'application/vnd.github.v3+json', '*/*']) {
        const { status, headers, text } = await call('/zen', { headers: { accept } });
        assert.equal(status, 200, accept);
        assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
        assert.match(text, /^[A-Z].*\.$/);
      }
      const picture = await call('/avatars/1', { headers: { accept: 'image/*' } });
      assert.equal(picture.headers.get('content-type'), 'image/svg+xml');
    });

    test('every error has a message, a documentation_url and its status as text', async () => {
      const cases: [string, CallInit, number, RegExp][] = [
        ['/user', { token: null }, 401, /^Requires authentication$/],
        ['/user', { token: 'api-wrong' }, 401, /^Bad credentials$/],
        ['/meta', { token: 'api-wrong' }, 401, /^Bad credentials$/],
        ['/nothing', {}, 404, /^Not Found$/],
        ['/user/', {}, 404, /^Not Found$/],
        ['/user', { method: 'DELETE' }, 404, /^Not Found$/],
        ['/meta', { method: 'PATCH', token: null }, 404, /^Not Found$/],
        ['/users/nobody', {}, 404, /^Not Found$/],
        ['/graphql', { method: 'POST', body: '{' }, 400, /^Problems parsing JSON$/],
        ['/graphql', { method: 'POST', body: [] }, 400, /^Body should be a JSON object$/],
        ['/graphql', { method: 'POST', body: '"text"' }, 400, /^Body should be a JSON object$/],
        ['/graphql', { method: 'POST', body: {} }, 422, /^Validation Failed$/],
        ['/graphql', { method: 'POST' }, 422, /^Validation Failed$/],
        ['/search/users', {}, 422, /^Validation Failed$/],
        ['/search/users?q=a&page=1001&per_page=1', {}, 422, /^Only the first 1000/],
      ];
      for (const [path, init, status, message] of cases) {
        const answer = await call(path, init);
        assert.equal(answer.status, status, path);
        assert.match(answer.json['message'], message);
        assert.equal(answer.json['status'], String(status));
        assert.match(answer.json['documentation_url'], /^https:\/\/host\.example\/docs\/host/);
        assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
        assert.equal(answer.headers.get('cache-control'), 'no-store');
        assert.match(answer.headers.get('x-github-request-id')!, /./);
      }
    });

    test('a failed validation names every field with a code', async () => {
      const { json } = await call('/user/repos', {
        method: 'POST',
        body: { private: 'yes', description: 5 },
      });
      const errors = json['errors'] as { resource: string; field: string; code: string; message: string }[];
      assert.deepEqual(errors.map(({ resource, field, code }) => `${resource} ${field} ${code}`).sort(), [
        'repos description invalid',
        'repos name missing_field',
        'repos private invalid',
      ]);
      for (const { field, message } of errors) assert.ok(message.startsWith(`${field} `));
    });

    test('a token is taken as Bearer, as token, and as the password or name of Basic', async () => {
      const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
      const good = [
        `Bearer ${ADMIN_TOKEN}`,
        `bearer  ${ADMIN_TOKEN}`,
        `token ${ADMIN_TOKEN}`,
        basic(`admin:${ADMIN_TOKEN}`),
        basic(`${ADMIN_TOKEN}:x-oauth-basic`),
        basic(`${ADMIN_TOKEN}:`),
        basic(ADMIN_TOKEN),
      ];
      for (const authorization of good) {
        const { status, json } = await call('/user', { headers: { authorization } });
        assert.equal(status, 200, authorization);
        assert.equal(json['login'], 'admin');
      }
      for (const authorization of ['Bearer', 'token x', basic('admin:wrong'), 'Basic %%%', 'Digest a=b']) {
        const { status, json } = await call('/user', { headers: { authorization } });
        assert.equal(status, 401, authorization);
        assert.equal(json['message'], 'Bad credentials');
      }
    });

    test('a revoked token is a bad credential from the next call on', async () => {
      const { json: made } = await server.call('/api/v2/tokens', {
        method: 'POST',
        body: { name: 'short-lived', role: 'reader' },
      });
      const token = made['token'] as string;
      assert.equal((await call('/user', { token })).status, 200);
      await server.call(`/api/v2/tokens/${made['_id']}`, { method: 'DELETE' });
      const { status, json } = await call('/user', { token });
      assert.deepEqual([status, json['message']], [401, 'Bad credentials']);
    });

    test('the caller has the 37 required fields of a private user, anyone else the 31 of a public one, and the optional one that a profile has', async () => {
      const [mine, theirs] = [await call('/user'), await call('/users/admin', { token: null })];
      assert.deepEqual(keysOf(mine), namesIn(PRIVATE_USER));
      assert.equal(keysOf(mine).length, 37 + 1);
      assert.deepEqual(keysOf(theirs), namesIn(PUBLIC_USER));
      assert.equal(keysOf(theirs).length, 31 + 1);
      assert.equal(mine.json['email'], 'admin@signalbox.example');
      assert.equal(theirs.json['email'], null, 'an address is nobody else’s business');
      assert.equal(theirs.json['url'], `https://host.example${prefix}/users/admin`);
      assert.match(theirs.json['created_at'], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.equal(mine.headers.get('cache-control'), 'private, max-age=60, s-maxage=60');
      assert.equal(theirs.headers.get('cache-control'), 'public, max-age=60, s-maxage=60');
      assert.ok(Date.parse(mine.headers.get('last-modified')!) > 0);
    });

    test('HEAD says what GET would, without the body', async () => {
      for (const path of ['/user', '/rate_limit', '/', '/users/nobody', '/nothing']) {
        const [head, get] = [await call(path, { method: 'HEAD' }), await call(path)];
        assert.equal(head.status, get.status, path);
        assert.equal(head.text, '');
        for (const name of ['content-type', 'content-length', 'etag', 'x-ratelimit-resource'])
          assert.equal(head.headers.get(name), get.headers.get(name), `${name} of ${path}`);
      }
    });

    test('a preflight from any page is 204 with the lists of headers and methods', async () => {
      const { status, headers, text } = await call('/user', {
        method: 'OPTIONS',
        token: null,
        headers: { origin: 'https://page.example', 'access-control-request-method': 'GET' },
      });
      assert.deepEqual([status, text], [204, '']);
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.equal(headers.get('access-control-allow-methods'), 'GET, POST, PATCH, PUT, DELETE');
      assert.equal(headers.get('access-control-max-age'), '86400');
      const allowed = headers.get('access-control-allow-headers')!.split(', ');
      const wanted =
        'Authorization Content-Type If-Match If-Modified-Since If-None-Match If-Unmodified-Since X-Requested-With X-Host-Api-Version X-GitHub-Api-Version';
      assert.deepEqual(allowed.sort(), namesIn(wanted));
    });

    test('pages may read the headers that clients need', async () => {
      const { headers } = await call('/meta', { headers: { origin: 'https://page.example' } });
      assert.equal(headers.get('access-control-allow-origin'), '*');
      const exposed = headers.get('access-control-expose-headers')!.split(', ');
      const wanted =
        'ETag Link Location Retry-After X-RateLimit-Limit X-RateLimit-Remaining X-RateLimit-Used X-RateLimit-Reset X-RateLimit-Resource X-Host-Api-Version-Selected Deprecation Sunset';
      for (const name of namesIn(wanted)) assert.ok(exposed.includes(name), name);
    });

    test('versions, meta and zen are public', async () => {
      assert.deepEqual((await call('/versions', { token: null })).json, ['2022-11-28', '2026-03-10']);
      const { json } = await call('/meta', { token: null });
      assert.equal(json['verifiable_password_authentication'], false);
      assert.match(json['installed_version'], /^\d+\.\d+\.\d+/);
      assert.equal((await call('/zen', { token: null })).status, 200);
    });
  });
}
