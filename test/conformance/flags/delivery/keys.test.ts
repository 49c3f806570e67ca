// The keys of an environment, on a running server with each engine: each kind of key reads its own flags, in one
// environment only. Rules F29 and F30.
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { onEachEngine } from '../../../engines.ts';
import { EventReader } from '../../../event-stream.ts';
import type { TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { assertRefused, SEMANTIC } from '../feature-flags/feature-flag-calls.ts';
import { HOUR, inBase64, seenBy, USER, openProject, type KeyProject } from './keys-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let home: KeyProject;
  onServer(engine, {}, async (started) => {
    server = started;
    home = await openProject(server);
  });

  describe('which flags', () => {
    beforeEach(async () => {
      await home.flags.make('server', seenBy(false, false));
      await home.flags.make('mobile', seenBy(true, false));
      await home.flags.make('browser', seenBy(false, true));
      await home.flags.make('both', seenBy(true, true));
    });

    test('F30: an SDK key reads all flags and segments of its environment', async () => {
      await home.makeSegment('beta');
      const all = await home.latest();
      assert.deepEqual(Object.keys(all.flags), ['both', 'browser', 'mobile', 'server']);
      assert.deepEqual(Object.keys(all.segments), ['beta']);
      const { json } = await home.ask('/sdk/flags', home.keys.sdk);
      assert.deepEqual(json, all.flags);
      assert.deepEqual((await home.ask('/sdk/flags/server', home.keys.sdk)).json, all.flags.server);
      assert.deepEqual((await home.ask('/sdk/segments/beta', home.keys.sdk)).json, all.segments.beta);
    });

    test('F30: a mobile key reads only flags marked for mobile', async () => {
      assert.deepEqual(Object.keys(await home.evaluateMobile()), ['both', 'mobile']);
    });

    test('F30: a client-side ID reads only flags marked for client-side', async () => {
      assert.deepEqual(Object.keys(await home.evaluate()), ['both', 'browser']);
    });

    test('F30: an SDK key evaluates every flag for a context, in the path or in the body', async () => {
      const known = ['both', 'browser', 'mobile', 'server'];
      for (const way of ['context', 'user']) {
        const inPath = await home.ask(`/sdk/evalx/${way}s/${inBase64(USER)}?withReasons=true`, home.keys.sdk);
        assert.deepEqual(Object.keys(inPath.json), known);
        assert.deepEqual(inPath.json.server.reason, { kind: 'OFF' });
        const body = await home.ask(`/sdk/evalx/${way}`, home.keys.sdk, {}, { method: 'REPORT', body: USER });
        assert.deepEqual(Object.keys(body.json), known);
        for (const broken of [{}, { kind: 'user' }, 1])
          assert.equal((await home.ask(`/sdk/evalx/${way}s/${inBase64(broken)}`, home.keys.sdk)).status, 400);
      }
      await home.patchEnvironment('/secureMode', true);
      assert.equal((await home.ask(`/sdk/evalx/contexts/${inBase64(USER)}`, home.keys.sdk)).status, 200);
    });

    test('F30: a flag that is marked, or no longer, is seen so at once', async () => {
      const mark = { kind: 'turnOnClientSideAvailability', value: 'usingMobileKey' };
      await home.instruct('server', [mark]);
      assert.ok('server' in (await home.evaluateMobile()));
      await home.instruct('server', [{ ...mark, kind: 'turnOffClientSideAvailability' }]);
      assert.ok(!('server' in (await home.evaluateMobile())));
    });

    test('F30: nobody reads archived or deleted flags', async () => {
      await home.instruct('both', [{ kind: 'archiveFlag' }]);
      await server.call(home.flags.at('mobile'), { method: 'DELETE' });
      assert.deepEqual(Object.keys((await home.latest()).flags), ['browser', 'server']);
      assert.deepEqual(await home.evaluateMobile(), {});
      assert.deepEqual(Object.keys(await home.evaluate()), ['browser']);
      assert.equal((await home.ask('/sdk/flags/both', home.keys.sdk)).status, 404);
      await home.instruct('both', [{ kind: 'restoreFlag' }]);
      assert.ok('both' in (await home.evaluateMobile()));
    });

    test('F30: a prerequisite that a key may not see is not named to it', async () => {
      await home.instruct('server', [{ kind: 'turnFlagOn' }]);
      await home.instruct('mobile', [{ kind: 'turnFlagOn' }]);
      const { variations } = await home.flags.get('server');
      const { variations: others } = await home.flags.get('mobile');
      await home.instruct('both', [
        { kind: 'turnFlagOn' },
        { kind: 'addPrerequisite', key: 'server', variationId: variations[0]._id },
        { kind: 'addPrerequisite', key: 'mobile', variationId: others[0]._id },
      ]);
      assert.deepEqual((await home.evaluateMobile()).both.prerequisites, ['mobile']);
      const browser = await home.evaluate();
      assert.equal(browser.both.value, true);
      assert.equal(browser.both.prerequisites, undefined);
    });
  });

  describe('which environment', () => {
    test('F30: each key reads the environment it is of, and no other', async () => {
      await home.flags.make('flag', seenBy(true, true));
      await home.instruct('flag', [{ kind: 'turnFlagOn' }]);
      const production = await home.readKeys('production');
      assert.equal((await home.latest()).flags.flag.on, true);
      assert.equal((await home.latest(production.sdk)).flags.flag.on, false);
      assert.equal((await home.evaluateMobile()).flag.value, true);
      assert.equal((await home.evaluateMobile(USER, '', production.mobile)).flag.value, false);
      assert.equal((await home.evaluate()).flag.value, true);
      assert.equal((await home.evaluate(USER, '', production.client)).flag.value, false);
    });

    test('F30: a segment is read in its environment only', async () => {
      await home.makeSegment('beta');
      const { sdk } = await home.readKeys('production');
      assert.deepEqual((await home.latest(sdk)).segments, {});
      assertRefused(await home.ask('/sdk/segments/beta', sdk), 404, 'not_found');
    });

    test('F30: every reply says whose it is', async () => {
      const path = `/evalx/${home.keys.client}/contexts/${inBase64(USER)}`;
      for (const answer of [
        await home.ask('/sdk/latest-all', home.keys.sdk),
        await home.ask('/sdk/flags', home.keys.sdk),
        await home.ask(`/sdk${path}`),
        await home.ask(`/msdk/evalx/users/${inBase64(USER)}`, home.keys.mobile),
      ]) {
        assert.equal(answer.headers.get('x-ld-envid'), home.keys.client);
        assert.equal(answer.headers.get('content-type'), 'application/json');
      }
    });
  });

  describe('which key', () => {
    const evaluations = ['contexts', 'users'].map((way) => `evalx/${way}/${inBase64(USER)}`);
    const serverPaths = [
      '/sdk/latest-all',
      '/sdk/flags',
      '/sdk/flags/flag',
      '/sdk/segments/beta',
      ...evaluations.map((path) => `/sdk/${path}`),
    ];
    const mobilePaths = evaluations.map((path) => `/msdk/${path}`);

    test('F30: server-side routes take SDK keys alone', async () => {
      for (const path of serverPaths) {
        for (const key of [home.keys.mobile, home.keys.client, 'sdk-wrong', 'sdk-', undefined]) {
          assertRefused(await home.ask(path, key), 401, 'unauthorized');
        }
        assertRefused(await server.call(path), 401, 'unauthorized');
      }
      assert.equal((await home.ask('/sdk/latest-all', `Bearer ${home.keys.sdk}`)).status, 200);
    });

    test('F30: mobile routes take mobile keys alone', async () => {
      for (const path of mobilePaths) {
        for (const key of [home.keys.sdk, home.keys.client, 'mob-wrong', undefined]) {
          assertRefused(await home.ask(path, key), 401, 'unauthorized');
        }
        assertRefused(await server.call(path), 401, 'unauthorized');
      }
    });

    test('F30: client-side routes take client-side IDs alone', async () => {
      for (const id of [home.keys.sdk, home.keys.mobile, '0'.repeat(24), 'x', '%00']) {
        for (const way of ['contexts', 'users']) {
          const answer = await home.ask(`/sdk/evalx/${id}/${way}/${inBase64(USER)}`);
          assert.equal(answer.status, id === '%00' ? 400 : 404, answer.text);
        }
      }
      assertRefused(await home.ask(`/sdk/evalx/${'0'.repeat(24)}/users/x`, home.keys.sdk), 404, 'not_found');
      assertRefused(await home.ask(`/sdk/goals/${home.keys.sdk}`), 404, 'not_found');
    });

    test('F30: who sends a wrong kind of credential is told which kind is expected, and never sees it again', async () => {
      const { sdk, mobile, client } = home.keys;
      const token = `api-${'0'.repeat(40)}`;
      const context = inBase64(USER);
      const expected: [path: string, key: string | undefined, message: RegExp][] = [
        ['/sdk/latest-all', mobile, /needs a valid SDK key.* mobile key\.$/],
        ['/sdk/latest-all', client, /needs a valid SDK key.* client-side ID\.$/],
        ['/sdk/latest-all', token, /needs a valid SDK key.* access token\.$/],
        ['/sdk/latest-all', 'sdk-wrong', /needs a valid SDK key.* not valid, or no longer\.$/],
        ['/sdk/latest-all', 'nonsense', /needs a valid SDK key.* not valid, or no longer\.$/],
        ['/sdk/latest-all', undefined, /needs a valid SDK key in the header "Authorization: sdk-…"\.$/],
        ['/all', mobile, /needs a valid SDK key.* mobile key\.$/],
        ['/sdk/stream', client, /needs a valid SDK key.* client-side ID\.$/],
        [`/msdk/evalx/contexts/${context}`, sdk, /needs a valid mobile key.* SDK key\.$/],
        [`/meval/${context}`, client, /needs a valid mobile key.* client-side ID\.$/],
        ['/mping', undefined, /needs a valid mobile key in the header "Authorization: mob-…"\.$/],
      ];
      for (const [path, key, message] of expected) {
        const answer = await home.ask(path, key);
        assertRefused(answer, 401, 'unauthorized', message);
        if (key !== undefined) assert.ok(!answer.text.includes(key), answer.text);
      }
      for (const [key, named] of [
        [sdk, 'an SDK key'],
        [mobile, 'a mobile key'],
      ] as const) {
        for (const path of [`/sdk/goals/${key}`, `/eval/${key}/${context}`]) {
          const answer = await home.ask(path);
          assertRefused(answer, 404, 'not_found', new RegExp(`needs a client-side ID.*${named}`));
          assert.ok(!answer.text.includes(key), answer.text);
        }
      }
      for (const key of Object.values(home.keys)) {
        const answer = await server.call('/api/v2/projects', { token: key });
        assertRefused(answer, 401, 'unauthorized', /access token/);
        assert.ok(!answer.text.includes(key), answer.text);
      }
    });

    test('F29: no key calls the REST API', async () => {
      await home.flags.make('flag');
      for (const token of Object.values(home.keys)) {
        for (const shown of [token, `Bearer ${token}`]) {
          assertRefused(
            await server.call(home.flags.at('flag'), { token: null, headers: { authorization: shown } }),
            401,
            'unauthorized',
          );
        }
        const body = { instructions: [{ kind: 'turnFlagOn' }], environmentKey: 'test' };
        assertRefused(
          await server.call(home.flags.at('flag'), { method: 'PATCH', token, headers: SEMANTIC, body }),
          401,
          'unauthorized',
        );
      }
      assert.equal((await home.flags.get('flag')).environments.test.on, false);
      for (const path of ['/v2/users/me', '/user']) {
        for (const token of Object.values(home.keys))
          assert.equal((await server.call(path, { token })).status, 401);
      }
    });

    test('F29: no key writes', async () => {
      await home.flags.make('flag');
      const paths = [
        ...serverPaths,
        ...mobilePaths,
        `/sdk/evalx/${home.keys.client}/contexts/${inBase64(USER)}`,
      ];
      for (const path of paths) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          for (const token of [home.keys.sdk, home.keys.mobile]) {
            assertRefused(await server.call(path, { method, token, body: {} }), 405, 'method_not_allowed');
          }
        }
      }
      assert.equal((await home.latest()).flags.flag.version, 1);
    });

    test('F30: an old SDK key is good until the time it was given, and then no more', async () => {
      const expiry = server.clock.now() + HOUR;
      await home.rest(`projects/${home.project}/environments/test/apiKey?expiry=${expiry}`, {
        method: 'POST',
      });
      const { sdk } = await home.readKeys('test');
      assert.notEqual(sdk, home.keys.sdk);
      assert.deepEqual(await home.latest(home.keys.sdk), await home.latest(sdk));
      try {
        server.clock.ahead += 2 * HOUR;
        assertRefused(await home.ask('/sdk/latest-all', home.keys.sdk), 401, 'unauthorized');
        assert.equal((await home.ask('/sdk/latest-all', sdk)).status, 200);
      } finally {
        server.clock.ahead = 0;
      }
    });

    test('F30: keys that were reset without a time are no longer good', async () => {
      await home.rest(`projects/${home.project}/environments/test/apiKey`, { method: 'POST' });
      await home.rest(`projects/${home.project}/environments/test/mobileKey`, { method: 'POST' });
      assert.equal((await home.ask('/sdk/latest-all', home.keys.sdk)).status, 401);
      assert.equal((await home.ask(mobilePaths[0]!, home.keys.mobile)).status, 401);
    });

    test('F30: the keys of an environment that is gone open nothing', async () => {
      await home.latest();
      await home.rest(`projects/${home.project}/environments/test`, { method: 'DELETE' });
      assert.equal((await home.ask('/sdk/latest-all', home.keys.sdk)).status, 401);
      const path = `/sdk/evalx/${home.keys.client}/contexts/${inBase64(USER)}`;
      assert.equal((await home.ask(path)).status, 404);
    });
  });

  describe('streams and events', () => {
    const context = inBase64(USER);
    const unknown = '0'.repeat(24);
    /** With a valid key, and with an unknown one. */
    const pathsOf = ({ sdk, mobile, client }: KeyProject['keys']) => ({
      streams: [
        ['GET', '/all', sdk],
        ['GET', '/flags', sdk],
        ['GET', `/eval/${client}/${context}`],
        ['REPORT', `/eval/${client}`],
        ['GET', `/ping/${client}`],
        ['GET', `/meval/${context}`, mobile],
        ['REPORT', '/meval', mobile],
        ['GET', '/mping', mobile],
      ] as [method: string, path: string, key?: string][],
      events: [
        ['/bulk', sdk],
        ['/diagnostic', sdk],
        ['/mobile', mobile],
        ['/mobile/events', mobile],
        ['/mobile/events/bulk', mobile],
        ['/mobile/events/diagnostic', mobile],
        [`/events/bulk/${client}`],
        [`/events/diagnostic/${client}`],
      ] as [path: string, key?: string][],
    });
    /** A call with an unknown key. */
    const asStranger = (path: string, key: string | undefined) =>
      key === undefined
        ? ([path.replace(home.keys.client, unknown), undefined, 404, 'not_found'] as const)
        : ([path, `${key.slice(0, 4)}${'0'.repeat(8)}`, 401, 'unauthorized'] as const);

    test('F29: a stream is there for a good key, and not for an unknown one', async () => {
      for (const [method, path, key] of pathsOf(home.keys).streams) {
        const body = method === 'REPORT' ? JSON.stringify(USER) : undefined;
        const headers = {
          ...(key !== undefined && { authorization: key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        };
        const init = { method, headers, ...(body !== undefined && { body }) };
        const reader = await EventReader.open(`${server.url}${path}`, init);
        assert.equal(reader.status, 200, path);
        assert.equal(reader.headers['content-type'], 'text/event-stream; charset=utf-8');
        await reader.next();
        reader.close();
        const [strange, wrong, status, code] = asStranger(path, key);
        const call = { method, ...(body !== undefined && { body: USER }) };
        assertRefused(await home.ask(strange, wrong, {}, call), status, code);
      }
    });

    test('F29: events are taken from who has a good key, compressed or not, and from nobody else', async () => {
      const custom = { kind: 'custom', key: 'bought', context: USER, creationDate: 1 };
      const diagnostic = { kind: 'diagnostic-init', creationDate: 1 };
      for (const [path, key] of pathsOf(home.keys).events) {
        const events = JSON.stringify(path.includes('diagnostic') ? diagnostic : [custom]);
        const plain = await home.ask(path, key, {}, { method: 'POST', body: events });
        assert.deepEqual([plain.status, plain.text], [202, ''], path);
        assert.equal(plain.headers.get('content-type'), 'application/json');
        const gzip = { 'content-encoding': 'gzip' };
        const packed = await home.ask(path, key, gzip, { method: 'POST', body: gzipSync(events) });
        assert.equal(packed.status, 202, path);
        const [strange, wrong, status, code] = asStranger(path, key);
        assertRefused(await home.ask(strange, wrong, {}, { method: 'POST', body: events }), status, code);
        assert.equal((await home.ask(path, key, {}, { method: 'OPTIONS' })).status, 204);
      }
    });

    test('F29: events are taken in the address of an image', async () => {
      const image = await home.ask(`/a/${home.keys.client}.gif?d=W10`);
      assert.deepEqual([image.status, image.headers.get('content-type')], [200, 'image/gif']);
      assert.match(image.text, /^GIF89a/);
      for (const path of [`/a/${unknown}.gif`, `/a/${home.keys.client}`]) {
        assertRefused(await home.ask(path), 404, 'not_found');
      }
    });

    test('F29: events beyond what is taken at once are refused', async () => {
      const body = Buffer.alloc(10 * 1024 * 1024 + 1, 0x20);
      assertRefused(
        await home.ask('/bulk', home.keys.sdk, {}, { method: 'POST', body }),
        413,
        'request_too_large',
      );
    });
  });
});
