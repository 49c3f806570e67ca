// OFREP on a running server with each engine: values and reasons, which flags a key may see, ETags. Rules F29 and F30.
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { HOUR, seenBy } from './keys-calls.ts';
import { assertOfrepError, openOfrepProject, USER, type OfrepProject } from './ofrep-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let home: OfrepProject;
  onServer(engine, {}, async (started) => {
    server = started;
    home = await openOfrepProject(server);
  });

  const idsOf = ({ variations }: Json) => (variations as Json[]).map(({ _id }) => _id as string);
  /** A flag that is on and serves its first variation. */
  async function makeOn(key: string, values: unknown[] = [true, false], fields: Json = {}) {
    const ids = idsOf(
      await home.flags.make(key, {
        variations: values.map((value) => ({ value })),
        defaults: { onVariation: 0, offVariation: values.length - 1 },
        ...fields,
      }),
    );
    await home.instruct(key, [{ kind: 'turnFlagOn' }]);
    return ids;
  }

  describe('a value', () => {
    const values: [type: string, first: unknown, last: unknown][] = [
      ['boolean', true, false],
      ['string', 'blue', 'a "quoted" ü'],
      ['integer', 3, 0],
      ['float', 3.14, -0.5],
      ['object', { a: [1, { b: null }] }, {}],
      ['array', [1, 'two'], []],
    ];
    for (const [type, first, last] of values) {
      test(`is sent as it is: ${type}`, async () => {
        await makeOn('flag', [first, last]);
        const { status, json } = await home.evaluateOne('flag');
        assert.equal(status, 200);
        assert.deepEqual(json, {
          key: 'flag',
          value: first,
          variant: '0',
          reason: 'STATIC',
          metadata: { flagVersion: 2, reasonKind: 'FALLTHROUGH' },
        });
        await home.instruct('flag', [{ kind: 'turnFlagOff' }]);
        assert.deepEqual((await home.evaluateOne('flag')).json, {
          key: 'flag',
          value: last,
          variant: '1',
          reason: 'DISABLED',
          metadata: { flagVersion: 3, reasonKind: 'OFF' },
        });
      });
    }

    test('is the same in one evaluation and in a bulk evaluation', async () => {
      await makeOn('a');
      await makeOn('b', ['x', 'y']);
      const flags = await home.flagsFor();
      assert.deepEqual(Object.keys(flags), ['a', 'b']);
      for (const [key, flag] of Object.entries(flags))
        assert.deepEqual((await home.evaluateOne(key)).json, flag);
    });

    test('is absent where a flag is off and has no off variation, so that the default in the code applies', async () => {
      await home.flags.make('flag');
      await home.flags.patch('flag', [{ op: 'remove', path: '/environments/test/offVariation' }]);
      const outcome = {
        key: 'flag',
        reason: 'DISABLED',
        metadata: { flagVersion: 2, reasonKind: 'OFF' },
      };
      assert.deepEqual((await home.evaluateOne('flag')).json, outcome);
      assert.deepEqual((await home.flagsFor())['flag'], outcome);
    });
  });

  describe('a reason', () => {
    const reasonOf = async (context: unknown = USER) => {
      const { reason, metadata } = (await home.evaluateOne('flag', context)).json;
      return [reason, metadata['reasonKind']] as string[];
    };

    test('says how targets, rules and rollouts led to the value', async () => {
      const [a, b] = (await makeOn('flag', ['a', 'b'])) as [string, string];
      const rule = (plan: string) => [
        { contextKind: 'user', attribute: 'plan', op: 'in', values: [plan], negate: false },
      ];
      const { environments } = await home.instruct('flag', [
        { kind: 'addTargets', contextKind: 'user', values: ['chosen'], variationId: b },
        { kind: 'addRule', variationId: b, clauses: rule('gold') },
        { kind: 'addRule', rolloutWeights: { [a]: 0, [b]: 100_000 }, clauses: rule('silver') },
      ]);
      assert.deepEqual(await reasonOf({ targetingKey: 'chosen' }), ['TARGETING_MATCH', 'TARGET_MATCH']);
      assert.deepEqual(await reasonOf({ ...USER, plan: 'gold' }), ['TARGETING_MATCH', 'RULE_MATCH']);
      assert.deepEqual(await reasonOf({ ...USER, plan: 'silver' }), ['SPLIT', 'RULE_MATCH']);
      const { json } = await home.evaluateOne('flag', { ...USER, plan: 'silver' });
      assert.equal(json['metadata'].ruleId, environments.test.rules[1]._id);
      assert.deepEqual(
        await reasonOf(),
        ['DEFAULT', 'FALLTHROUGH'],
        'another context could get another value',
      );
      await home.instruct('flag', [
        { kind: 'updateFallthroughVariationOrRollout', rolloutWeights: { [a]: 50_000, [b]: 50_000 } },
      ]);
      assert.deepEqual(await reasonOf(), ['SPLIT', 'FALLTHROUGH']);
    });

    test('of a failed prerequisite is that the flag is disabled', async () => {
      const [needed] = await makeOn('needed');
      await makeOn('flag');
      await home.instruct('flag', [{ kind: 'addPrerequisite', key: 'needed', variationId: needed }]);
      assert.deepEqual(await reasonOf(), ['DEFAULT', 'FALLTHROUGH']);
      await home.instruct('needed', [{ kind: 'turnFlagOff' }]);
      const { json } = await home.evaluateOne('flag');
      assert.deepEqual(
        [json['value'], json['reason'], json['metadata']],
        [
          false,
          'DISABLED',
          {
            flagVersion: json['metadata'].flagVersion,
            reasonKind: 'PREREQUISITE_FAILED',
            prerequisiteKey: 'needed',
          },
        ],
      );
    });
  });

  describe('a context', () => {
    const clauseOf = (contextKind: string, attribute: string, value: unknown) => ({
      contextKind,
      attribute,
      op: 'in',
      values: [value],
      negate: false,
    });
    const matchOn = async (clause: Json) => {
      const [a] = await makeOn('flag', ['match', 'none']);
      await home.instruct('flag', [
        {
          kind: 'updateFallthroughVariationOrRollout',
          variationId: (await home.flags.get('flag')).variations[1]._id,
        },
        { kind: 'addRule', variationId: a, clauses: [clause] },
      ]);
      return async (context: unknown) => (await home.evaluateOne('flag', context)).json['value'] as string;
    };

    test('is a user with the targeting key as its key, and all other fields as attributes', async () => {
      const valueFor = await matchOn(clauseOf('user', '/plan/name', 'gold'));
      assert.equal(await valueFor({ targetingKey: 'u', plan: { name: 'gold' } }), 'match');
      assert.equal(await valueFor({ targetingKey: 'u', plan: { name: 'tin' } }), 'none');
      assert.equal(await valueFor({ kind: 'org', targetingKey: 'u', plan: { name: 'gold' } }), 'none');
    });

    test('has the kind that it names', async () => {
      const valueFor = await matchOn(clauseOf('org', 'key', 'o'));
      assert.equal(await valueFor({ kind: 'org', targetingKey: 'o' }), 'match');
      assert.equal(await valueFor({ kind: 'org', targetingKey: 'o', key: 'other' }), 'match');
      assert.equal(await valueFor({ targetingKey: 'o' }), 'none');
    });

    test('of several kinds has a key in each', async () => {
      const valueFor = await matchOn(clauseOf('org', 'key', 'o'));
      assert.equal(await valueFor({ kind: 'multi', user: USER, org: { targetingKey: 'o' } }), 'match');
      assert.equal(await valueFor({ kind: 'multi', user: { key: 'u' }, org: { key: 'o' } }), 'match');
      assert.equal(await valueFor({ kind: 'multi', targetingKey: 'x', org: { targetingKey: 'o' } }), 'match');
      assert.equal(await valueFor({ kind: 'multi', user: { targetingKey: 'o' } }), 'none');
    });

    test('is in a big segment exactly as long as it is a member', async () => {
      await home.makeSegment('big', { unbounded: true, unboundedContextKind: 'user' });
      const valueFor = await matchOn({ attribute: '', op: 'segmentMatch', values: ['big'], negate: false });
      const change = (lists: Json) =>
        home.rest(`segments/${home.project}/test/big/contexts`, { method: 'POST', body: lists });
      const bulkOf = async () => (await home.flagsFor())['flag']!['value'] as string;
      assert.deepEqual([await valueFor(USER), await bulkOf()], ['none', 'none']);
      await change({ included: { add: ['u'] } });
      assert.deepEqual([await valueFor(USER), await bulkOf()], ['match', 'match']);
      await change({ included: { remove: ['u'] } });
      assert.deepEqual([await valueFor(USER), await bulkOf()], ['none', 'none']);
    });
  });

  describe('a key', () => {
    beforeEach(async () => {
      await makeOn('server', [true, false], seenBy(false, false));
      await makeOn('mobile', [true, false], seenBy(true, false));
      await makeOn('browser', [true, false], seenBy(false, true));
      await makeOn('both', [true, false], seenBy(true, true));
    });

    test('F30 sees the flags that are marked for its kind, and of the others not even that they exist', async () => {
      const { sdk, mobile, client } = home.keys;
      const visible: [key: string, flags: string[]][] = [
        [sdk, ['both', 'browser', 'mobile', 'server']],
        [mobile, ['both', 'mobile']],
        [client, ['both', 'browser']],
      ];
      for (const [key, flags] of visible) {
        assert.deepEqual(Object.keys(await home.flagsFor(USER, key)), flags);
        for (const flag of ['both', 'browser', 'mobile', 'server']) {
          const answer = await home.evaluateOne(flag, USER, { key });
          if (flags.includes(flag)) assert.equal(answer.status, 200, answer.text);
          else assertOfrepError(answer, 404, 'FLAG_NOT_FOUND', flag);
        }
        const invisible = await home.evaluateOne('server', USER, { key });
        const unknown = await home.evaluateOne('unknow', USER, { key });
        if (key !== sdk)
          assert.equal(invisible.text, unknown.text.replaceAll('unknow', 'server'), 'both read the same');
      }
    });

    test('F30 is not told the name of a prerequisite that it may not see', async () => {
      const variations = idsOf(await home.flags.get('server'));
      await home.instruct('both', [{ kind: 'addPrerequisite', key: 'server', variationId: variations[1] }]);
      const failed = async (key: string) => (await home.evaluateOne('both', USER, { key })).json;
      assert.equal((await failed(home.keys.sdk))['metadata'].prerequisiteKey, 'server');
      for (const key of [home.keys.mobile, home.keys.client]) {
        const { reason, metadata, ...rest } = await failed(key);
        assert.deepEqual(
          [reason, metadata['reasonKind'], metadata['prerequisiteKey']],
          ['DISABLED', 'PREREQUISITE_FAILED', undefined],
        );
        assert.ok(!JSON.stringify([metadata, rest, await home.flagsFor(USER, key)]).includes('server'));
      }
    });

    test('F30 does not see archived or deleted flags', async () => {
      await home.instruct('both', [{ kind: 'archiveFlag' }]);
      await server.call(home.flags.at('mobile'), { method: 'DELETE' });
      assert.deepEqual(Object.keys(await home.flagsFor()), ['browser', 'server']);
      for (const flag of ['both', 'mobile'])
        assertOfrepError(await home.evaluateOne(flag), 404, 'FLAG_NOT_FOUND', flag);
    });

    test('F30 reads its own environment only', async () => {
      const production = await home.readKeys('production');
      for (const kind of ['sdk', 'mobile', 'client'] as const) {
        const valueOf = async (key: string) =>
          (await home.evaluateOne('both', USER, { key })).json['value'] as boolean;
        assert.deepEqual([await valueOf(home.keys[kind]), await valueOf(production[kind])], [true, false]);
      }
    });

    test('F29 is sent with or without Bearer, or as X-API-Key', async () => {
      for (const key of Object.values(home.keys)) {
        for (const headers of [
          { authorization: `Bearer ${key}` },
          { authorization: `bearer  ${key}` },
          { authorization: key },
          { 'x-api-key': key },
        ]) {
          const init = { method: 'POST', token: null, headers, body: { context: USER } };
          for (const path of ['/ofrep/v1/evaluate/flags', '/ofrep/v1/evaluate/flags/both']) {
            const answer = await server.call(path, init);
            assert.equal(answer.status, 200, `${JSON.stringify(headers)} ${answer.text}`);
          }
        }
      }
    });

    test('F30 that was replaced is valid until the time that was given, and no longer', async () => {
      const expiry = server.clock.now() + HOUR;
      await home.rest(`projects/${home.project}/environments/test/apiKey?expiry=${expiry}`, {
        method: 'POST',
      });
      await home.rest(`projects/${home.project}/environments/test/mobileKey`, { method: 'POST' });
      assert.equal((await home.evaluateAll()).status, 200);
      assertOfrepError(await home.evaluateAll(USER, { key: home.keys.mobile }), 401);
      try {
        server.clock.ahead += 2 * HOUR;
        assertOfrepError(await home.evaluateAll(), 401);
        assert.equal((await home.evaluateAll(USER, { key: (await home.readKeys('test')).sdk })).status, 200);
      } finally {
        server.clock.ahead = 0;
      }
    });
  });

  describe('an ETag', () => {
    /** The address of the event stream is part of it, and is another one every five minutes. */
    const PERIOD = 5 * 60_000;
    beforeEach(() => server.clock.goTo(Math.ceil(server.clock.now() / PERIOD) * PERIOD));

    const etagOf = async (context: unknown = USER, key = home.keys.sdk) =>
      (await home.evaluateAll(context, { key })).headers.get('etag')!;
    const ask = (etag: string, context: unknown = USER, key = home.keys.sdk) =>
      home.evaluateAll(context, { key, headers: { 'if-none-match': etag } });

    test('is answered 304 without a body, as long as nothing has changed', async () => {
      await makeOn('flag', [true, false], seenBy(true, true));
      for (const key of Object.values(home.keys)) {
        const etag = await etagOf(USER, key);
        assert.match(etag, /^"[^"]+"$/);
        for (const sent of [etag, `W/${etag}`, `"other", ${etag}`]) {
          const answer = await ask(sent, USER, key);
          assert.deepEqual([answer.status, answer.text, answer.headers.get('etag')], [304, '', etag]);
        }
        assert.equal((await ask('"other"', USER, key)).status, 200);
      }
    });

    test('differs by context, by kind of key and by environment', async () => {
      const { sdk, mobile, client } = home.keys;
      const production = await home.readKeys('production');
      const tags = [
        await etagOf(USER, sdk),
        await etagOf(USER, mobile),
        await etagOf(USER, client),
        await etagOf(USER, production.sdk),
        await etagOf({ targetingKey: 'v' }),
        await etagOf({ ...USER, plan: 'gold' }),
        await etagOf({ ...USER, kind: 'org' }),
        await etagOf({ kind: 'multi', user: USER, org: USER }),
      ];
      assert.equal(new Set(tags).size, tags.length);
    });

    test('changes with flags, segments and memberships', async () => {
      await makeOn('flag');
      await home.makeSegment('beta');
      await home.makeSegment('big', { unbounded: true, unboundedContextKind: 'user' });
      const changes: (() => Promise<unknown>)[] = [
        () => home.instruct('flag', [{ kind: 'turnFlagOff' }]),
        () => makeOn('another'),
        () => home.makeSegment('gamma'),
        () =>
          home.rest(`segments/${home.project}/test/big/contexts`, {
            method: 'POST',
            body: { included: { add: ['u'] } },
          }),
        () => home.instruct('flag', [{ kind: 'archiveFlag' }]),
        () => home.rest(`segments/${home.project}/test/beta`, { method: 'DELETE' }),
      ];
      let etag = await etagOf();
      for (const change of changes) {
        await change();
        const answer = await ask(etag);
        assert.equal(answer.status, 200, String(change));
        assert.notEqual(answer.headers.get('etag'), etag);
        etag = answer.headers.get('etag')!;
      }
    });
  });
});
