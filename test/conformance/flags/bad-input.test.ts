// Malformed input on every route of the flags API and of logging in, with each engine: part of rule F33.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { onEachEngine } from '../../engines.ts';
import { FORM } from '../../people.ts';
import type { CallInit, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

const NUL = 'a\0b';
const rule = { effect: 'allow', actions: ['view*'], resources: ['proj/*'] };

const IDS = [
  '%00',
  'a%00b',
  '%',
  '%ff',
  '%E0%A4%A',
  '%ED%A0%80',
  '..%2f..%2fetc',
  "'%20or%201=1",
  '%F0%9F%98%80',
  '0123456789ABCDEF01234567',
  'x'.repeat(12_000),
];

const QUERIES = [
  'limit=1&limit=2',
  'limit=1.5',
  'limit=%00',
  'limit[a]=1&limit=x',
  `limit=${'9'.repeat(400)}`,
  'offset=9223372036854775807',
  'offset=99999999999999999999',
  'offset=1&offset=2',
  'showAll=perhaps',
  'showAll=true&showAll=false',
];

/** Bodies for creating a token, each wrong in one way. */
const POSTS: unknown[] = [
  'null',
  '[]',
  '"text"',
  '5',
  ' ',
  '{"name":',
  '{"name":"x"}{}',
  '['.repeat(100_000),
  '{"a":'.repeat(300) + '1' + '}'.repeat(300),
  Buffer.from([0xff, 0xfe, 0x00]),
  { name: 5 },
  { name: null },
  { name: NUL },
  { name: 'x'.repeat(257) },
  { name: `e${'\u0301'.repeat(5000)}` },
  { description: NUL },
  { description: 'x'.repeat(2001) },
  { role: 'god' },
  { role: NUL },
  { role: ['owner'] },
  { serviceToken: 'yes' },
  { expiry: 1e20 },
  { expiry: 1.5 },
  { expiry: -1 },
  { expiry: '2030-01-01' },
  { defaultApiVersion: 1e20 },
  { defaultApiVersion: 20_160_427 },
  { customRoleIds: 'writer' },
  { customRoleIds: [''] },
  { customRoleIds: [NUL] },
  { customRoleIds: Array.from({ length: 50_000 }, (_, index) => `role-${index}`) },
  { inlineRole: {} },
  { inlineRole: [null] },
  { inlineRole: [{ effect: 'allow' }] },
  { inlineRole: [{ ...rule, effect: 'maybe' }] },
  { inlineRole: [{ ...rule, notActions: ['x'] }] },
  { inlineRole: [{ ...rule, actions: [NUL] }] },
  { inlineRole: [{ ...rule, resources: ['no such resource'] }] },
  { inlineRole: [{ ...rule, actions: Array.from({ length: 50_000 }, () => 'a') }] },
  { inlineRole: Array.from({ length: 10_000 }, () => rule) },
];

/** JSON patches, each wrong in one way. */
const PATCHES: unknown[] = [
  null,
  5,
  '"text"',
  '',
  {},
  { patch: {} },
  { patch: [], comment: NUL },
  { patch: [], other: 1 },
  { name: 'merged' },
  { instructions: [] },
  [null],
  [[]],
  [{ op: 'replace' }],
  [{ op: 'replace', path: 5, value: 1 }],
  [{ op: 'replace', path: '/name', value: NUL }],
  [{ op: 'replace', path: '/name', value: {} }],
  [{ op: 'replace', path: '/name', value: 'x'.repeat(257) }],
  [{ op: 'replace', path: `/${'a/'.repeat(5000)}`, value: 1 }],
  [{ op: 'replace', path: `/${NUL}`, value: 1 }],
  [{ op: 'replace', path: '/~2', value: 1 }],
  [{ op: 'replace', path: '', value: null }],
  [{ op: 'add', path: '/__proto__', value: { role: 'owner' } }],
  [{ op: 'add', path: '/constructor', value: {} }],
  [{ op: 'add', path: '/customRoleIds', value: [NUL] }],
  [{ op: 'add', path: '/inlineRole', value: [{ ...rule, actions: [5] }] }],
  [{ op: 'copy', from: '', path: '/name' }],
  [{ op: 'copy', from: '/_links', path: '/_links/self/deeper' }],
  Array.from({ length: 5001 }, () => ({ op: 'test', path: '/name', value: 'victim' })),
  Array.from({ length: 40 }, () => ({ op: 'copy', from: '', path: '/description' })),
];

onEachEngine((engine) => {
  let server: TestServer;
  let victim: string;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    const { json } = await server.call('/api/v2/tokens', { method: 'POST', body: { name: 'victim' } });
    victim = `/api/v2/tokens/${json['_id'] as string}`;
  });
  after(() => server.stop());

  /** Everything that a call could have changed. */
  async function kept(): Promise<unknown> {
    const { db } = server.app.kernel;
    const tokens = await db.selectFrom('tokens').selectAll().orderBy('id').execute();
    return {
      // The last use of a token is written there in the background.
      tokens: tokens.map((token) =>
        Object.fromEntries(Object.entries(token).filter(([column]) => !column.startsWith('last_used_'))),
      ),
      events: await db.selectFrom('events').selectAll().orderBy('seq').execute(),
      sessions: await db.selectFrom('sessions').selectAll().orderBy('hash').execute(),
    };
  }

  async function assertRefused(calls: [path: string, init: CallInit][]): Promise<void> {
    const unchanged = await kept();
    for (const [path, init] of calls) {
      const { status, json } = await server.call(path, init);
      const sent = typeof init.body === 'string' ? init.body : JSON.stringify(init.body ?? null);
      const label = `${init.method ?? 'GET'} ${path.slice(0, 80)} ${sent.slice(0, 80)} → ${JSON.stringify(json)}`;
      assert.ok(status >= 400 && status < 500, label);
      assert.deepEqual(Object.keys(json).slice(0, 3), ['code', 'message', 'id'], label);
    }
    assert.deepEqual(await kept(), unchanged);
    assert.deepEqual(
      server.log.filter(({ level }) => (level as number) >= 50),
      [],
    );
  }

  test('F33 no id is too strange to be refused', async () => {
    const strange = [...IDS.map((id) => `/api/v2/tokens/${id}`), ...IDS.map((id) => `/api/v2/${id}`)];
    await assertRefused(strange.map((path) => [path, {}]));
    await assertRefused(strange.map((path) => [path, { method: 'PATCH', body: [] }]));
    await assertRefused(strange.map((path) => [path, { method: 'DELETE' }]));
    await assertRefused(strange.map((path) => [`${path}/reset`, { method: 'POST' }]));
  });

  test('F33 no query is too strange to be refused', async () => {
    await assertRefused(QUERIES.map((query) => [`/api/v2/tokens?${query}`, {}]));
    const expiries = [
      'expiry=soon',
      'expiry=-1',
      'expiry=1&expiry=2',
      'expiry=99999999999999999999',
      'expiry=',
    ];
    await assertRefused(expiries.map((query) => [`${victim}/reset?${query}`, { method: 'POST' }]));
  });

  test('F33 queries that nobody asked for are left aside', async () => {
    for (const query of [
      'unknown=1',
      '__proto__=1',
      'constructor=1',
      'toString[x]=1',
      '%',
      '%ff=%ff',
      '&&==&',
      'a=%00',
    ]) {
      const { status } = await server.call(`/api/v2/versions?${query}`);
      assert.equal(status, 200, query);
    }
  });

  test('F33 no body is too strange to be refused', async () => {
    await assertRefused(POSTS.map((body) => ['/api/v2/tokens', { method: 'POST', body }]));
    await assertRefused(PATCHES.map((body) => [victim, { method: 'PATCH', body }]));
    await assertRefused([
      ['/api/v2/tokens', { method: 'POST' }],
      [victim, { method: 'PATCH' }],
      [victim, { method: 'PATCH', headers: { 'content-type': 'application/json' } }],
    ]);
  });

  // Refused before any query runs.
  if (engine.kind === 'sqlite') {
    test('F33 no size is too large to be refused, as sent or as inflated', async () => {
      const large = Buffer.alloc(6 * 1024 * 1024, ' ');
      const headers = { 'content-encoding': 'gzip' };
      await assertRefused([
        ['/api/v2/tokens', { method: 'POST', body: large }],
        ['/api/v2/tokens', { method: 'POST', headers, body: gzipSync(large) }],
        [victim, { method: 'PATCH', headers, body: gzipSync(Buffer.alloc(40 * 1024 * 1024, '[')) }],
        ['/api/v2/tokens', { method: 'POST', headers, body: 'not gzip' }],
        ['/api/v2/tokens', { method: 'POST', headers: { 'content-encoding': 'zstd' }, body: '{}' }],
      ]);
    });
  }

  test('F33 no header is too strange to be refused', async () => {
    const strange: Record<string, string>[] = [
      { 'ld-api-version': '1' },
      { 'ld-api-version': '20240415, 20240415' },
      { 'ld-api-version': 'x'.repeat(5000) },
      { authorization: 'x'.repeat(10_000) },
      { authorization: 'Bearer \u00ff\u00fe' },
    ];
    await assertRefused(strange.map((headers) => ['/api/v2/tokens', { headers }]));
  });

  test('F33 unknown fields are left aside, and a prototype is only a word', async () => {
    for (const body of [
      '{"surprise":1}',
      '{"__proto__":{"role":"owner"}}',
      '{"constructor":{"prototype":{}}}',
    ]) {
      const { status, json } = await server.call('/api/v2/tokens', { method: 'POST', body });
      assert.deepEqual([status, json['role'], json['surprise']], [201, 'reader', undefined], body);
    }
  });

  test('F33 text of all the world comes back as it was; half a character comes back as a mark for one', async () => {
    const name = '名前 🚦 \u202e e\u0301 \u0001 \\ " \'';
    const { json } = await server.call('/api/v2/tokens', { method: 'POST', body: { name } });
    const { json: read } = await server.call(`/api/v2/tokens/${json['_id'] as string}`);
    assert.equal(read['name'], name);
    const half = await server.call('/api/v2/tokens', { method: 'POST', body: '{"name":"\\ud83d!"}' });
    assert.deepEqual([half.status, half.json['name']], [201, '\ufffd!']);
  });

  if (engine.kind === 'sqlite') {
    test('F28 no login form is too strange to be refused', async () => {
      const unchanged = await kept();
      const forms = [
        '',
        'name=admin',
        'password=x',
        'name=%00&password=x',
        'name=admin&password=%00',
        'name=%ff%ed%a0%80&password=x',
        'name=a&name=b&password=x',
        `name=admin&password=${'x'.repeat(7000)}`,
        `name=${'x'.repeat(9000)}`,
        'link=',
        'link=%00',
        'link=a&link=b',
        '__proto__=x',
        '<script>alert(1)</script>',
      ];
      for (const body of forms) {
        const { status, headers } = await server.call('/session', {
          method: 'POST',
          token: null,
          headers: FORM,
          body,
        });
        assert.ok(status === 401 || status === 413, `${status} ${body.slice(0, 40)}`);
        assert.deepEqual(headers.getSetCookie(), []);
      }
      const init = { method: 'POST', token: null };
      assert.equal((await server.call('/session', { ...init, body: '{}' })).status, 415);
      assert.equal((await server.call('/session', init)).status, 400);
      assert.deepEqual(await kept(), unchanged);
    });
  }

  test('F28 what comes from outside never becomes part of a page', async () => {
    const evil = '"><script>alert(1)</script>';
    const page = await server.call(`/session/${encodeURIComponent(evil)}`, { token: null });
    const body = `name=${encodeURIComponent(evil)}&password=x`;
    const failed = await server.call('/session', { method: 'POST', token: null, headers: FORM, body });
    for (const { text } of [page, failed])
      assert.ok(!text.includes('<script') && text.includes('&#60;script'));
    for (const id of IDS) {
      const { status } = await server.call(`/session/${id}`, { token: null });
      assert.ok(status === 200 || status === 404, `${status} ${id.slice(0, 20)}`);
    }
    assert.equal((await server.call('/session/end', { token: null })).headers.get('location'), '/session');
    const cookie = `signalbox_session=${'x'.repeat(4000)}; =; ;signalbox_session`;
    assert.equal((await server.call('/session', { token: null, headers: { cookie } })).status, 200);
  });
});
