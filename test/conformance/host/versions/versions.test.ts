// The host's dated versions, on a running server: rules H6 and H7, and rows 1 and 7 of the catalogue.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { hostApi } from '../../../../src/host/api.ts';
import { ServerMeta } from '../../../../src/host/meta/model.ts';
import { metaRoutes } from '../../../../src/host/meta/routes.ts';
import { rateLimitRoutes } from '../../../../src/host/rate-limit/routes.ts';
import { versions } from '../../../../src/host/versions/index.ts';
import { BETA, versionSelection } from '../../../../src/host/versions/select-version.ts';
import type { Api } from '../../../../src/kernel/http/protocol.ts';
import { versionPage } from '../../../../src/kernel/openapi/docs-version-page.ts';
import { apiPage } from '../../../../src/kernel/openapi/docs.ts';
import { describeApi } from '../../../../src/kernel/openapi/document.ts';
import { reply, route } from '../../../../src/kernel/http/route.ts';
import { Type, type TSchema } from '../../../../src/kernel/schema/schema.ts';
import { supportedUntil, change, type VersionTable } from '../../../../src/kernel/versions/version.ts';
import { mount } from '../../../mount.ts';
import { startServer, type Answer, type TestServer } from '../../../server.ts';

const OLD = '2022-11-28';
const NEW = '2026-03-10';
const OURS = 'X-Host-Api-Version';
const THEIRS = 'X-GitHub-Api-Version';

/** Old is promised until 24 months after the release of new. */
const FLOOR = Date.parse('2028-03-10T00:00:00Z');

function selectedBy({ headers }: Pick<Answer, 'headers'>): string | null {
  const [ours, theirs] = [OURS, THEIRS].map((name) => headers.get(`${name}-Selected`));
  assert.equal(ours, theirs);
  return ours!;
}

