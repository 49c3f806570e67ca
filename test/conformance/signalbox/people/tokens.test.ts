// Access tokens over the Signalbox API: who sees which, how they were last used, and their calls by hour.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { deleteMember } from '../../../../src/kernel/identity/store-members.ts';
import type { NewToken } from '../../../../src/kernel/identity/store-tokens.ts';
import { onEachEngine, onEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { giveToken, join as joinMember, openBrowser } from '../../../people.ts';
import { startServer, type CallInit, type Json, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const BASE = '/signalbox/v1/tokens';
const HOUR = 60 * 60 * 1000;

async function list(server: TestServer, query = '', init: CallInit = {}): Promise<Json> {
  const { status, json, text } = await server.call(`${BASE}${query}`, init);
  assert.equal(status, 200, text);
  return json;
}

async function find(server: TestServer, id: string, init: CallInit = {}): Promise<Json> {
  const { items } = await list(server, '?all=true&limit=100', init);
  return items.find((token: Json) => token['id'] === id);
}

const idsOf = ({ items }: Json) => items.map(({ id }: Json) => id as string);

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  async function person(name: string, role: 'reader' | 'writer' | 'admin' = 'writer') {
    const member = await joinMember(server, name, { role });
    const give = (token: Partial<NewToken>) => giveToken(server, member, { name: `of ${name}`, ...token });
    return { member, give, own: await give({ role: 'owner', name: `whole ${name}` }) };
  }

  test('the first use of a token is shown soon, with its address, API and operation, and never its path', async () => {
    const { give } = await person('ann');
    const { id, value } = await give({ role: 'reader' });
    assert.equal((await find(server, id))['lastUse'], undefined);
    assert.equal((await server.call('/api/v2/projects/secret-name', { token: value })).status, 404);
    let lastUse: Json | undefined;
    await eventually(async () => (lastUse = (await find(server, id))['lastUse'] as Json) !== undefined);
    const { at, address, api, operation } = lastUse!;
    assert.ok(Math.abs(at - server.clock.now()) < HOUR);
    assert.deepEqual([address, api, operation], ['127.0.0.1', 'flags', 'getProject']);
    await server.call('/nobody/has-this', { token: value });
    await server.app.kernel.tokenUses.save();
    const { api: other, ...rest } = (await find(server, id))['lastUse'];
    assert.deepEqual([other, rest.operation?.includes('has-this') ?? false], ['host', false]);
    const shown = await server.call(`/api/v2/tokens/${id}`);
    assert.equal(shown.json['lastUsed'], rest.at);
  });

  test('later uses are saved without a further call', async () => {
    const { give } = await person('lea');
    const { id, value } = await give({ role: 'reader' });
    const ask = (path: string) => server.call(path, { token: value });
    await ask('/v2/users/me');
    await server.app.kernel.tokenUses.save();
    await ask('/user');
    await eventually(async () => (await find(server, id))['lastUse'].operation === 'users/get-authenticated');
  });

  test('a token is shown with its member, what it may do in words, and no secret', async () => {
    const { member, give, own } = await person('bea');
    const expiresAt = server.clock.now() + HOUR;
    const statement = { effect: 'allow' as const, actions: ['view*'], resources: ['*'] };
    const made = await give({ inlinePolicy: [statement], expiresAt, name: 'one' });
    const scopes: [Partial<NewToken>, string][] = [
      [{ inlinePolicy: [statement, statement, statement] }, '3 statements'],
      [{ role: 'reader' }, 'reads'],
      [{ role: 'writer' }, 'writes'],
      [{ role: 'admin' }, 'administrates'],
      [{ customRoles: ['ops'] }, '1 custom role'],
      [{ role: 'owner' }, 'everything you may'],
      [{ role: 'owner', isService: true }, 'everything'],
    ];
    for (const [token, scope] of scopes) {
      const { id } = await give(token);
      assert.equal((await find(server, id, { token: own.value }))['scope'], scope);
    }
    const { id, username, email } = member;
    const { createdAt, ...shown } = await find(server, made.id, { token: own.value });
    assert.ok(createdAt <= server.clock.now());
    assert.deepEqual(shown, {
      id: made.id,
      name: 'one',
      ending: made.value.slice(-4),
      isService: false,
      member: { id, username, email },
      customRoles: [],
      inlinePolicy: true,
      scope: '1 statement',
      expiresAt,
    });
    assert.equal((await find(server, own.id))['scope'], 'everything its owner may');
    const { text } = await server.call(`${BASE}?all=true&limit=100`);
    assert.ok(!text.includes(made.value) && !text.includes('hash'));
  });

  test("one's own and service tokens are listed; those of others for those who may view them, by `all`", async () => {
    const [one, other] = [await person('cat'), await person('dan')];
    const personal = await other.give({ role: 'reader' });
    const service = await other.give({ role: 'reader', isService: true });
    const asOne = { token: one.own.value };
    for (const query of ['?limit=100', '?limit=100&all=true']) {
      const ids = idsOf(await list(server, query, asOne));
      assert.deepEqual(
        [one.own.id, service.id, personal.id].map((id) => ids.includes(id)),
        [true, true, false],
        query,
      );
    }
    const ids = async (query: string) => idsOf(await list(server, query));
    assert.equal((await ids('?limit=100')).includes(personal.id), false);
    assert.equal((await ids('?limit=100&all=true')).includes(personal.id), true);
    const browser = await openBrowser(server, one.member);
    const seen = await list(server, '?limit=100', { token: null, headers: browser });
    assert.ok(idsOf(seen).includes(one.own.id));
  });

  test('where the program of a service token runs is shown to its maker and to administrators alone', async () => {
    const [one, other] = [await person('eli'), await person('fay')];
    const service = await one.give({ role: 'reader', isService: true });
    await server.call('/user', { token: service.value });
    await server.app.kernel.tokenUses.save();
    const addressFor = async (init: CallInit) => (await find(server, service.id, init))['lastUse'].address;
    assert.equal(await addressFor({}), '127.0.0.1');
    assert.equal(await addressFor({ token: one.own.value }), '127.0.0.1');
    assert.equal(await addressFor({ token: other.own.value }), undefined);
  });

  test('pages follow each other, newest first, without a gap or a repetition, also through new tokens', async () => {
    const { give, own } = await person('gus');
    const made: string[] = [own.id];
    for (let index = 0; index < 7; index += 1) made.unshift((await give({ name: `gus-${index}` })).id);
    const all = idsOf(await list(server, '?limit=100', { token: own.value })).filter((id: string) =>
      made.includes(id),
    );
    // Those of one millisecond come in the order of their ids.
    assert.deepEqual(all.toSorted(), made.toSorted());
    const paged: string[] = [];
    let cursor = '';
    do {
      const page = await list(server, `?limit=3&q=gus${cursor}`, { token: own.value });
      paged.push(...idsOf(page));
      await give({ name: 'gus, later' });
      cursor = page['next'] === undefined ? '' : `&cursor=${page['next']}`;
    } while (cursor !== '');
    assert.deepEqual(paged, all);
  });

  test('tokens are found by a part of their name or of their ending', async () => {
    const { give, own } = await person('hal');
    const { id, value } = await give({ name: 'Straße 7' });
    const by = async (q: string) =>
      idsOf(await list(server, `?q=${encodeURIComponent(q)}`, { token: own.value }));
    assert.deepEqual(await by('STRASSE'), [id]);
    assert.ok((await by(value.slice(-4))).includes(id));
    assert.deepEqual(await by('no such name %_'), []);
  });

  test('a cursor that is none, and a limit below zero, are refused; a caller without the permission too', async () => {
    for (const query of ['?cursor=x', '?cursor=1.zz', '?cursor=%00', '?limit=-1', `?q=${'x'.repeat(101)}`])
      assert.equal((await server.call(BASE + query)).status, 422, query);
    assert.equal((await server.call(BASE, { token: null })).status, 401);
    const { give } = await person('ida');
    const nothing = await give({
      inlinePolicy: [{ effect: 'allow', actions: ['viewProject'], resources: ['*'] }],
    });
    const { status, json } = await server.call(BASE, { token: nothing.value });
    assert.deepEqual([status, json['access'].action], [403, 'viewAccessToken']);
  });

  test('calls are shown by hour, API and category, to those who may view the token', async () => {
    const [one, other] = [await person('jon'), await person('kay')];
    const { id, value } = await one.give({ role: 'reader' });
    for (const path of ['/user', '/user', '/api/v2/projects', '/v2/users/me', '/signalbox/v1/me'])
      assert.equal((await server.call(path, { token: value })).status, 200);
    await server.app.kernel.tokenUses.save();
    const usage = (init: CallInit = {}, query = '') => server.call(`${BASE}/${id}/usage${query}`, init);
    const { json } = await usage({ token: one.own.value });
    const counted = new Map<string, number>();
    for (const { at, api, category, calls, refused } of json['hours']) {
      assert.deepEqual([at % HOUR, refused], [0, 0]);
      const name = `${api} ${category}`;
      counted.set(name, (counted.get(name) ?? 0) + calls);
    }
    assert.deepEqual(Object.fromEntries(counted), {
      'actors global': 1,
      'flags global': 1,
      'host core': 2,
      'signalbox global': 1,
    });
    const later = server.clock.now() + HOUR;
    assert.deepEqual((await usage({}, `?since=${later}`)).json, { hours: [] });
    assert.deepEqual((await usage({}, '?since=0')).json, json, 'no more than thirty days');
    assert.equal((await usage({ token: other.own.value })).status, 403);
    assert.equal((await usage({ token: null })).status, 401);
    assert.equal((await usage({}, '?since=x')).status, 422);
    assert.equal((await server.call(`${BASE}/nothing/usage`)).status, 404);
  });

  test('the service token of a member who was removed is listed without them', async () => {
    const { member, give } = await person('lou');
    const { id } = await give({ role: 'reader', isService: true });
    await deleteMember(server.app.kernel.db, { ...member, version: 1 }, server.clock.now());
    await server.app.kernel.identity.invalidate();
    assert.equal((await find(server, id))['member'], undefined);
  });
});

