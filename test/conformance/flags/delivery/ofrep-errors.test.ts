// The errors of OFREP on a running server with each engine: codes, statuses, secure mode, and pages of other origins.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { ADMIN_TOKEN, type Answer, type Json, type TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { forBrowsers, HOUR, seenBy } from './keys-calls.ts';
import {
  assertOfrepError,
  BULK,
  openOfrepProject,
  USER,
  type OfrepInit,
  type OfrepProject,
} from './ofrep-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let home: OfrepProject;
  onServer(engine, {}, async (started) => {
    server = started;
    home = await openOfrepProject(server);
  });
  beforeEach(async () => {
    await home.flags.make('flag', seenBy(true, true));
  });

  /** Both operations, each with the key that its errors name. */
  async function onBoth(
    ask: (evaluate: (init: OfrepInit) => Promise<Answer>) => Promise<Answer>,
    expect: (answer: Answer, key?: string) => void,
  ): Promise<void> {
    expect(await ask((init) => home.evaluateAll(USER, init)));
    expect(await ask((init) => home.evaluateOne('flag', USER, init)), 'flag');
  }

  describe('a body', () => {
    const bodies: [what: string, body: string, code: string][] = [
      ['that is no JSON', '{"context":', 'PARSE_ERROR'],
      ['that is no object', '[]', 'PARSE_ERROR'],
      ['that is a text', '"context"', 'PARSE_ERROR'],
      ['without a context', '{}', 'TARGETING_KEY_MISSING'],
      ['with no context', '{"context":null}', 'TARGETING_KEY_MISSING'],
      ['with an empty context', '{"context":{}}', 'TARGETING_KEY_MISSING'],
      ['with attributes alone', '{"context":{"plan":"gold","key":"u"}}', 'TARGETING_KEY_MISSING'],
      ['with an empty targeting key', '{"context":{"targetingKey":""}}', 'TARGETING_KEY_MISSING'],
      ['with a kind that has no key', '{"context":{"kind":"multi","org":{}}}', 'TARGETING_KEY_MISSING'],
      ['with a context that is a text', '{"context":"u"}', 'INVALID_CONTEXT'],
      ['with a context that is a list', '{"context":[]}', 'INVALID_CONTEXT'],
      ['with a number as targeting key', '{"context":{"targetingKey":1}}', 'INVALID_CONTEXT'],
      ['with a kind that is no name', '{"context":{"targetingKey":"u","kind":"a b"}}', 'INVALID_CONTEXT'],
      ['with a kind that is null', '{"context":{"targetingKey":"u","kind":null}}', 'INVALID_CONTEXT'],
      ['with a name that is a number', '{"context":{"targetingKey":"u","name":1}}', 'INVALID_CONTEXT'],
      ['with several kinds, but none', '{"context":{"kind":"multi"}}', 'INVALID_CONTEXT'],
      ['with a kind that is a text', '{"context":{"kind":"multi","org":"o"}}', 'INVALID_CONTEXT'],
    ];
    for (const [what, body, code] of bodies) {
      test(`${what} is ${code}`, async () => {
        await onBoth(
          (evaluate) => evaluate({ body }),
          (answer, key) => assertOfrepError(answer, 400, code, key),
        );
      });
    }

    test('that is absent has no targeting key', async () => {
      for (const [path, key] of [[BULK], [`${BULK}/flag`, 'flag']] as const) {
        const headers = { authorization: home.keys.sdk };
        const answer = await server.call(path, { method: 'POST', token: null, headers });
        assertOfrepError(answer, 400, 'TARGETING_KEY_MISSING', key);
      }
    });

    test('of another content type is PARSE_ERROR, with any parameters of JSON it is read', async () => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/jsonx',
        'nonsense',
      ]) {
        await onBoth(
          (evaluate) => evaluate({ headers: { 'content-type': type } }),
          (answer, key) => assertOfrepError(answer, 400, 'PARSE_ERROR', key),
        );
      }
      const { status } = await home.evaluateAll(USER, {
        headers: { 'content-type': 'Application/JSON; charset=utf-8' },
      });
      assert.equal(status, 200);
    });

    test('that is too large is refused', async () => {
      const context = { ...USER, text: 'x'.repeat(65 * 1024) };
      assertOfrepError(await home.evaluateAll(context), 413);
      assertOfrepError(await home.evaluateOne('flag', context), 413);
    });

    test('may have fields that nobody knows', async () => {
      const { status } = await home.evaluateAll(USER, { body: { context: USER, more: 1 } });
      assert.equal(status, 200);
    });

    test('cannot change what objects are', async () => {
      const body = `{"context":{"targetingKey":"u","__proto__":{"kind":"org"},"constructor":1}}`;
      assert.equal((await home.evaluateAll(USER, { body })).status, 200);
    });
  });

  describe('a key', () => {
    test('F29 that is missing, unknown or a token is 401, whatever else is wrong', async () => {
      const strangers: Record<string, string>[] = [
        {},
        { authorization: '' },
        { authorization: 'Bearer' },
        { authorization: 'sdk-wrong' },
        { authorization: `sdk-${'0'.repeat(36)}` },
        { authorization: 'mob-wrong' },
        { authorization: '0'.repeat(24) },
        { authorization: ADMIN_TOKEN },
        { authorization: `Bearer ${ADMIN_TOKEN}` },
        { 'x-api-key': ADMIN_TOKEN },
        { 'x-api-key': 'a\tb' },
      ];
      for (const path of [BULK, `${BULK}/flag`, `${BULK}/unknown`]) {
        for (const headers of strangers) {
          for (const body of [{ context: USER }, { context: 1 }, '{', '']) {
            const answer = await server.call(path, { method: 'POST', token: null, headers, body });
            assertOfrepError(answer, 401);
          }
        }
      }
    });

    test('F29 of an environment that was deleted is 401', async () => {
      await home.rest(`projects/${home.project}/environments/test`, { method: 'DELETE' });
      for (const key of Object.values(home.keys))
        assertOfrepError(await home.evaluateAll(USER, { key }), 401);
    });
  });

  describe('a path', () => {
    test('of no flag is FLAG_NOT_FOUND, with the key as it was asked for', async () => {
      for (const key of ['unknown', 'Flag', 'toString', '__proto__', 'a b', 'ü', 'a/b', '%'])
        assertOfrepError(await home.evaluateOne(encodeURIComponent(key)), 404, 'FLAG_NOT_FOUND', key);
    });

    test('that is unknown is 404 in the words of the protocol', async () => {
      for (const path of ['/ofrep', '/ofrep/v1', '/ofrep/v1/evaluate', '/ofrep/v2/evaluate/flags'])
        assertOfrepError(await server.call(path, { method: 'POST', token: null, body: {} }), 404);
    });

    test('takes POST alone', async () => {
      for (const path of [BULK, `${BULK}/flag`]) {
        for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'REPORT']) {
          const answer = await home.ask(path, home.keys.sdk, {}, { method });
          assertOfrepError(answer, 405);
          assert.match(answer.headers.get('allow')!, /POST/);
        }
      }
    });
  });

  test('a flag that is not configured correctly fails alone', async () => {
    const { variations } = await home.flags.make('broken', seenBy(true, true));
    await home.instruct('broken', [
      { kind: 'turnFlagOn' },
      {
        kind: 'addRule',
        variationId: variations[0]._id,
        clauses: [{ contextKind: 'user', attribute: '//', op: 'in', values: [1], negate: false }],
      },
    ]);
    assertOfrepError(await home.evaluateOne('broken'), 400, 'GENERAL', 'broken');
    const { flag, broken } = await home.flagsFor();
    assert.equal(flag!['value'], false);
    assert.deepEqual(
      [Object.keys(broken!), broken!['errorCode']],
      [['key', 'errorCode', 'errorDetails'], 'GENERAL'],
    );
  });

  describe('in secure mode', () => {
    const hashOf = (key: string, text = 'u') => createHmac('sha256', key).update(text).digest('hex');
    const withHash = (hash: string): OfrepInit => ({
      key: home.keys.client,
      headers: { 'x-ld-secure-mode-hash': hash },
    });
    beforeEach(() => home.patchEnvironment('/secureMode', true));

    test('a client-side ID needs the hash of the context, in a header or in the query', async () => {
      const { sdk, client } = home.keys;
      const good = hashOf(sdk);
      for (const init of [
        withHash(good),
        withHash(good.toUpperCase()),
        { key: client, query: `?h=${good}` },
      ]) {
        assert.equal((await home.evaluateAll(USER, init)).status, 200);
        assert.equal((await home.evaluateOne('flag', USER, init)).status, 200);
      }
      const wrong = [hashOf(sdk, 'v'), hashOf('sdk-other'), good.slice(1), '', 'ü'];
      for (const init of [{ key: client }, ...wrong.map((hash) => ({ key: client, query: `?h=${hash}` }))]) {
        assertOfrepError(await home.evaluateAll(USER, init), 403, undefined, undefined, /secure mode/);
        assertOfrepError(await home.evaluateOne('flag', USER, init), 403);
        assertOfrepError(await home.evaluateOne('unknown', USER, init), 403);
      }
      assertOfrepError(await home.evaluateAll({ targetingKey: 'v' }, withHash(good)), 403);
    });

    test('the hash is of the canonical key, for every kind of context', async () => {
      const { sdk } = home.keys;
      const contexts: [context: Json, canonical: string][] = [
        [{ kind: 'org', targetingKey: 'a:b%' }, 'org:a%3Ab%25'],
        [{ kind: 'multi', user: USER, org: { key: 'o' } }, 'org:o:user:u'],
      ];
      for (const [context, canonical] of contexts) {
        assert.equal((await home.evaluateAll(context, withHash(hashOf(sdk, canonical)))).status, 200);
        assertOfrepError(await home.evaluateAll(context, withHash(hashOf(sdk))), 403);
      }
    });

    test('the hash of a replaced SDK key is good as long as that key', async () => {
      const expiry = server.clock.now() + HOUR;
      await home.rest(`projects/${home.project}/environments/test/apiKey?expiry=${expiry}`, {
        method: 'POST',
      });
      const { sdk } = await home.readKeys('test');
      for (const key of [sdk, home.keys.sdk])
        assert.equal((await home.evaluateAll(USER, withHash(hashOf(key)))).status, 200);
      try {
        server.clock.ahead += 2 * HOUR;
        assertOfrepError(await home.evaluateAll(USER, withHash(hashOf(home.keys.sdk))), 403);
      } finally {
        server.clock.ahead = 0;
      }
    });

    test('SDK keys and mobile keys need no hash', async () => {
      for (const key of [home.keys.sdk, home.keys.mobile])
        assert.equal((await home.evaluateAll(USER, { key })).status, 200);
    });
  });

  describe('a page of another origin', () => {
    const ORIGIN = 'https://shop.example';

    test('F25 may send the headers of providers, and read the ETag', async () => {
      for (const path of [BULK, `${BULK}/flag`]) {
        const preflight = await server.call(path, {
          method: 'OPTIONS',
          token: null,
          headers: {
            origin: ORIGIN,
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'authorization,content-type,if-none-match',
          },
        });
        assert.deepEqual([preflight.status, preflight.text], [204, '']);
        assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
        assert.equal(
          preflight.headers.get('access-control-allow-headers'),
          'Authorization, X-API-Key, Content-Type, If-None-Match, X-LD-Secure-Mode-Hash',
        );
        assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET, POST, OPTIONS');
      }
    });

    test('F25 reads every reply, errors included', async () => {
      // The ETag has the address of the event stream, which is another one every five minutes.
      server.clock.goTo(Math.ceil(server.clock.now() / 300_000) * 300_000);
      await home.flags.make('seen', forBrowsers);
      const headers = { origin: ORIGIN };
      const key = home.keys.client;
      const good = await home.evaluateAll(USER, { key, headers });
      const etag = good.headers.get('etag')!;
      for (const [status, answer] of [
        [200, good],
        [304, await home.evaluateAll(USER, { key, headers: { ...headers, 'if-none-match': etag } })],
        [400, await home.evaluateAll({}, { key, headers })],
        [401, await home.evaluateAll(USER, { key: 'wrong', headers })],
        [404, await home.evaluateOne('unknown', USER, { key, headers })],
        [405, await server.call(BULK, { token: null, headers })],
      ] as const) {
        assert.equal(answer.status, status);
        assert.equal(answer.headers.get('access-control-allow-origin'), '*');
        assert.match(answer.headers.get('access-control-expose-headers')!, /ETag, Date/);
        assert.equal(answer.headers.get('access-control-allow-credentials'), null);
        assert.equal(answer.headers.get('cache-control'), 'no-store');
      }
    });
  });
});
