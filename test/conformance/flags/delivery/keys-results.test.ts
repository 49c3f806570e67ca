// The payloads of SDKs, and the results of flags for a context. Rule F30.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { assertRefused, SEMANTIC } from '../feature-flags/feature-flag-calls.ts';
import { forBrowsers, inBase64, seenBy, USER, openProject, type KeyProject } from './keys-calls.ts';

onEachEngine((engine) => {
  let home: KeyProject;
  let server: TestServer;
  onServer(engine, {}, async (started) => {
    server = started;
    home = await openProject(server);
  });

  describe('the data of a flag', () => {
    test('F30: has all that an SDK evaluates, in its own words', async () => {
      const { variations } = await home.flags.make('flag', {
        variations: [{ value: 'a' }, { value: { b: 1 } }],
        ...seenBy(true, false),
      });
      const [a, b] = (variations as Json[]).map(({ _id }) => _id as string) as [string, string];
      const { environments } = await home.instruct('flag', [
        { kind: 'turnFlagOn' },
        { kind: 'addTargets', contextKind: 'user', values: ['u'], variationId: b },
        { kind: 'addTargets', contextKind: 'org', values: ['o'], variationId: a },
        {
          kind: 'addRule',
          variationId: b,
          clauses: [{ attribute: 'plan', op: 'in', values: ['gold'], contextKind: 'user' }],
        },
        {
          kind: 'updateFallthroughVariationOrRollout',
          rolloutWeights: { [a]: 40_000, [b]: 60_000 },
          rolloutContextKind: 'org',
        },
      ]);
      const { salt, rules } = environments.test as Json;
      assert.deepEqual((await home.latest()).flags.flag, {
        key: 'flag',
        version: 2,
        on: true,
        prerequisites: [],
        targets: [{ contextKind: 'user', values: ['u'], variation: 1 }],
        contextTargets: [
          { contextKind: 'user', values: [], variation: 1 },
          { contextKind: 'org', values: ['o'], variation: 0 },
        ],
        rules: [
          {
            id: rules[0]._id,
            clauses: [{ attribute: 'plan', op: 'in', values: ['gold'], negate: false, contextKind: 'user' }],
            variation: 1,
            trackEvents: false,
          },
        ],
        fallthrough: {
          rollout: {
            kind: 'rollout',
            contextKind: 'org',
            variations: [
              { variation: 0, weight: 40_000 },
              { variation: 1, weight: 60_000 },
            ],
          },
        },
        offVariation: 1,
        variations: ['a', { b: 1 }],
        clientSide: false,
        clientSideAvailability: { usingMobileKey: true, usingEnvironmentId: false },
        salt,
        trackEvents: false,
        trackEventsFallthrough: false,
        debugEventsUntilDate: null,
        deleted: false,
      });
    });
  });

  describe('results', () => {
    test('F30: come from targets, rules, rollouts, prerequisites and segments', async () => {
      await home.makeSegment('beta');
      await home.rest(`segments/${home.project}/test/beta`, {
        method: 'PATCH',
        headers: SEMANTIC,
        body: { instructions: [{ kind: 'addIncludedTargets', contextKind: 'user', values: ['tester'] }] },
      });
      await home.flags.make('needed', forBrowsers);
      await home.instruct('needed', [{ kind: 'turnFlagOn' }]);
      const { variations: needed } = await home.flags.get('needed');
      const { variations } = await home.flags.make('flag', {
        variations: ['a', 'b', 'c', 'd'].map((value) => ({ value })),
        ...forBrowsers,
      });
      const ids = (variations as Json[]).map(({ _id }) => _id as string);
      const { environments } = await home.instruct('flag', [
        { kind: 'turnFlagOn' },
        { kind: 'addPrerequisite', key: 'needed', variationId: needed[0]._id },
        { kind: 'addTargets', contextKind: 'user', values: ['chosen'], variationId: ids[1] },
        {
          kind: 'addRule',
          variationId: ids[2],
          clauses: [{ attribute: '', op: 'segmentMatch', values: ['beta'] }],
        },
        {
          kind: 'addRule',
          variationId: ids[1],
          clauses: [{ contextKind: 'org', attribute: '/plan/name', op: 'startsWith', values: ['gold'] }],
        },
        { kind: 'updateFallthroughVariationOrRollout', rolloutWeights: { [ids[0]!]: 0, [ids[3]!]: 100_000 } },
      ]);
      const [first, second] = environments.test.rules as Json[];
      const cases: [context: unknown, value: string, reason: Json][] = [
        [{ kind: 'user', key: 'chosen' }, 'b', { kind: 'TARGET_MATCH' }],
        [{ key: 'chosen' }, 'b', { kind: 'TARGET_MATCH' }],
        [{ kind: 'user', key: 'tester' }, 'c', { kind: 'RULE_MATCH', ruleIndex: 0, ruleId: first!._id }],
        [
          { kind: 'multi', user: { key: 'u' }, org: { key: 'o', plan: { name: 'gold-2' } } },
          'b',
          { kind: 'RULE_MATCH', ruleIndex: 1, ruleId: second!._id },
        ],
        [USER, 'd', { kind: 'FALLTHROUGH' }],
      ];
      for (const [context, value, reason] of cases) {
        const { flag } = await home.evaluate(context, '?withReasons=true');
        assert.deepEqual([flag.value, flag.reason], [value, reason]);
        assert.deepEqual(flag.prerequisites, ['needed']);
        assert.equal(flag.variation, ['a', 'b', 'c', 'd'].indexOf(value));
      }
      await home.instruct('needed', [{ kind: 'turnFlagOff' }]);
      const { flag } = await home.evaluate({ kind: 'user', key: 'chosen' }, '?withReasons=true');
      assert.deepEqual(
        [flag.value, flag.reason],
        ['d', { kind: 'PREREQUISITE_FAILED', prerequisiteKey: 'needed' }],
      );
    });

    test('F30: have what an SDK keeps of them, and reasons only for who asks', async () => {
      await home.flags.make('flag', forBrowsers);
      const { version, ...rest } = (await home.evaluate()).flag as Json;
      assert.ok(Number.isInteger(version));
      assert.deepEqual(rest, { value: false, variation: 1, flagVersion: 1, trackEvents: false });
      assert.deepEqual((await home.evaluate(USER, '?withReasons=true')).flag.reason, { kind: 'OFF' });
      assert.equal((await home.evaluate(USER, '?withReasons=false')).flag.reason, undefined);
    });

    test('F30: tell the reason where the fallthrough is tracked', async () => {
      await home.flags.make('flag', forBrowsers);
      await home.instruct('flag', [{ kind: 'turnFlagOn' }]);
      const path = '/environments/test/trackEventsFallthrough';
      await home.flags.patch('flag', [{ op: 'replace', path, value: true }]);
      const { trackEvents, trackReason, reason } = (await home.evaluate()).flag as Json;
      assert.deepEqual([trackEvents, trackReason, reason], [true, true, { kind: 'FALLTHROUGH' }]);
    });

    test('F30: go by the members of a big segment, at once', async () => {
      const body = { key: 'big', name: 'Big', unbounded: true, unboundedContextKind: 'org' };
      await home.rest(`segments/${home.project}/test`, { method: 'POST', body });
      const { variations } = await home.flags.make('flag', forBrowsers);
      await home.instruct('flag', [
        { kind: 'turnFlagOn' },
        { kind: 'updateFallthroughVariationOrRollout', variationId: variations[1]._id },
        {
          kind: 'addRule',
          variationId: variations[0]._id,
          clauses: [{ attribute: '', op: 'segmentMatch', values: ['big'] }],
        },
      ]);
      const change = (lists: Json) =>
        home.rest(`segments/${home.project}/test/big/contexts`, {
          method: 'POST',
          body: { included: lists },
        });
      const org = { kind: 'org', key: 'o' };
      const valueFor = async (context: unknown) => (await home.evaluate(context)).flag.value as boolean;
      assert.equal(await valueFor(org), false);
      await change({ add: ['o'] });
      assert.equal(await valueFor(org), true);
      assert.equal(await valueFor({ kind: 'multi', user: { key: 'u' }, org: { key: 'o' } }), true);
      assert.equal(await valueFor({ kind: 'user', key: 'o' }), false);
      assert.equal(await valueFor({ kind: 'org', key: 'o\0' }), false);
      await change({ remove: ['o'] });
      assert.equal(await valueFor(org), false);
      const { segments } = await home.latest();
      assert.deepEqual(
        [segments.big.unbounded, segments.big.unboundedContextKind, segments.big.generation],
        [true, 'org', 1],
      );
    });

    test('F30: a pattern that takes too long does not match, and is told where people look', async () => {
      const bomb = [{ attribute: 'text', op: 'matches', values: ['^(a|a)*\\1$'] }];
      await home.makeSegment('slow');
      await home.rest(`segments/${home.project}/test/slow`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' },
        body: { environmentKey: 'test', instructions: [{ kind: 'addRule', clauses: bomb }] },
      });
      for (const key of ['quick', 'slow']) {
        const { variations } = await home.flags.make(key, forBrowsers);
        const clauses = key === 'slow' ? bomb : [{ attribute: 'text', op: 'matches', values: ['^a+!$'] }];
        await home.instruct(key, [
          { kind: 'turnFlagOn' },
          { kind: 'updateFallthroughVariationOrRollout', variationId: variations[1]._id },
          { kind: 'addRule', variationId: variations[0]._id, clauses },
        ]);
      }
      const context = { kind: 'user', key: 'u', text: `${'a'.repeat(2000)}!` };
      server.log.length = 0;
      const { quick, slow } = await home.evaluate(context, '?withReasons=true');
      assert.deepEqual([quick.value, quick.reason.kind], [true, 'RULE_MATCH']);
      assert.deepEqual([slow.value, slow.reason], [false, { kind: 'FALLTHROUGH' }]);
      const [line, ...others] = server.log.filter(({ flags }) => flags !== undefined);
      assert.deepEqual([others, line!['environment'], line!['flags']], [[], 'test', ['slow']]);
      assert.match(String(line!['msg']), /more steps than one evaluation has/);
      const ask = async (what: string) =>
        (
          await home.rest(`projects/${home.project}/environments/test/${what}/evaluate`, {
            method: 'POST',
            body: context,
          })
        )['items'] as Json[];
      const warnings = (items: Json[]) => items.map(({ key, _warnings }) => [key, _warnings?.length]);
      assert.deepEqual(warnings(await ask('flags')), [
        ['quick', undefined],
        ['slow', 1],
      ]);
      assert.deepEqual(warnings(await ask('segments')), [['slow', 1]]);
    });

    const bad: [what: string, path: string][] = [
      ['no Base64', '***'],
      ['no JSON', Buffer.from('{"key":').toString('base64url')],
      ['no text', Buffer.from([0xff, 0xfe]).toString('base64url')],
      ['a list', inBase64([])],
      ['a user without a key', inBase64({ name: 'x' })],
      ['a kind without a name', inBase64({ kind: '', key: 'u' })],
      ['a context without a key', inBase64({ kind: 'org' })],
    ];
    for (const [what, path] of bad) {
      test(`F30: a context that is ${what} is told off`, async () => {
        for (const way of ['contexts', 'users']) {
          assertRefused(
            await home.ask(`/sdk/evalx/${home.keys.client}/${way}/${path}`),
            400,
            'invalid_request',
          );
          assertRefused(
            await home.ask(`/msdk/evalx/${way}/${path}`, home.keys.mobile),
            400,
            'invalid_request',
          );
        }
      });
    }

    test('F30: a context may come in the body of a REPORT, and is the same there', async () => {
      await home.flags.make('flag', seenBy(true, true));
      await home.instruct('flag', [{ kind: 'turnFlagOn' }]);
      const { client, mobile } = home.keys;
      const report = (path: string, body: unknown, key?: string) =>
        home.ask(path, key, { 'content-type': 'application/json' }, { method: 'REPORT', body });
      const inPath = [
        await home.evaluate(USER, '?withReasons=true'),
        await home.evaluateMobile(USER, '?withReasons=true'),
      ];
      for (const way of ['context', 'user']) {
        const browser = await report(`/sdk/evalx/${client}/${way}?withReasons=true`, USER);
        const app = await report(`/msdk/evalx/${way}?withReasons=true`, USER, mobile);
        assert.deepEqual([browser.json, app.json], inPath, browser.text);
        assert.match(browser.headers.get('content-type')!, /^application\/json/);
        const refused: [answer: Answer, status: number, code: string][] = [
          [await report(`/sdk/evalx/${'0'.repeat(24)}/${way}`, USER), 404, 'not_found'],
          [await report(`/msdk/evalx/${way}`, USER, 'mob-unknown'), 401, 'unauthorized'],
          [await report(`/sdk/evalx/${client}/${way}`, { name: 'x' }), 400, 'invalid_request'],
          [await report(`/sdk/evalx/${client}/${way}`, '{"key":'), 400, 'invalid_request'],
          [await report(`/sdk/evalx/${client}/${way}`, undefined), 400, 'invalid_request'],
          [
            await report(`/sdk/evalx/${client}/${way}`, { key: 'u'.repeat(65_536) }),
            413,
            'request_too_large',
          ],
        ];
        for (const [answer, status, code] of refused) assertRefused(answer, status, code);
      }
      const preflight = await home.ask(`/sdk/evalx/${client}/context`, undefined, {}, { method: 'OPTIONS' });
      assert.equal(preflight.status, 204);
      assert.match(preflight.headers.get('access-control-allow-methods')!, /REPORT/);
    });

    test('F30: a hash is asked for in secure mode, in the body of a REPORT, too', async () => {
      await home.patchEnvironment('/secureMode', true);
      const h = createHmac('sha256', home.keys.sdk).update('u').digest('hex');
      const report = (query: string) =>
        home.ask(
          `/sdk/evalx/${home.keys.client}/context${query}`,
          undefined,
          {},
          { method: 'REPORT', body: USER },
        );
      assertRefused(await report(''), 400, 'invalid_request');
      assert.equal((await report(`?h=${h}`)).status, 200);
    });

    test('F30: who asks again and again gets the same, until something changes, and only what they may have', async () => {
      await home.flags.make('again', forBrowsers);
      await home.instruct('again', [{ kind: 'turnFlagOff' }]);
      const path = `/sdk/evalx/${home.keys.client}/contexts/${inBase64(USER)}`;
      const first = await home.ask(path);
      for (let time = 0; time < 3; time += 1) {
        const next = await home.ask(path);
        assert.equal(next.text, first.text);
        assert.equal(next.headers.get('etag'), first.headers.get('etag'));
        assert.equal(next.headers.get('x-ld-envid'), home.keys.client);
      }
      const etag = first.headers.get('etag')!;
      assert.equal((await home.ask(path, undefined, { 'if-none-match': etag })).status, 304);
      assert.equal((await home.ask(path, undefined, { 'if-none-match': '"other"' })).status, 200);
      assert.equal((await home.ask(`${path}?filter=some`)).status, 404);
      assert.ok('reason' in (await home.evaluate(USER, '?withReasons=true')).again);
      assert.ok(!('reason' in (await home.evaluate()).again));
      assert.equal((await home.evaluateMobile()).again, undefined);

      const { variations } = await home.flags.get('again');
      const [on] = variations as Json[];
      await home.instruct('again', [{ kind: 'turnFlagOn' }]);
      const changed = await home.ask(path, undefined, { 'if-none-match': etag });
      assert.equal(changed.status, 200);
      assert.deepEqual(changed.json.again.value, on!.value);

      for (let time = 0; time < 3; time += 1) await home.evaluate();
      await home.patchEnvironment('/secureMode', true);
      assertRefused(await home.ask(path), 400, 'invalid_request');
      await home.patchEnvironment('/secureMode', false);
      assert.equal((await home.ask(path)).status, 200);
    });

    test('F30: a context may be in either Base64, padded or not', async () => {
      await home.flags.make('flag', seenBy(true, true));
      const text = JSON.stringify({ kind: 'user', key: '>>>???ÿ~~~' });
      const standard = Buffer.from(text).toString('base64');
      assert.match(standard, /[+/].*=$/);
      for (const path of [standard, standard.replaceAll('=', ''), Buffer.from(text).toString('base64url')]) {
        const answer = await home.ask(`/sdk/evalx/${home.keys.client}/contexts/${encodeURIComponent(path)}`);
        assert.equal(answer.status, 200, answer.text);
      }
    });
  });
});
