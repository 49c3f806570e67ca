// The caller over the Signalbox API: who it is, what they may do, and their preferences.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join, openBrowser } from '../../../people.ts';
import { startServerOn } from '../../../suites.ts';
import type { Json } from '../../../server.ts';

const BASE = '/signalbox/v1';

onEachEngine((engine) => {
  test('the Signalbox API says who calls, keeps preferences, and refuses in problem documents', async (t) => {
    const server = await startServerOn(engine, {});
    t.after(() => server.stop());
    const member = await join(server, 'cyd', { role: 'writer' });
    const browser = await openBrowser(server, member);
    const own = { token: null, headers: { ...browser, origin: server.url } };
    const preferences = `${BASE}/me/preferences`;

    await t.test('a token is named without its secret', async () => {
      const { id, value } = await giveToken(server, member, { name: 'laptop', role: 'reader' });
      const { status, json, text } = await server.call(`${BASE}/me`, { token: value });
      assert.equal(status, 200, text);
      assert.deepEqual(json['authentication'], {
        kind: 'token',
        token: { id, name: 'laptop', ending: value.slice(-4), isService: false },
      });
      assert.equal(json['username'], 'cyd');
      assert.ok(!text.includes(value));
    });

    await t.test('questions about permissions are answered in their order, within the token', async () => {
      const questions = [
        { action: 'createProject', resource: 'proj/x' },
        { action: 'viewProject', resource: 'proj/x' },
      ];
      const ask = async (init: object) =>
        (
          (await server.call(`${BASE}/me/permissions`, { method: 'POST', body: { questions }, ...init }))
            .json['answers'] as Json[]
        ).map(({ isAllowed }) => isAllowed as boolean);
      assert.deepEqual(await ask(own), [true, true]);
      const { value } = await giveToken(server, member, { role: 'reader' });
      assert.deepEqual(await ask({ token: value }), [false, true]);
      const many = Array.from({ length: 201 }, () => questions[0]);
      const { status } = await server.call(`${BASE}/me/permissions`, {
        method: 'POST',
        body: { questions: many },
      });
      assert.equal(status, 422);
    });

    await t.test('nine changes of preferences at once all count, and null takes one back', async () => {
      assert.deepEqual((await server.call(preferences, own)).json, {});
      const tables = ['a', 'b', 'c', 'd'];
      const patches: Json[] = [
        { theme: 'dark' },
        { hasKeys: false },
        { timeZone: 'Europe/Vienna' },
        { isRailNarrow: true },
        { client: 'curl' },
        { dismissed: ['first-run'] },
        { tables: Object.fromEntries(tables.map((name) => [name, { density: 'compact' }])) },
        { views: { 'flags/shop': [{ name: 'Mine, live', query: 'owner=me&sort=name' }] } },
        { pinnedActors: ['b', 'a'] },
      ];
      await Promise.all(
        patches.map(async (body) => {
          const { status, text } = await server.call(preferences, { ...own, method: 'PATCH', body });
          assert.equal(status, 200, text);
        }),
      );
      const { json } = await server.call(preferences, own);
      assert.deepEqual(Object.keys(json).toSorted(), [
        'client',
        'dismissed',
        'hasKeys',
        'isRailNarrow',
        'pinnedActors',
        'tables',
        'theme',
        'timeZone',
        'views',
      ]);
      assert.deepEqual(json['views'], {
        'flags/shop': [{ name: 'Mine, live', query: 'owner=me&sort=name' }],
      });
      const cleared = await server.call(preferences, { ...own, method: 'PATCH', body: { theme: null } });
      assert.equal(cleared.json['theme'], undefined);
      assert.equal(cleared.json['client'], 'curl');
    });

    await t.test('preferences that there are not are refused, and nothing is changed', async () => {
      const before = (await server.call(preferences, own)).json;
      const long = Object.fromEntries(
        Array.from({ length: 500 }, (_, index) => [`t${index}`, { columns: Array(20).fill('x'.repeat(10)) }]),
      );
      for (const [body, status] of [
        [{ theme: 'pink' }, 422],
        [{ timeZone: 'Mars/Olympus' }, 422],
        [{ other: 1 }, 422],
        [{ pinnedActors: ['a', 'a'] }, 422],
        [{ pinnedActors: Array.from({ length: 9 }, (_, index) => `a${index}`) }, 422],
        [{ tables: { 'dataset/x': { pinned: ['y'.repeat(101)] } } }, 422],
        [{ tables: { 'dataset/x': { widths: { price: -1 } } } }, 422],
        [{ tables: long }, 413],
        [{ views: { flags: [{ name: '', query: '' }] } }, 422],
        [{ views: { flags: [{ name: 'x', query: 'y'.repeat(2001) }] } }, 422],
        [{ views: { flags: Array.from({ length: 51 }, () => ({ name: 'x', query: '' })) } }, 422],
        [{ views: { flags: [{ name: 'x', query: '', other: 1 }] } }, 422],
        [[], 400],
        ['{', 400],
      ] as const) {
        const answer = await server.call(preferences, {
          ...own,
          method: 'PATCH',
          body,
          headers: { ...own.headers, 'content-type': 'application/json' },
        });
        assert.equal(answer.status, status, answer.text);
        assert.equal(answer.headers.get('content-type'), 'application/problem+json');
        assert.equal(answer.json['id'], answer.headers.get('x-request-id'));
      }
      assert.deepEqual((await server.call(preferences, own)).json, before);
    });

    await t.test(
      'no token, a wrong one, a wrong verb and an unknown path have problems of their own',
      async () => {
        const codeOf = async (path: string, init: object) => {
          const { status, json } = await server.call(BASE + path, init);
          return [status, json['code']];
        };
        assert.deepEqual(await codeOf('/me', { token: null }), [401, 'unauthenticated']);
        assert.deepEqual(await codeOf('/me', { token: 'api-x' }), [401, 'unauthenticated']);
        assert.deepEqual(await codeOf('/me', { method: 'PUT', body: {} }), [405, 'wrong-method']);
        assert.deepEqual(await codeOf('/nothing', {}), [404, 'no-route']);
        assert.deepEqual(
          await codeOf('/me/preferences', {
            ...own,
            method: 'PATCH',
            body: 'a=b',
            headers: { ...own.headers, 'content-type': 'application/x-www-form-urlencoded' },
          }),
          [400, 'malformed'],
        );
      },
    );

    await t.test('a busy token does not lock its owner out of the console', async () => {
      const limited = await startServerOn(engine, {
        limit: { 'signalbox.global': { anonymous: 5, known: 2, seconds: 60 } },
      });
      t.after(() => limited.stop());
      const dan = await join(limited, 'dan');
      const window = await openBrowser(limited, dan);
      const { value } = await giveToken(limited, dan, { role: 'reader' });
      const statuses: number[] = [];
      for (let call = 0; call < 3; call += 1)
        statuses.push((await limited.call(`${BASE}/me`, { token: value })).status);
      assert.deepEqual(statuses, [200, 200, 429]);
      assert.equal((await limited.call(`${BASE}/me`, { token: null, headers: window })).status, 200);
    });
  });
});
