// Evaluation for a context on the flags API, on a running server with each engine: values, reasons, segments.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { Answer, CallInit, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { assertError, expect, giveMember } from '../control-calls.ts';
import { keysOf } from './feature-flag-calls.ts';
import { openProject, seenBy, type KeyProject } from '../delivery/keys-calls.ts';

const ADA = { kind: 'user', key: 'ada', email: 'ada@example.com' };
const ACME = { kind: 'org', key: 'acme' };
const BOTH = { kind: 'multi', user: { key: 'bob' }, org: { key: 'acme', name: 'Acme' } };

onEachEngine((engine) => {
  let server: TestServer;
  let home: KeyProject;
  const call = (what: 'flags' | 'segments', body: unknown, query = '', init: CallInit = {}) =>
    server.call(`/api/v2/projects/${home.project}/environments/test/${what}/evaluate${query}`, {
      method: 'POST',
      body,
      ...init,
    });
  const evaluate = async (body: unknown, query = ''): Promise<Json> =>
    (await expect(200, call('flags', body, query))).json;
  /** The value and reason of each flag, by key. */
  const resultsFor = async (body: unknown) =>
    Object.fromEntries(
      ((await evaluate(body))['items'] as Json[]).map(({ key, _value, reason }) => [key, [_value, reason]]),
    ) as Record<string, [value: unknown, reason: Json]>;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    home = await openProject(server);
    const { flags, instruct, makeSegment, project, rest } = home;
    const everybody = seenBy(true, true);
    const made = {
      'a-off': await flags.make('a-off', { name: 'Off', tags: ['beta', 'q1'], ...everybody }),
      'b-target': await flags.make('b-target', { name: 'Zebra', tags: ['beta'], ...everybody }),
      'c-rule': await flags.make('c-rule', {
        variations: [{ value: { a: [1] } }, { value: 'text' }],
        ...everybody,
      }),
      'd-needs': await flags.make('d-needs', everybody),
      'e-archived': await flags.make('e-archived', everybody),
    };
    const idOf = (key: keyof typeof made, index: number) => made[key]['variations'][index]._id as string;
    await makeSegment('people', { name: 'People', description: 'Who asked' });
    await makeSegment('big', { unbounded: true, unboundedContextKind: 'org' });
    await makeSegment('nested');
    await makeSegment('circle');
    const clause = (members: Json) => ({ contextKind: 'user', op: 'in', negate: false, ...members });
    const inSegment = (key: string) => [clause({ attribute: '', op: 'segmentMatch', values: [key] })];
    const change = (key: string, instructions: Json[]) =>
      rest(`segments/${project}/test/${key}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' },
        body: { environmentKey: 'test', instructions },
      });
    await change('people', [
      { kind: 'addIncludedTargets', contextKind: 'user', values: ['ada'] },
      { kind: 'addExcludedTargets', contextKind: 'user', values: ['eve'] },
      { kind: 'addRule', clauses: [clause({ attribute: 'key', values: ['bob', 'eve'] })] },
    ]);
    await change('nested', [{ kind: 'addRule', clauses: inSegment('people') }]);
    await change('circle', [{ kind: 'addRule', clauses: inSegment('circle') }]);
    await rest(`segments/${project}/test/big/contexts`, {
      method: 'POST',
      body: { included: { add: ['acme'] } },
    });
    await instruct('b-target', [
      { kind: 'turnFlagOn' },
      { kind: 'addTargets', contextKind: 'user', values: ['ada'], variationId: idOf('b-target', 1) },
    ]);
    await instruct('c-rule', [
      { kind: 'turnFlagOn' },
      { kind: 'addRule', clauses: inSegment('big'), variationId: idOf('c-rule', 1) },
      { kind: 'addRule', clauses: inSegment('people'), variationId: idOf('c-rule', 1) },
    ]);
    await instruct('d-needs', [
      { kind: 'turnFlagOn' },
      { kind: 'addPrerequisite', key: 'a-off', variationId: idOf('a-off', 0) },
    ]);
    await flags.patch('e-archived', [{ op: 'replace', path: '/archived', value: true }]);
  });
  after(() => server.stop());

  describe('flags', () => {
    test('F5 each has its value, why, and links', async () => {
      const { items, totalCount, _links } = await evaluate(ADA);
      assert.deepEqual(keysOf({ items }), ['a-off', 'b-target', 'c-rule', 'd-needs']);
      assert.equal(totalCount, 4);
      assert.match(_links.self.href, /\/environments\/test\/flags\/evaluate\?limit=4$/);
      const { project } = home;
      assert.deepEqual(items[0], {
        name: 'Off',
        key: 'a-off',
        _value: false,
        reason: { kind: 'OFF' },
        _links: {
          self: { href: `/api/v2/flags/${project}/a-off`, type: 'application/json' },
          site: { href: `/console/flags/${project}/a-off/targeting?env=test`, type: 'text/html' },
        },
      });
      assert.equal((await server.call(items[0]._links.self.href)).status, 200);
    });

    test('are evaluated for a context of one kind, of several, and as older SDKs write users', async () => {
      const rules = (await home.flags.get('c-rule'))['environments'].test.rules as Json[];
      const matches = (index: number) => ({
        kind: 'RULE_MATCH',
        ruleIndex: index,
        ruleID: rules[index]!['_id'] as string,
      });
      const failed = { kind: 'PREREQUISITE_FAILED', prerequisiteKey: 'a-off' };
      const expected: [context: unknown, target: [unknown, Json], rule: [unknown, Json]][] = [
        [ADA, [false, { kind: 'TARGET_MATCH' }], ['text', matches(1)]],
        [ACME, [true, { kind: 'FALLTHROUGH' }], ['text', matches(0)]],
        [BOTH, [true, { kind: 'FALLTHROUGH' }], ['text', matches(0)]],
        [{ key: 'ada', custom: { plan: 'gold' } }, [false, { kind: 'TARGET_MATCH' }], ['text', matches(1)]],
        [
          { kind: 'device', key: 'x' },
          [true, { kind: 'FALLTHROUGH' }],
          [{ a: [1] }, { kind: 'FALLTHROUGH' }],
        ],
      ];
      for (const [context, target, rule] of expected) {
        const results = await resultsFor(context);
        assert.deepEqual(results['b-target'], target, JSON.stringify(context));
        assert.deepEqual(results['c-rule'], rule, JSON.stringify(context));
        assert.deepEqual(results['d-needs'], [false, failed]);
      }
    });

    test('come to what SDKs are told', async () => {
      for (const context of [ADA, ACME, BOTH, { kind: 'user', key: 'eve' }]) {
        const told = await home.evaluate(context);
        const results = await resultsFor(context);
        assert.deepEqual(
          Object.entries(results).map(([key, [value, { kind }]]) => [key, value, kind]),
          Object.entries(await home.evaluate(context, '?withReasons=true')).map(
            ([key, { value, reason }]) => [key, value, reason.kind],
          ),
        );
        assert.equal(Object.keys(told).length, 4);
      }
    });

    test('F9 are paged where a limit is given', async () => {
      const page = async (query: string) => {
        const { items, totalCount, _links } = await evaluate(ADA, query);
        assert.equal(totalCount, 4);
        return [keysOf({ items }).join(' '), Object.keys(_links).toSorted().join(' ')];
      };
      assert.deepEqual(await page('?limit=3'), ['a-off b-target c-rule', 'first last next self']);
      assert.deepEqual(await page('?limit=2&offset=1'), ['b-target c-rule', 'first last next prev self']);
      assert.deepEqual(await page('?offset=3'), ['d-needs', 'first last prev self']);
      assert.deepEqual(await page('?limit=-1&offset=9'), ['', 'first last prev self']);
      const { _links } = await evaluate(ADA, '?limit=3');
      const answer = await server.call(_links.next.href as string, { method: 'POST', body: ADA });
      assert.deepEqual(keysOf(answer.json), ['d-needs']);
    });

    test('are chosen and sorted', async () => {
      const keys = async (query: string) => keysOf(await evaluate(ADA, `?${query}`)).join(' ');
      const filter = (text: string) => keys(`filter=${encodeURIComponent(text)}`);
      assert.equal(await filter('tags contains ["beta","q1"]'), 'a-off');
      assert.equal(await filter('tags contains beta'), 'a-off b-target');
      assert.equal(await filter('query equals ZEBRA'), 'b-target');
      assert.equal(await filter('query equals -, tags contains ["beta"]'), 'a-off b-target');
      assert.equal(await filter('query equals zebra|query equals needs'), 'b-target d-needs');
      assert.equal(await filter('query equals nothing'), '');
      assert.equal(await keys('sort=-key'), 'd-needs c-rule b-target a-off');
      assert.equal(await keys('sort=name'), 'c-rule d-needs a-off b-target');
      assert.equal(await keys('sort=-creationDate&limit=1'), 'd-needs');
    });

    test('F33 for what is no context are refused by the name of the field', async () => {
      const bad: [body: unknown, field: RegExp][] = [
        [{}, /\bkey\b/],
        [{ kind: 'user' }, /\bkey\b/],
        [{ kind: 'user', key: '' }, /\bkey\b/],
        [{ kind: 'user', key: 5 }, /\bkey\b/],
        [{ kind: 'user', key: 'a', name: 5 }, /\bname\b/],
        [{ kind: 'user', key: 'a', anonymous: 'yes' }, /\banonymous\b/],
        [{ kind: 'user', key: 'a', _meta: [] }, /\b_meta\b/],
        [{ kind: 'a b', key: 'a' }, /\bkind\b/],
        [{ kind: 5, key: 'a' }, /\bkind\b/],
        [{ kind: null, key: 'a' }, /\bkind\b/],
        [{ kind: 'multi' }, /\bkind\b/],
        [{ kind: 'multi', user: { key: 'a' }, org: {} }, /\borg\.key\b/],
        [{ kind: 'multi', org: 'acme' }, /\borg\b/],
        [{ kind: 'multi', 'a b': { key: 'x' } }, /a b/],
        [{ kind: 'multi', org: { key: 'a', name: [] } }, /\borg\.name\b/],
        [{ key: 'a', email: 5 }, /\bemail\b/],
        [{ key: 'a', custom: 'x' }, /\bcustom\b/],
        [[], /./],
        ['null', /./],
        ['{', /./],
      ];
      for (const what of ['flags', 'segments'] as const) {
        for (const [body, field] of bad) {
          const answer: Answer = await expect(400, call(what, body));
          assertError(answer, 'invalid_request');
          assert.match(answer.json['message'] as string, field, JSON.stringify(body));
        }
        const text = { body: 'x', headers: { 'content-type': 'text/plain' } };
        assertError(await expect(400, call(what, undefined, '', text)), 'invalid_request');
      }
    });

    test('F33 by a filter, an order or a page that is none are refused', async () => {
      for (const query of [
        'filter=nonsense',
        'filter=tags+equals+x',
        'filter=query+equals',
        'sort=maintainerId',
        'limit=-2',
        'limit=x',
        'offset=-1',
      ])
        assertError(await expect(400, call('flags', ADA, `?${query}`)), 'invalid_request');
    });

    test('are as they are now', async () => {
      await home.flags.make('z-late', { name: 'Late' });
      await home.flags.patch('z-late', [{ op: 'replace', path: '/name', value: 'Later' }]);
      const { items } = await evaluate(ADA, '?filter=query+equals+z-late');
      assert.deepEqual([items[0].name, items[0]._value], ['Later', false]);
      await home.instruct('z-late', [{ kind: 'turnFlagOn' }]);
      assert.equal((await resultsFor(ADA))['z-late']![0], true);
      await home.rest(`flags/${home.project}/z-late`, { method: 'DELETE' });
      assert.equal((await resultsFor(ADA))['z-late'], undefined);
    });
  });

  describe('segments', () => {
    const standings = async (context: unknown) => {
      const { json } = await expect(200, call('segments', context));
      return Object.fromEntries(
        (json['items'] as Json[]).map((item) => [
          item['key'],
          ['isMember', 'isIndividuallyTargeted', 'isRuleTargeted']
            .filter((name) => item[name] === true)
            .join(' '),
        ]),
      ) as Record<string, string>;
    };

    test('F5 F8 each tells of itself', async () => {
      const { json } = await expect(200, call('segments', ADA));
      assert.deepEqual(keysOf(json), ['people', 'big', 'nested', 'circle']);
      assert.equal(json['totalCount'], 4);
      const { project } = home;
      assert.equal(
        json['_links'].self.href,
        `/api/v2/projects/${project}/environments/test/segments/evaluate`,
      );
      assert.deepEqual(json['items'][0], {
        name: 'People',
        key: 'people',
        description: 'Who asked',
        unbounded: false,
        external: '',
        isMember: true,
        isIndividuallyTargeted: true,
        isRuleTargeted: false,
        _links: {
          self: { href: `/api/v2/segments/${project}/test/people`, type: 'application/json' },
        },
      });
      assert.deepEqual([json['items'][1].unbounded, json['items'][1].description], [true, '']);
    });

    test('tell who is in by key, who by a rule, and who is not', async () => {
      const byKey = 'isMember isIndividuallyTargeted';
      const byRule = 'isMember isRuleTargeted';
      assert.deepEqual(await standings(ADA), { people: byKey, big: '', nested: byRule, circle: '' });
      assert.deepEqual(await standings(ACME), { people: '', big: byKey, nested: '', circle: '' });
      assert.deepEqual(await standings(BOTH), { people: byRule, big: byKey, nested: byRule, circle: '' });
      const eve = { kind: 'user', key: 'eve' };
      assert.deepEqual(await standings(eve), { people: '', big: '', nested: '', circle: '' });
      assert.deepEqual(await standings({ key: 'ada' }), await standings(ADA));
    });
  });

  test('F31 who may see the project may ask', async () => {
    const { token: reader } = await giveMember(server, { role: 'reader' });
    const { token: nobody } = await giveMember(server, { role: 'no_access' });
    for (const what of ['flags', 'segments'] as const) {
      await expect(200, call(what, ADA, '', { token: reader }));
      assertError(await expect(403, call(what, ADA, '', { token: nobody })), 'forbidden');
      await expect(401, call(what, ADA, '', { token: null }));
      for (const key of [home.keys.sdk, home.keys.mobile])
        await expect(401, call(what, ADA, '', { token: key }));
      const path = `/api/v2/projects/${home.project}/environments`;
      await expect(404, server.call(`${path}/none/${what}/evaluate`, { method: 'POST', body: ADA }));
      await expect(405, server.call(`${path}/test/${what}/evaluate`));
    }
  });

  test('asking leaves no trace', async () => {
    const { db } = server.app.kernel;
    const last = () => db.selectFrom('events').select('seq').orderBy('seq', 'desc').limit(1).execute();
    const known = await last();
    await evaluate(ADA);
    await expect(200, call('segments', ADA));
    assert.deepEqual(await last(), known);
  });
});
