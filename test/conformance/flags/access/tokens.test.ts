// Access tokens on the flags API, on a running server: kinds, headers, secrets and resets. Rules F26, F27, F29 and F32.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { findMember, type Member } from '../../../../src/kernel/identity/store-members.ts';
import { insertRole } from '../../../../src/kernel/identity/store-roles.ts';
import { insertLoginLink } from '../../../../src/kernel/identity/sessions/store-login-links.ts';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, openBrowser } from '../../../people.ts';
import { ADMIN_TOKEN, type Answer, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const MINUTE = 60_000;

onEachEngine((engine) => {
  let server: TestServer;
  let admin: Member;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    admin = (await findMember(server.app.kernel.db, { username: 'admin' }))!;
  });
  after(() => server.stop());

  async function make(body: Record<string, unknown>): Promise<{ id: string; value: string }> {
    const { status, json } = await server.call('/api/v2/tokens', { method: 'POST', body });
    assert.equal(status, 201);
    return { id: json['_id'] as string, value: json['token'] as string };
  }

  function ask(token: string, headers: Record<string, string> = {}): Promise<Answer> {
    return server.call('/api/v2/caller-identity', { token, headers });
  }

  test('F26 there are personal and service tokens', async () => {
    for (const serviceToken of [false, true]) {
      const { id, value } = await make({ name: 'kind', role: 'reader', serviceToken });
      const { json } = await ask(value);
      const kind = serviceToken ? 'service' : 'personal';
      assert.deepEqual([json['tokenKind'], json['serviceToken'], json['tokenId']], [kind, serviceToken, id]);
      assert.deepEqual([json['tokenName'], json['memberId'], json['authKind']], ['kind', admin.id, 'token']);
    }
  });

  test('F26 each has its own access: a role, custom roles or statements', async () => {
    const { db, clock } = server.app.kernel;
    const policy = [
      { effect: 'allow' as const, actions: ['viewAccessToken'], resources: ['service-token/*'] },
    ];
    const { id: roleId } = await insertRole(db, { key: 'watcher', name: 'Watcher', policy }, clock.now());
    const service = await giveToken(server, admin, { isService: true, role: 'reader' });
    const path = `/api/v2/tokens/${service.id}`;
    for (const [power, canView, canDelete] of [
      [{ role: 'reader' }, 200, 401],
      [{ role: 'writer' }, 200, 401],
      [{ role: 'no_access' }, 403, 403],
      [{ customRoleIds: ['watcher'] }, 200, 401],
      [{ customRoleIds: [roleId] }, 200, 401],
      [{ inlineRole: policy }, 200, 401],
      [{ inlineRole: [{ effect: 'allow', actions: ['*'], resources: ['proj/*'] }] }, 403, 403],
      [{ role: 'admin' }, 200, 204],
    ] as const) {
      const { value } = await make(power);
      const label = JSON.stringify(power);
      assert.equal((await server.call(path, { token: value })).status, canView, label);
      assert.equal((await server.call(path, { token: value, method: 'DELETE' })).status, canDelete, label);
    }
  });

  test('F26 a token says one kind of power; saying none makes a reader', async () => {
    const { id } = await make({});
    assert.equal((await server.call(`/api/v2/tokens/${id}`)).json['role'], 'reader');
    const inlineRole = [{ effect: 'allow', actions: ['*'], resources: ['*'] }];
    for (const body of [
      { role: 'reader', inlineRole },
      { role: 'reader', customRoleIds: ['watcher'] },
      { customRoleIds: ['unknown'] },
    ]) {
      const { status } = await server.call('/api/v2/tokens', { method: 'POST', body });
      assert.equal(status, 400, JSON.stringify(body));
    }
  });

  test('F26 a token may have an end', async () => {
    const expiry = server.clock.now() + MINUTE;
    const { value } = await make({ expiry });
    assert.equal((await ask(value)).status, 200);
    server.clock.ahead += MINUTE;
    assert.equal((await ask(value)).status, 401);
    const past = { expiry: server.clock.now() - 1 };
    assert.equal((await server.call('/api/v2/tokens', { method: 'POST', body: past })).status, 400);
  });

  test('F26 a token that expires creates none that expires later, of either kind', async () => {
    const expiry = server.clock.now() + 5 * MINUTE;
    const policy = [{ effect: 'allow', actions: ['*'], resources: ['*'] }];
    for (const power of [{ role: 'writer' }, { inlineRole: policy }, { role: 'owner' }]) {
      const { value: token } = await make({ ...power, expiry });
      const create = (body: Record<string, unknown>) =>
        server.call('/api/v2/tokens', { method: 'POST', token, body: { ...power, ...body } });
      // A service token with statements of its own takes an administrator.
      for (const serviceToken of 'role' in power && power.role === 'writer' ? [false, true] : [false]) {
        const without = await create({ serviceToken });
        assert.deepEqual([without.status, without.json['expiry']], [201, expiry], without.text);
        const sooner = await create({ serviceToken, expiry: expiry - 1 });
        assert.deepEqual([sooner.status, sooner.json['expiry']], [201, expiry - 1]);
        const later = await create({ serviceToken, expiry: expiry + 1 });
        assert.equal(later.status, 400);
        assert.match(later.json['message'] as string, /expiry cannot be after .*Z, when the token/);
        const grandchild = { ...power, serviceToken };
        const asked = { method: 'POST', token: without.json['token'] as string, body: grandchild };
        assert.equal((await server.call('/api/v2/tokens', asked)).json['expiry'], expiry);
      }
    }
  });

  test('F26 a token that expires gets no secret of one that stays, and gives it no permissions', async () => {
    const expiry = server.clock.now() + 5 * MINUTE;
    const { id: own, value: token } = await make({ role: 'owner', expiry });
    const reset = (id: string, as = token) =>
      server.call(`/api/v2/tokens/${id}/reset`, { method: 'POST', token: as });
    const raise = (id: string) =>
      server.call(`/api/v2/tokens/${id}`, {
        method: 'PATCH',
        token,
        body: [{ op: 'replace', path: '/role', value: 'admin' }],
      });
    for (const serviceToken of [false, true]) {
      const stays = await make({ role: 'reader', serviceToken });
      assert.equal((await reset(stays.id)).status, 401);
      assert.equal((await raise(stays.id)).status, 401);
      assert.equal((await ask(stays.value)).status, 200, 'its secret is the same');
      const renamed = [{ op: 'replace', path: '/name', value: 'renamed' }];
      const named = await server.call(`/api/v2/tokens/${stays.id}`, {
        method: 'PATCH',
        token,
        body: renamed,
      });
      assert.equal(named.status, 200);
      const ends = await make({ role: 'reader', serviceToken, expiry });
      assert.equal((await raise(ends.id)).status, 200);
      assert.equal((await reset(ends.id)).status, 200);
    }
    const again = await reset(own);
    assert.deepEqual([again.status, again.json['expiry']], [200, expiry]);
    const stays = await make({ role: 'owner' });
    const grace = `/api/v2/tokens/${stays.id}/reset?expiry=${expiry}`;
    assert.equal((await server.call(grace, { method: 'POST' })).status, 200);
    assert.equal((await reset(stays.id, stays.value)).status, 401, 'the old secret ends soon');
  });

  test('F26 when it was last used is kept', async () => {
    const { id, value } = await make({});
    const read = async () =>
      (await server.call(`/api/v2/tokens/${id}`)).json['lastUsed'] as number | undefined;
    assert.equal(await read(), undefined);
    await ask(value);
    await server.app.kernel.tokenUses.save();
    assert.ok(Math.abs((await read())! - server.clock.now()) < MINUTE);
  });

  test('F27 the token itself is the header, or comes after Bearer', async () => {
    for (const authorization of [ADMIN_TOKEN, `Bearer ${ADMIN_TOKEN}`, `bearer  ${ADMIN_TOKEN} `]) {
      assert.equal((await ask('', { authorization })).status, 200, authorization);
    }
    for (const authorization of [
      `Basic ${ADMIN_TOKEN}`,
      `Token ${ADMIN_TOKEN}`,
      `${ADMIN_TOKEN}x`,
      'Bearer',
    ]) {
      const { status, json } = await ask('', { authorization });
      assert.deepEqual([status, json['code']], [401, 'unauthorized'], authorization);
    }
    const inUrl = await server.call(`/api/v2/caller-identity?token=${ADMIN_TOKEN}`, { token: null });
    assert.equal(inUrl.status, 401, 'here a token is not taken from the URL');
  });

  test('F29 keys of SDKs cannot call, with or without Bearer', async () => {
    const uuid = '6b0a2f0e-9d0c-4d55-8a6f-1f6a4f1f9a11';
    for (const key of [`sdk-${uuid}`, `mob-${uuid}`, '0123456789abcdef01234567']) {
      for (const authorization of [key, `Bearer ${key}`]) {
        for (const [path, method] of [
          ['/api/v2/caller-identity', 'GET'],
          ['/api/v2/tokens', 'GET'],
          ['/api/v2/tokens', 'POST'],
        ] as const) {
          const answer = await server.call(path, { method, headers: { authorization } });
          assert.deepEqual(
            [answer.status, answer.json['code']],
            [401, 'unauthorized'],
            `${authorization} ${path}`,
          );
        }
      }
    }
  });

  test('F32 a reset stops the old secret at once', async () => {
    const { id, value } = await make({ name: 'leaked' });
    assert.equal((await ask(value)).status, 200);
    const { status, json } = await server.call(`/api/v2/tokens/${id}/reset`, { method: 'POST' });
    assert.deepEqual([status, json['_id'], json['name']], [200, id, 'leaked']);
    assert.notEqual(json['token'], value);
    assert.equal((await ask(value)).status, 401);
    assert.equal((await ask(json['token'] as string)).json['tokenId'], id);
  });

  test('F32 or after the time of grace that was asked for', async () => {
    const { id, value } = await make({});
    const expiry = server.clock.now() + 2 * MINUTE;
    const { json } = await server.call(`/api/v2/tokens/${id}/reset?expiry=${expiry}`, { method: 'POST' });
    const both = async () => [(await ask(value)).status, (await ask(json['token'] as string)).status];
    assert.deepEqual(await both(), [200, 200]);
    server.clock.goTo(expiry - MINUTE);
    assert.deepEqual(await both(), [200, 200]);
    server.clock.goTo(expiry);
    assert.deepEqual(await both(), [401, 200]);
    const again = await make({});
    await server.call(`/api/v2/tokens/${again.id}/reset?expiry=${server.clock.now() - 1}`, {
      method: 'POST',
    });
    assert.equal((await ask(again.value)).status, 401, 'a time that is past is no grace');
  });

  test('F32 a second reset ends the grace of the first', async () => {
    const { id, value } = await make({});
    const expiry = server.clock.now() + MINUTE;
    const reset = (query: string) => server.call(`/api/v2/tokens/${id}/reset${query}`, { method: 'POST' });
    const second = (await reset(`?expiry=${expiry}`)).json['token'] as string;
    await reset('');
    assert.deepEqual([(await ask(value)).status, (await ask(second)).status], [401, 401]);
  });

  test('F32 a deleted token stops at once', async () => {
    const { id, value } = await make({});
    assert.equal((await ask(value)).status, 200);
    assert.equal((await server.call(`/api/v2/tokens/${id}`, { method: 'DELETE' })).status, 204);
    assert.equal((await ask(value)).status, 401);
  });

  test('F32 the secret is shown once; after that only how it ends', async () => {
    const { id, value } = await make({});
    assert.match(value, /^api-[\w-]{43}$/);
    const one = await server.call(`/api/v2/tokens/${id}`);
    const all = await server.call('/api/v2/tokens?limit=1000');
    const patched = await server.call(`/api/v2/tokens/${id}`, { method: 'PATCH', body: [] });
    for (const { json, text } of [one, all, patched]) {
      assert.ok(!text.includes(value));
      if (json['items'] === undefined) assert.equal(json['token'], value.slice(-4));
    }
  });

  test('F32 no secret is in the database or in the log', async () => {
    const { db, clock } = server.app.kernel;
    const { id, value } = await make({ name: 'kept' });
    const reset = await server.call(`/api/v2/tokens/${id}/reset?expiry=${clock.now() + MINUTE}`, {
      method: 'POST',
    });
    const second = reset.json['token'] as string;
    const { cookie, 'x-signalbox-session': pageSecret } = await openBrowser(server, admin);
    const link = await insertLoginLink(db, admin, clock.now());
    await ask(value);
    await ask('api-a-wrong-secret-that-somebody-typed');
    await server.call(`/v2/users/me?token=${second}`, { token: null });
    await server.call(`/session/${link}`, { token: null });
    await server.call(`/api/v2/tokens/${id}`, { method: 'PATCH', body: { comment: 'x', patch: [] } });
    const secrets = [
      ADMIN_TOKEN,
      value,
      second,
      cookie.split('=')[1]!,
      pageSecret,
      link,
      'api-a-wrong-secret',
    ];
    const log = JSON.stringify(server.log);
    const rows = await everyRow();
    assert.ok(rows.includes('kept') && log.includes('patchToken'), 'there is something to search');
    for (const secret of secrets) {
      assert.ok(!rows.includes(secret), 'in the database');
      assert.ok(!log.includes(secret), 'in the log');
    }
  });

  /** Other tests create tokens on the same PostgreSQL. */
  async function currentSchema(): Promise<string> {
    const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(
      server.app.kernel.db,
    );
    return rows[0]!.name;
  }

  /** All rows of all tables, as one text. */
  async function everyRow(): Promise<string> {
    const { db } = server.app.kernel;
    const own = engine.kind === 'postgres' ? await currentSchema() : undefined;
    const tables = (await db.introspection.getTables()).filter(({ schema }) => schema === own);
    assert.ok(tables.length >= 5);
    const texts = [];
    for (const { name } of tables) {
      const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
      texts.push(JSON.stringify(rows));
    }
    return texts.join('\n');
  }
});
