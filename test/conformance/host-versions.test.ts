// The host's dated versions, on a running server: rules H6 and H7, and rows 1 and 7 of the catalogue.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { supportedVersions, supportEnds } from '../../src/kernel/version-support.ts';
import { startServer, type Answer, type TestServer } from '../server.ts';

const OLD = '2022-11-28';
const NEW = '2026-03-10';
const OURS = 'X-Host-Api-Version';
const THEIRS = 'X-GitHub-Api-Version';

/** Old is retired 24 months after the release of new. */
const RETIREMENT = Date.parse('2028-03-10T00:00:00Z');

function selectedBy({ headers }: Answer): string {
  const [ours, theirs] = [OURS, THEIRS].map((name) => headers.get(`${name}-Selected`));
  assert.equal(ours, theirs);
  return ours!;
}

function warningsOf({ headers }: Answer) {
  return ['deprecation', 'sunset', 'link'].map((name) => headers.get(name));
}

let server: TestServer;
before(async () => (server = await startServer()));
beforeEach(() => server.clock.goTo(Date.parse('2026-06-01T00:00:00Z')));
after(() => server.stop());

for (const prefix of ['', '/api/v3']) {
  describe(`below "${prefix}/"`, () => {
    const call = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      server.call(prefix + path, { method, headers });

    test('H6 either header selects the version, however its name is written', async () => {
      const names = [OURS, THEIRS, OURS.toLowerCase(), THEIRS.toUpperCase(), 'X-Github-Api-Version'];
      for (const name of names) {
        for (const version of [OLD, NEW]) {
          const answer = await call('/rate_limit', { [name]: version });
          assert.equal(answer.status, 200);
          assert.equal(selectedBy(answer), version, name);
          assert.equal('rate' in answer.json, version === OLD, name);
        }
      }
      assert.equal(selectedBy(await call('/zen', { [OURS]: NEW, [THEIRS]: NEW })), NEW);
    });

    test('H6 without a header, or with an empty one, the oldest supported version answers', async () => {
      assert.equal(selectedBy(await call('/meta')), OLD);
      assert.equal(selectedBy(await call('/meta', { [OURS]: '' })), OLD);
      server.clock.goTo(RETIREMENT);
      const answer = await call('/rate_limit');
      assert.equal(selectedBy(answer), NEW);
      assert.equal('rate' in answer.json, false);
    });

    test('H6 two headers that differ are 400', async () => {
      const { status, json } = await call('/meta', { [OURS]: OLD, [THEIRS]: NEW });
      assert.equal(status, 400);
      assert.match(json['message'], /2022-11-28 and 2026-03-10/);
    });

    test('H6 an unknown version is 400 and the supported ones are listed', async () => {
      for (const version of ['2025-01-01', 'banana', '2026-3-10', 'latest', `${NEW}, ${NEW}`]) {
        const answer = await call('/meta', { [THEIRS]: version });
        assert.equal(answer.status, 400, version);
        assert.match(answer.json['message'], /2022-11-28, 2026-03-10 \(most recent\)/);
        assert.ok((answer.json['message'] as string).includes(version));
        assert.equal(answer.json['status'], '400');
        assert.ok([OLD, NEW].includes(selectedBy(answer)));
      }
    });

    test('H6 H7 a version is retired with 410 when its 24 months are over, not a moment before', async () => {
      server.clock.goTo(RETIREMENT - 60_000);
      assert.equal((await call('/meta', { [OURS]: OLD })).status, 200);
      assert.deepEqual((await call('/versions')).json, [OLD, NEW]);
      server.clock.goTo(RETIREMENT);
      const { status, json } = await call('/meta', { [OURS]: OLD });
      assert.equal(status, 410);
      assert.match(json['message'], /2022-11-28.*2026-03-10/);
      assert.deepEqual((await call('/versions')).json, [NEW]);
      assert.equal((await call('/meta', { [OURS]: NEW })).status, 200);
    });

    test('H6 the version is told on errors, unchanged replies and preflights too', async () => {
      const { headers } = await call('/meta', { [OURS]: OLD });
      const asked: [string, Record<string, string>, string, number][] = [
        ['/nothing', {}, 'GET', 404],
        ['/user', {}, 'PUT', 404],
        ['/search/users', {}, 'GET', 422],
        ['/user', { authorization: 'Bearer wrong' }, 'GET', 401],
        ['/user', { accept: 'text/html' }, 'GET', 415],
        ['/meta', { 'if-none-match': headers.get('etag')! }, 'GET', 304],
        ['/meta', {}, 'HEAD', 200],
      ];
      for (const version of [OLD, NEW]) {
        for (const [path, more, method, status] of asked) {
          const answer = await call(path, { ...more, [OURS]: version }, method);
          assert.equal(answer.status, status);
          assert.equal(selectedBy(answer), version, `${method} ${path}`);
        }
      }
      assert.equal((await call('/meta', {}, 'OPTIONS')).headers.has(`${OURS}-Selected`), true);
    });

    test('H7 only routes that a newer version changes warn, and only under the old version', async () => {
      const docs = `<${server.url}/docs/host#2026-03-10>; rel="deprecation"; type="text/html"`;
      for (const path of ['/rate_limit', '/']) {
        for (const headers of [{}, { [OURS]: OLD }, { 'if-none-match': '*' }]) {
          assert.deepEqual(warningsOf(await call(path, headers)), [
            'Tue, 10 Mar 2026 00:00:00 GMT',
            'Fri, 10 Mar 2028 00:00:00 GMT',
            docs,
          ]);
        }
        assert.deepEqual(warningsOf(await call(path, { [OURS]: NEW })), [null, null, null]);
      }
      for (const path of ['/user', '/users/admin', '/versions', '/meta', '/zen', '/nothing']) {
        assert.deepEqual(warningsOf(await call(path, { [OURS]: OLD })), [null, null, null], path);
      }
      const page = await server.call('/docs/host');
      assert.match(page.text, /id="2026-03-10"/, 'the link leads somewhere');
    });

    test('H7 caches are told that the version headers matter', async () => {
      const vary = (await call('/rate_limit')).headers.get('vary')!.split(', ');
      for (const name of ['Accept', 'Authorization', OURS, THEIRS]) assert.ok(vary.includes(name), name);
    });

    test('H16 authorizations_url is in the root of 2022-11-28 alone, and nothing else differs', async () => {
      const { json: old } = await call('/', { [OURS]: OLD });
      const { json: fresh } = await call('/', { [OURS]: NEW });
      assert.equal(Object.keys(old).length, 33);
      assert.equal(Object.keys(fresh).length, 32);
      const { authorizations_url: removed, ...rest } = old;
      assert.deepEqual(rest, fresh);
      assert.equal(removed, `${server.url}${prefix}/authorizations`);
      for (const name of ['hub_url', 'topic_search_url', 'current_user_authorizations_html_url'])
        assert.ok(name in fresh, name);
      assert.equal(fresh['rate_limit_url'], `${server.url}${prefix}/rate_limit`);
    });

    test('H10 H16 no reply of 2026-03-10 holds a removed name at any depth', async () => {
      const removed = ['rate', 'authorizations_url'];
      for (const path of ['/', '/rate_limit', '/user', '/users/admin', '/meta', '/search/users?q=admin']) {
        const { text } = await call(path, { [OURS]: NEW });
        JSON.parse(text, (key: string, value: unknown) => {
          assert.ok(!removed.includes(key), `${key} in ${path}`);
          return value;
        });
      }
    });
  });
}

test('H7 support ends 24 calendar months after the next version came, and never for the newest', () => {
  const names = [OLD, NEW, '2028-01-31', '2028-02-29'];
  const ends = names.map((name) => supportEnds(names, name)).map((at) => at && new Date(at).toISOString());
  assert.deepEqual(ends, [
    '2028-03-10T00:00:00.000Z',
    '2030-01-31T00:00:00.000Z',
    '2030-03-01T00:00:00.000Z', // there is no 29 February 2030; a day more is still "at least"
    undefined,
  ]);
  assert.deepEqual(supportedVersions(names, RETIREMENT - 1), names);
  assert.deepEqual(supportedVersions(names, RETIREMENT), names.slice(1));
});