onEachEngine((engine) => {
  test('calls over a rate limit are counted apart', async (t) => {
    const quota = { anonymous: 5, known: 2, seconds: 60 };
    const server = await startServerOn(engine, { limit: { 'host.core': quota } });
    t.after(() => server.stop());
    const member = await joinMember(server, 'max');
    const { id, value } = await giveToken(server, member, { role: 'reader' });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1)
      statuses.push((await server.call('/user', { token: value })).status);
    assert.deepEqual(statuses.filter((status) => status === 200).length, 2);
    await server.app.kernel.tokenUses.save();
    const { json } = await server.call(`${BASE}/${id}/usage`);
    assert.deepEqual(
      json['hours'].map(({ category, calls, refused }: Json) => [category, calls, refused]),
      [['core', 5, 3]],
    );
  });

  test('what was counted before the end of a server is saved', async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-tokens-'));
    t.after(() => rmSync(data, { recursive: true, force: true }));
    const settings = {
      data,
      limits: 'off' as const,
      ...(engine.kind === 'postgres' && { database: await engine.migratedDatabase() }),
    };
    const first = await startServer(settings);
    const { id, value } = await giveToken(first, await joinMember(first, 'nia'), { role: 'reader' });
    await first.call('/user', { token: value });
    await first.stop();
    const second = await startServer(settings);
    t.after(() => second.stop());
    assert.equal((await find(second, id))['lastUse'].operation, 'users/get-authenticated');
  });
});

onEngine('postgres', (engine) => {
  test('uses on two nodes are added up, and each node shows both', async (t) => {
    const database = await engine.migratedDatabase();
    const one = await startServer({ database, limits: 'off' });
    t.after(() => one.stop());
    const two = await startServer({ database, limits: 'off' });
    t.after(() => two.stop());
    const { id, value } = await giveToken(one, await joinMember(one, 'ora'), { role: 'reader' });
    await one.call('/user', { token: value });
    await two.call('/user', { token: value });
    await eventually(async () => {
      const { json } = await two.call(`${BASE}/${id}/usage`);
      return json['hours'].reduce((sum: number, { calls }: Json) => sum + calls, 0) === 2;
    });
    assert.equal((await find(one, id))['lastUse'].api, 'host');
  });
});