function warningsOf({ headers }: Pick<Answer, 'headers'>) {
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
      assert.equal('rate' in (await call('/rate_limit')).json, true);
    });

    test('H6 two headers that differ are 400', async () => {
      const answer = await call('/meta', { [OURS]: OLD, [THEIRS]: NEW });
      assert.equal(answer.status, 400);
      assert.match(answer.json['message'], /2022-11-28 and 2026-03-10/);
      assert.equal(selectedBy(answer), null);
    });

    test('H6 an unknown version is 400 and the supported ones are listed', async () => {
      for (const version of ['2025-01-01', 'banana', '2026-3-10', 'latest', `${NEW}, ${NEW}`]) {
        const answer = await call('/meta', { [THEIRS]: version });
        assert.equal(answer.status, 400, version);
        assert.match(answer.json['message'], /: 2022-11-28, 2026-03-10(, \S+)* \(most recent\)/);
        assert.ok((answer.json['message'] as string).includes(version));
        assert.equal(answer.json['status'], '400');
        assert.equal(selectedBy(answer), null, 'none was selected');
      }
    });

    test('H6 of a long text that is no version the error repeats the beginning alone', async () => {
      const long = 'x'.repeat(4000);
      for (const headers of [{ [OURS]: long }, { [OURS]: long, [THEIRS]: NEW }] as const) {
        const answer = await call('/meta', headers);
        assert.equal(answer.status, 400);
        assert.match(answer.json['message'], /x{40}…/);
        assert.ok(answer.text.length < 400, answer.text);
      }
    });

    test('H6 GraphQL has no versions: whatever version a client asks for, it answers', async () => {
      const body = { query: '{ viewer { login } }' };
      for (const version of [OLD, NEW, '2021-01-01', 'banana']) {
        const headers = { [THEIRS]: version };
        const { status, json, text } = await server.call(`${prefix}/graphql`, {
          method: 'POST',
          body,
          headers,
        });
        assert.equal(status, 200, text);
        assert.equal(json['data'].viewer.login, 'admin');
      }
    });

    test('H6 H7 no version ends by the clock of a running server: the 24 months are a floor', async () => {
      for (const at of [FLOOR - 60_000, FLOOR, FLOOR + 20 * 365 * 86_400_000]) {
        server.clock.goTo(at);
        assert.equal((await call('/meta', { [OURS]: OLD })).status, 200);
        assert.equal(selectedBy(await call('/rate_limit')), OLD);
        assert.deepEqual((await call('/versions')).json.slice(0, 2), [OLD, NEW]);
      }
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
      for (const [version, selected] of [
        ['', OLD],
        [OLD, OLD],
        [NEW, NEW],
        ['1999-01-01', null],
      ] as const) {
        const preflight = await call('/meta', { [OURS]: version }, 'OPTIONS');
        assert.deepEqual([preflight.status, selectedBy(preflight)], [204, selected], version);
      }
      // What is refused before anything of it is read has the version of calls that ask for none.
      const tooLong = await call('/meta', { 'x-long': 'x'.repeat(20_000) });
      assert.deepEqual([tooLong.status, selectedBy(tooLong)], [431, OLD]);
    });

    test('H7 only routes that a newer version changes warn, and only under the old version', async () => {
      const docs = `${server.url}/docs/host/versions/2026-03-10`;
      const page = await server.call('/docs/host/versions/2026-03-10');
      for (const [path, anchor] of [
        ['/rate_limit', 'property-rate-removed-from-the-rate-limit-status'],
        ['/', 'field-authorizations_url-removed-from-the-api-root'],
      ] as const) {
        assert.ok(page.text.includes(`<h3 id="${anchor}">`), 'the link leads somewhere');
        const link = `<${docs}#${anchor}>; rel="deprecation"; type="text/html"`;
        for (const name of [OURS, THEIRS])
          for (const headers of [{ [name]: OLD }, { [name]: OLD, 'if-none-match': '*' }])
            assert.deepEqual(warningsOf(await call(path, headers)), [
              'Tue, 10 Mar 2026 00:00:00 GMT',
              'Fri, 10 Mar 2028 00:00:00 GMT',
              link,
            ]);
        // Calls without a version go on with the next one, so that nothing of theirs is removed but a property.
        for (const headers of [{}, { 'if-none-match': '*' }])
          assert.deepEqual(warningsOf(await call(path, headers)), [null, null, link]);
        assert.deepEqual(warningsOf(await call(path, { [OURS]: NEW })), [null, null, null]);
      }
      for (const path of ['/user', '/users/admin', '/versions', '/meta', '/zen', '/nothing']) {
        assert.deepEqual(warningsOf(await call(path, { [OURS]: OLD })), [null, null, null], path);
      }
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
      assert.equal(removed, `${server.url}/docs/host#differences`);
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

test('H6 the documentation names the header that chooses a version, and the one that answers without it', async () => {
  for (const path of ['/docs/host', '/docs/host/versions', `/docs/host/versions/${NEW}`]) {
    const { status, text } = await server.call(path, { token: null });
    assert.equal(status, 200);
    assert.match(text, /the header <code>X-Host-Api-Version<\/code> \(<code>X-GitHub-Api-Version<\/code>/);
    assert.match(text, /Without it,\s+version <strong>2022-11-28<\/strong> answers/);
  }
  const { text } = await server.call('/docs/host', { token: null });
  assert.match(text, /supported until 2028-03-10 at least/);
});

test('H7 the promise is 24 calendar months after the next version came, and the newest has no end', () => {
  const names = [OLD, NEW, '2028-01-31', '2028-02-29'];
  const table = { names, changes: [] };
  const floors = names.map((name) => supportedUntil(table, name));
  assert.deepEqual(
    floors.map((at) => at && new Date(at).toISOString()),
    [
      '2028-03-10T00:00:00.000Z',
      '2030-01-31T00:00:00.000Z',
      '2030-03-01T00:00:00.000Z', // there is no 29 February 2030; a day more is still "at least"
      undefined,
    ],
  );
});

describe('shapes of the beta media type', () => {
  const betaRemoved = change({
    version: NEW,
    title: 'Property `beta` removed from the overview',
    advice: 'Read the new field.',
    only: BETA,
    schema: ServerMeta,
    before: Type.Object({ ...ServerMeta.properties, beta: Type.Boolean() }, { $id: 'api-overview' }),
    down: (meta) => ({ ...meta, beta: true }),
  });
  const table: VersionTable = { ...versions, changes: [betaRemoved] };
  const api: Api = {
    protocol: { ...hostApi.protocol, ...versionSelection(table) },
    routes: [...metaRoutes(table)],
  };
  let fixture: Awaited<ReturnType<typeof mount>>;
  before(async () => (fixture = await mount(server, api)));
  after(() => fixture.close());

  test('H17 are those of the old version, for callers who ask for them; only these are warned', async () => {
    for (const [accept, version, media, isBeta] of [
      ['application/vnd.github.beta+json', OLD, 'beta; format=json', true],
      ['application/vnd.host.beta', OLD, 'beta', true],
      ['application/vnd.github.v3+json', OLD, 'v3; format=json', false],
      ['application/json', OLD, 'v3; format=json', false],
      ['application/vnd.github.beta+json', NEW, 'v3; format=json', false],
      ['application/vnd.github.v3+json', NEW, 'v3; format=json', false],
    ] as const) {
      const response = await fetch(`${fixture.url}/meta`, { headers: { accept, [OURS]: version } });
      const { headers } = response;
      const told = `${accept} in ${version}`;
      assert.equal((await response.text()).includes('"beta":true'), isBeta, told);
      assert.equal(headers.get('x-github-media-type'), `github.${media}`, told);
      assert.equal(headers.get('x-host-media-type'), `host.${media}`, told);
      assert.equal(headers.get('deprecation') !== null, isBeta, told);
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    }
  });

  test('H17 are no part of a description, and the page of the new version lists the change', () => {
    assert.doesNotMatch(JSON.stringify(describeApi(api, OLD, {})), /"beta"/);
    assert.match(versionPage(api, NEW).body, /Property <code>beta<\/code> removed from the overview/);
  });
});

describe('a later release, which ended the oldest version and announces another', () => {
  const COMING = '2029-05-01';
  const renamed = change({
    version: COMING,
    title: 'Property `installed_version` renamed to `release`',
    advice: 'Read the new field.',
    schema: ServerMeta,
    before: Type.Object({ ...ServerMeta.properties }, { $id: 'api-overview' }),
    down: (meta) => meta,
  });
  const table: VersionTable = {
    ...versions,
    ended: [OLD],
    names: [NEW],
    announced: [COMING],
    changes: [renamed],
  };
  const later: Api = {
    protocol: { ...hostApi.protocol, ...versionSelection(table) },
    routes: [...metaRoutes(table), ...rateLimitRoutes],
  };
  let fixture: Awaited<ReturnType<typeof mount>>;
  before(async () => (fixture = await mount(server, later)));
  after(() => fixture.close());
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(fixture.url + path, { headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  };

  test('H6 H7 the ended one is 410 and names what there is; without a header the next one answers', async () => {
    const gone = await get('/meta', { [OURS]: OLD });
    assert.equal(gone.status, 410);
    assert.match(gone.text, /2022-11-28 is no longer supported. Supported versions: 2026-03-10/);
    assert.equal(selectedBy(gone), null);
    assert.equal(selectedBy(await get('/meta')), NEW);
  });

  test('H7 the announced one answers nobody yet, and stands beside the list of those that do', async () => {
    const early = await get('/meta', { [OURS]: COMING });
    assert.equal(early.status, 400);
    assert.match(early.text, /2029-05-01 is announced, and not released yet/);
    const { text, headers } = await get('/versions');
    assert.deepEqual(JSON.parse(text), [NEW]);
    assert.equal(headers.get('X-Host-Api-Versions-Announced'), COMING);
    const page = `${server.url}/docs/host/versions/${COMING}`;
    assert.equal(
      headers.get('link'),
      `<${page}>; rel="successor-version"; type="text/html"; title="${COMING}"`,
    );
  });

  test('H7 routes that it will change warn ahead of time, and no others', async () => {
    const link = `<${server.url}/docs/host/versions/${COMING}#property-installed_version-renamed-to-release>; rel="deprecation"; type="text/html"`;
    assert.deepEqual(warningsOf(await get('/meta', { [OURS]: NEW })), [
      'Tue, 01 May 2029 00:00:00 GMT',
      'Thu, 01 May 2031 00:00:00 GMT',
      link,
    ]);
    assert.deepEqual(warningsOf(await get('/meta')), [null, null, link]);
    assert.deepEqual(warningsOf(await get('/rate_limit')), [null, null, null]);
  });

  test('H7 its page says that it is announced, and what it will change', async () => {
    const { body: page } = versionPage(later, COMING);
    assert.match(page, /announced, and not released yet.*<code>installed_version<\/code>/s);
    assert.match(page, /<th>To be released<\/th>.*<td>2029-05-01<\/td>/s);
    assert.match(page, /As soon as it is released, send <code>X-Host-Api-Version: 2029-05-01<\/code>/);
    assert.match(page, /<code>GET \/meta<\/code> \(reply\)/);
    const { body: superseded } = versionPage(later, NEW);
    assert.match(superseded, /<th>Superseded<\/th>.*<td>2029-05-01<\/td><td>2031-05-01<\/td>/s);
    const { body: overview } = apiPage(later, server.app.kernel);
    assert.match(overview, /id="2029-05-01"/);
    assert.match(overview, /<td>2022-11-28<\/td><td>ended<\/td>/);
  });
});

describe('a reply and a body that may be one of two resources', () => {
  const User = Type.Object({ type: Type.Literal('User'), name: Type.String() }, { $id: 'user' });
  const OldUser = Type.Object({ type: Type.Literal('User'), login: Type.String() }, { $id: 'user' });
  const Organization = Type.Object(
    { type: Type.Literal('Organization'), name: Type.String() },
    { $id: 'organization' },
  );
  const renamed = change({
    version: NEW,
    title: 'Property `login` renamed to `name`',
    advice: 'Read the new field.',
    schema: User,
    before: OldUser,
    down: ({ type, name }) => ({ type, login: name }),
    up: ({ type, login }) => ({ type, name: login }),
  });
  const apiOf = (Owner: TSchema): Api => ({
    protocol: { ...hostApi.protocol, ...versionSelection({ ...versions, changes: [renamed] }) },
    routes: [
      route(
        {
          id: 'owners/echo',
          method: 'POST',
          path: '/owners',
          summary: 'Sends back what it is sent, and the newest shape as text',
          access: 'anyone',
          body: Owner,
          reply: { 200: Type.Object({ owner: Owner, newest: Type.String() }) },
        },
        ({ body }) => reply(200, { owner: body, newest: JSON.stringify(body) }),
      ),
    ],
  });

  test('H6 a change of one of them is made to its values alone', async (t) => {
    const fixture = await mount(server, apiOf(Type.Union([User, Organization])));
    t.after(() => fixture.close());
    const send = async (version: string, owner: object) => {
      const headers = { [OURS]: version, 'content-type': 'application/json' };
      const body = JSON.stringify(owner);
      const response = await fetch(`${fixture.url}/owners`, { method: 'POST', headers, body });
      const { owner: shown, newest } = (await response.json()) as { owner: unknown; newest: string };
      return { status: response.status, shown, newest: newest && (JSON.parse(newest) as unknown) };
    };
    const user = { type: 'User', name: 'ann' };
    const oldUser = { type: 'User', login: 'ann' };
    const organization = { type: 'Organization', name: 'acme' };
    assert.deepEqual(await send(OLD, oldUser), { status: 200, shown: oldUser, newest: user });
    assert.deepEqual(await send(NEW, user), { status: 200, shown: user, newest: user });
    for (const version of [OLD, NEW])
      assert.deepEqual(await send(version, organization), {
        status: 200,
        shown: organization,
        newest: organization,
      });
    assert.equal((await send(OLD, user)).status, 422);
  });
});
