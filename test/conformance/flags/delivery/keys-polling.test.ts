// Polling by SDKs and browsers: conditional requests, fresh data, and secure mode. Rule F30.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { assertRefused, SEMANTIC } from '../feature-flags/feature-flag-calls.ts';
import { forBrowsers, HOUR, inBase64, openProject, seenBy, USER, type KeyProject } from './keys-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let home: KeyProject;
  onServer(engine, {}, async (started) => {
    server = started;
    home = await openProject(server);
  });

  describe('secure mode', () => {
    const hashOf = (key: string, canonical: string) =>
      createHmac('sha256', key).update(canonical).digest('hex');
    const askFor = (context: unknown, h?: string) =>
      home.ask(
        `/sdk/evalx/${home.keys.client}/contexts/${inBase64(context)}${h === undefined ? '' : `?h=${h}`}`,
      );

    test('F30: in secure mode a browser reads only what a server has signed for', async () => {
      assert.equal((await askFor(USER)).status, 200);
      await home.patchEnvironment('/secureMode', true);
      assertRefused(await askFor(USER), 400, 'invalid_request', /secure mode/);
      assertRefused(await askFor(USER, ''), 400, 'invalid_request');
      assertRefused(await askFor(USER, hashOf(home.keys.sdk, 'v')), 400, 'invalid_request');
      assertRefused(await askFor(USER, hashOf(home.keys.mobile, 'u')), 400, 'invalid_request');
      assert.equal((await askFor(USER, hashOf(home.keys.sdk, 'u'))).status, 200);
      assert.equal((await askFor({ key: 'u' }, hashOf(home.keys.sdk, 'u'))).status, 200);
      const both = { kind: 'multi', user: { key: 'u' }, org: { key: 'a:b' } };
      assert.equal((await askFor(both, hashOf(home.keys.sdk, 'org:a%3Ab:user:u'))).status, 200);
      assert.equal((await askFor(both, hashOf(home.keys.sdk, 'u'))).status, 400);
    });

    test('F30: secure mode takes the old SDK key as long as it is good, and is not for mobile apps', async () => {
      await home.patchEnvironment('/secureMode', true);
      const expiry = server.clock.now() + HOUR;
      await home.rest(`projects/${home.project}/environments/test/apiKey?expiry=${expiry}`, {
        method: 'POST',
      });
      assert.equal((await askFor(USER, hashOf(home.keys.sdk, 'u'))).status, 200);
      assert.deepEqual(await home.evaluateMobile(), {});
    });
  });

  describe('polling', () => {
    test('F30: what has not changed is not sent again', async () => {
      await home.flags.make('flag');
      const first = await home.ask('/sdk/latest-all', home.keys.sdk);
      const etag = first.headers.get('etag')!;
      assert.match(etag, /^"[0-9a-f]{40}"$/);
      for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const again = await home.ask('/sdk/latest-all', home.keys.sdk, { 'if-none-match': known });
        assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag]);
      }
      assert.equal(
        (await home.ask('/sdk/latest-all', home.keys.sdk, { 'if-none-match': '"x"' })).status,
        200,
      );
    });

    test('F30: results that cannot have changed are not sent again, for this context and these options', async () => {
      await home.flags.make('flag', seenBy(true, true));
      const other = inBase64({ ...USER, name: 'other' });
      const paths = [
        `/sdk/evalx/${home.keys.client}/contexts/${inBase64(USER)}`,
        `/sdk/evalx/${home.keys.client}/contexts/${inBase64(USER)}?withReasons=true`,
        `/sdk/evalx/${home.keys.client}/contexts/${other}`,
        `/msdk/evalx/contexts/${inBase64(USER)}`,
        `/sdk/evalx/contexts/${inBase64(USER)}`,
      ];
      const keyFor = (path: string) => (path.startsWith('/msdk') ? home.keys.mobile : home.keys.sdk);
      const askWith = (path: string, etag: string) => home.ask(path, keyFor(path), { 'if-none-match': etag });
      const etags = new Map<string, string>();
      for (const path of paths) {
        const { headers } = await home.ask(path, keyFor(path));
        const etag = headers.get('etag')!;
        assert.match(etag, /^"[0-9a-f]{40}"$/);
        etags.set(etag, path);
        const again = await askWith(path, etag);
        assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag]);
        assert.equal(again.headers.get('x-ld-envid'), home.keys.client);
      }
      assert.equal(etags.size, paths.length);
      await home.instruct('flag', [{ kind: 'turnFlagOn' }]);
      for (const [etag, path] of etags) {
        const answer = await askWith(path, etag);
        assert.deepEqual([answer.status, answer.json.flag.value], [200, true]);
      }
    });

    test('F30: a context that joins or leaves a big segment gets its results anew', async () => {
      await home.makeSegment('big', { unbounded: true, unboundedContextKind: 'user' });
      const { variations } = await home.flags.make('flag', forBrowsers);
      await home.instruct('flag', [
        { kind: 'turnFlagOn' },
        { kind: 'updateFallthroughVariationOrRollout', variationId: variations[1]._id },
        {
          kind: 'addRule',
          variationId: variations[0]._id,
          clauses: [{ attribute: 'segmentMatch', op: 'segmentMatch', values: ['big'] }],
        },
      ]);
      const path = `/sdk/evalx/${home.keys.client}/contexts/${inBase64(USER)}`;
      const first = await home.ask(path);
      assert.equal(first.json.flag.value, false);
      await home.rest(`segments/${home.project}/test/big/contexts`, {
        method: 'POST',
        body: { included: { add: ['u'] } },
      });
      const joined = await home.ask(path, undefined, { 'if-none-match': first.headers.get('etag')! });
      assert.equal(joined.json.flag.value, true);
      const again = await home.ask(path, undefined, { 'if-none-match': joined.headers.get('etag')! });
      assert.equal(again.status, 304);
    });

    test('F30: results for a context in the body have no ETag, because no cache can keep them', async () => {
      const { status, headers } = await home.ask(
        `/sdk/evalx/${home.keys.client}/context`,
        undefined,
        { 'if-none-match': '*' },
        { method: 'REPORT', body: USER },
      );
      assert.deepEqual([status, headers.get('etag')], [200, null]);
    });

    test('F30: every change is in the next reply', async () => {
      const body = { key: 'beta', name: 'Beta' };
      const steps: [what: string, change: () => Promise<unknown>][] = [
        ['a new flag', () => home.flags.make('flag')],
        ['a flag turned on', () => home.instruct('flag', [{ kind: 'turnFlagOn' }])],
        ['a new segment', () => home.rest(`segments/${home.project}/test`, { method: 'POST', body })],
        [
          'a segment with one more',
          () =>
            home.rest(`segments/${home.project}/test/beta`, {
              method: 'PATCH',
              headers: SEMANTIC,
              body: { instructions: [{ kind: 'addIncludedTargets', contextKind: 'user', values: ['u'] }] },
            }),
        ],
        ['a segment less', () => home.rest(`segments/${home.project}/test/beta`, { method: 'DELETE' })],
        ['the segment again', () => home.rest(`segments/${home.project}/test`, { method: 'POST', body })],
        ['a flag archived', () => home.instruct('flag', [{ kind: 'archiveFlag' }])],
        ['a flag less', () => home.rest(`flags/${home.project}/flag`, { method: 'DELETE' })],
        ['the flag again', () => home.flags.make('flag')],
        [
          'a flag less and another one',
          () =>
            home
              .rest(`flags/${home.project}/flag`, { method: 'DELETE' })
              .then(() => home.flags.make('other')),
        ],
      ];
      let etag = (await home.ask('/sdk/latest-all', home.keys.sdk)).headers.get('etag')!;
      for (const [what, change] of steps) {
        await change();
        const answer = await home.ask('/sdk/latest-all', home.keys.sdk, { 'if-none-match': etag });
        // An archived flag disappears from SDK payloads before it is deleted.
        assert.equal(answer.status, what === 'a flag less' ? 304 : 200, what);
        etag = answer.headers.get('etag')!;
      }
    });

    test('F30: versions rise, also for what was deleted and made again', async () => {
      const versions: [flag: number, result: number][] = [];
      const note = async () => {
        const flag = (await home.latest()).flags.flag as Json;
        versions.push([flag.version, (await home.evaluate()).flag.version]);
      };
      await home.flags.make('flag', forBrowsers);
      await note();
      await home.instruct('flag', [{ kind: 'turnFlagOn' }]);
      await note();
      await home.rest(`flags/${home.project}/flag`, { method: 'DELETE' });
      await home.flags.make('flag', forBrowsers);
      await note();
      await home.instruct('flag', [{ kind: 'turnFlagOn' }], 'production');
      await note();
      for (const [index, [flag, result]] of versions.slice(1).entries()) {
        assert.ok(flag > versions[index]![0] && result > versions[index]![1], JSON.stringify(versions));
      }
    });

    test('F30: a result has a higher version when what it depends on changes, and the same when another does', async () => {
      await home.makeSegment('beta');
      for (const key of ['flag', 'needed', 'other']) await home.flags.make(key, forBrowsers);
      const { variations } = await home.rest(`flags/${home.project}/needed`);
      const [{ _id: variationId }] = variations as [Json];
      const clauses = [{ attribute: '', op: 'segmentMatch', values: ['beta'] }];
      await home.instruct('needed', [{ kind: 'addRule', variationId, clauses }]);
      await home.instruct('flag', [{ kind: 'addPrerequisite', key: 'needed', variationId }]);
      const results = await home.evaluate();
      const patch = [{ op: 'add', path: '/included/-', value: 'u' }];
      await home.rest(`segments/${home.project}/test/beta`, { method: 'PATCH', body: { patch } });
      const after = await home.evaluate();
      for (const key of ['flag', 'needed']) {
        assert.ok(after[key].version > results[key].version, key);
        assert.equal(after[key].flagVersion, results[key].flagVersion);
      }
      assert.deepEqual(after.other, results.other);
      await home.instruct('other', [{ kind: 'turnFlagOn' }]);
      const last = await home.evaluate();
      assert.ok(last.other.version > after.needed.version);
      assert.deepEqual([last.flag, last.needed], [after.flag, after.needed]);
    });

    test('F30: replies may be kept as long as the environment says', async () => {
      await home.flags.make('flag');
      const fresh = await home.ask('/sdk/flags/flag', home.keys.sdk);
      assert.deepEqual(
        [fresh.headers.get('cache-control'), fresh.headers.get('expires')],
        ['no-cache', null],
      );
      await home.patchEnvironment('/defaultTtl', 5);
      const asked = server.clock.now();
      const { headers } = await home.ask('/sdk/flags/flag', home.keys.sdk);
      assert.equal(headers.get('cache-control'), 'private, max-age=300');
      const expires = Date.parse(headers.get('expires')!);
      // In full seconds.
      assert.ok(expires > asked + 299_000 && expires <= server.clock.now() + 300_000, `${expires - asked}`);
      const etag = headers.get('etag')!;
      assert.equal((await home.ask('/sdk/flags/flag', home.keys.sdk, { 'if-none-match': etag })).status, 304);
    });

    test('F30: there is no limit, and nothing of the REST API in the headers', async () => {
      const { headers } = await home.ask('/sdk/latest-all', home.keys.sdk);
      for (const name of ['x-ratelimit-global-remaining', 'x-ratelimit-reset', 'ld-api-version']) {
        assert.equal(headers.get(name), null);
      }
    });
  });

  describe('browsers', () => {
    test('F30: any page may ask, with the headers that SDKs send', async () => {
      const path = `/sdk/evalx/${home.keys.client}/contexts/${inBase64(USER)}`;
      const asked = await server.call(path, {
        method: 'OPTIONS',
        token: null,
        headers: {
          origin: 'https://shop.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'x-launchdarkly-user-agent',
        },
      });
      assert.equal(asked.status, 204);
      const allowed = asked.headers.get('access-control-allow-headers')!.split(', ');
      for (const name of [
        'Cache-Control',
        'Content-Type',
        'Content-Length',
        'Accept-Encoding',
        'X-LaunchDarkly-User-Agent',
        'X-LaunchDarkly-Payload-ID',
        'X-LaunchDarkly-Wrapper',
        'X-LaunchDarkly-Event-Schema',
        'X-LaunchDarkly-Tags',
        'X-LaunchDarkly-Instance-Id',
        'If-None-Match',
        'Authorization',
      ]) {
        assert.ok(allowed.includes(name), name);
      }
      assert.equal(asked.headers.get('access-control-allow-methods'), 'GET, REPORT, POST, OPTIONS');
      assert.equal(asked.headers.get('access-control-max-age'), '300');
      const { headers } = await home.ask(path, undefined, { origin: 'https://shop.example' });
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.equal(headers.get('access-control-expose-headers'), 'Date, ETag, Retry-After, X-LD-EnvID');
    });

    test('F30: there are no goals, and any page may know', async () => {
      const { status, text, headers } = await home.ask(`/sdk/goals/${home.keys.client}`, undefined, {
        origin: 'https://shop.example',
      });
      assert.deepEqual([status, text, headers.get('access-control-allow-origin')], [200, '[]', '*']);
      assertRefused(await home.ask(`/sdk/goals/${'0'.repeat(24)}`), 404, 'not_found');
    });

    test('F30: what is not there is told in JSON, under both roots', async () => {
      for (const path of ['/sdk/nothing', '/msdk/nothing', '/sdk/flags/none', '/sdk/segments/constructor']) {
        assertRefused(await home.ask(path, home.keys.sdk), 404, 'not_found');
      }
    });
  });
});
