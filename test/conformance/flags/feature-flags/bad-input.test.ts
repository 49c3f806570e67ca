// Bad input to the routes of feature flags: the right status, an error object, and no change.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startServer, type CallInit, type Json, type TestServer } from '../../../server.ts';
import { assertRefused, flagCalls } from './feature-flag-calls.ts';

let server: TestServer;
let flags: ReturnType<typeof flagCalls>;

before(async () => {
  server = await startServer();
  flags = flagCalls(server);
  await flags.make('there');
});
after(() => server.stop());

const GOOD = { key: 'fresh', name: 'Fresh' };

describe('a flag is not made', () => {
  const bodies: [string, unknown][] = [
    ['without a key', { name: 'x' }],
    ['without a name', { key: 'x' }],
    ['with an empty name', { ...GOOD, name: '' }],
    ['with a NUL in its name', { ...GOOD, name: 'a\0b' }],
    ['with a key of other characters', { ...GOOD, key: 'a b' }],
    ['with a key that begins with a dot', { ...GOOD, key: '.a' }],
    ['with a long key', { ...GOOD, key: 'a'.repeat(257) }],
    ['with a key that is no text', { ...GOOD, key: 5 }],
    ['with variations that are no list', { ...GOOD, variations: {} }],
    ['with one variation', { ...GOOD, variations: [{ value: 1 }] }],
    ['with no variation', { ...GOOD, variations: [] }],
    ['with equal variations', { ...GOOD, variations: [{ value: 1 }, { value: 1 }] }],
    ['with a variation without a value', { ...GOOD, variations: [{ name: 'a' }, { value: 1 }] }],
    ['with a misspelled variation', { ...GOOD, variations: [{ value: 1, nam: 'a' }, { value: 2 }] }],
    [
      'with too many variations',
      { ...GOOD, variations: Array.from({ length: 201 }, (_, value) => ({ value })) },
    ],
    ['with bad defaults', { ...GOOD, defaults: { onVariation: 0, offVariation: 2 } }],
    ['with half of the defaults', { ...GOOD, defaults: { onVariation: 0 } }],
    ['with a bad tag', { ...GOOD, tags: ['a b'] }],
    ['with tags that are no list', { ...GOOD, tags: 'a' }],
    ['with a bad custom property', { ...GOOD, customProperties: { a: { name: 'A', value: 'x' } } }],
    ['with a bad purpose', { ...GOOD, purpose: 'fun' }],
    ['as a migration without settings', { ...GOOD, purpose: 'migration' }],
    [
      'as a migration in three stages',
      { ...GOOD, purpose: 'migration', migrationSettings: { stageCount: 3 } },
    ],
    ['with settings of a migration it is not', { ...GOOD, migrationSettings: { stageCount: 2 } }],
    ['with two maintainers', { ...GOOD, maintainerId: '0'.repeat(24), maintainerTeamKey: 'x' }],
    ['on like a word', { ...GOOD, isFlagOn: 'yes' }],
    ['from a list', [GOOD]],
    ['from nothing', undefined],
  ];
  for (const [what, body] of bodies) {
    test(what, async () => {
      const answer = await server.call('/api/v2/flags/default', { method: 'POST', body });
      assertRefused(answer, 400, 'invalid_request');
      assert.deepEqual((await flags.list('filter=query:fresh')).items, []);
    });
  }

  test('from malformed JSON, of another content type, or from too much', async () => {
    const post = (init: CallInit) => server.call('/api/v2/flags/default', { method: 'POST', ...init });
    assertRefused(await post({ body: '{"key":' }), 400, 'invalid_request');
    const xml = { 'content-type': 'application/xml' };
    assertRefused(await post({ body: '<flag/>', headers: xml }), 400, 'invalid_request');
    assertRefused(await post({ body: `"${'x'.repeat(6 * 1024 * 1024)}"` }), 413, 'request_too_large');
  });

  test('with variations that come from the clone', async () => {
    const answer = await server.call('/api/v2/flags/default?clone=there', {
      method: 'POST',
      body: { ...GOOD, variations: [{ value: 1 }, { value: 2 }] },
    });
    assertRefused(answer, 400, 'invalid_request', /variations/);
  });
});

describe('without a good token', () => {
  const calls: [string, string, Json?][] = [
    ['GET', '/flags/default'],
    ['POST', '/flags/default', GOOD],
    ['GET', '/flags/default/there'],
    ['PATCH', '/flags/default/there', { name: 'x' }],
    ['DELETE', '/flags/default/there'],
    ['POST', '/flags/default/there/copy', { source: { key: 'test' }, target: { key: 'production' } }],
    ['GET', '/flag-status/default/there'],
    ['GET', '/flag-statuses/default/test'],
    ['GET', '/flag-statuses/default/test/there'],
    ['GET', '/flags/default/there/dependent-flags'],
    ['GET', '/flags/default/test/there/dependent-flags'],
  ];
  for (const [method, path, body] of calls) {
    test(`${method} ${path} is 401`, async () => {
      for (const token of [null, 'api-unknown', 'sdk-00000000-0000-0000-0000-000000000000']) {
        const answer = await server.call(`/api/v2${path}`, { method, token, body });
        assertRefused(answer, 401, 'unauthorized');
      }
    });
  }
});

test('F33: a wrong verb is 405, and an unknown flag or project 404', async () => {
  for (const [method, path] of [
    ['PUT', '/flags/default/there'],
    ['POST', '/flags/default/there'],
    ['DELETE', '/flags/default'],
    ['GET', '/flags/default/there/copy'],
    ['POST', '/flag-statuses/default/test'],
  ] as const) {
    const answer = await server.call(`/api/v2${path}`, { method, ...(method !== 'GET' && { body: {} }) });
    assertRefused(answer, 405, 'method_not_allowed');
    assert.match(answer.headers.get('allow') ?? '', /OPTIONS/);
  }
  for (const path of ['/flags/default/unknown', `/flags/default/${'a'.repeat(300)}`, '/flags/unknown/there'])
    assertRefused(await server.call(`/api/v2${path}`), 404, 'not_found');
  assertRefused(await server.call('/api/v2/flags/default/unknown', { method: 'DELETE' }), 404, 'not_found');
});

test('after all of it the flag is as it was', async () => {
  assert.equal((await flags.get('there')).version, 1);
});
