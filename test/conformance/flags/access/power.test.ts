// Nobody gets more permissions than they hold, on a running server: rule F26.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Member } from '../../../../src/kernel/identity/store-members.ts';
import { can, type BaseRole, type PolicyStatement } from '../../../../src/kernel/identity/policy.ts';
import { insertRole } from '../../../../src/kernel/identity/store-roles.ts';
import type { NewToken } from '../../../../src/kernel/identity/store-tokens.ts';
import { giveToken, join, openBrowser } from '../../../people.ts';
import { startServer, type CallInit, type TestServer } from '../../../server.ts';
import { tokenCalls } from './token-calls.ts';

const ALL: PolicyStatement[] = [{ effect: 'allow', actions: ['*'], resources: ['*'] }];
const OWN_TOKENS: PolicyStatement[] = [{ effect: 'allow', actions: ['*'], resources: ['member/me:token/*'] }];
const RANKS: BaseRole[] = ['no_access', 'reader', 'writer', 'admin', 'owner'];

let server: TestServer;
const people = {} as Record<BaseRole, Member>;
before(async () => {
  server = await startServer({ limits: 'off' });
  for (const role of RANKS) people[role] = await join(server, `a-${role.replace('_', '-')}`, { role });
  const { db, clock } = server.app.kernel;
  await insertRole(db, { key: 'everything', name: 'Everything', policy: ALL }, clock.now());
});
after(() => server.stop());

const { list, read, patch, post, rename, reset, remove, isGood } = tokenCalls(() => server);
const give = (member: Member, token: Partial<NewToken>) => giveToken(server, member, token);

test('F26 a token gives no role above its own, or above its owner', async () => {
  for (const member of ['reader', 'writer', 'admin', 'owner'] as const) {
    for (const own of ['reader', 'writer', 'admin', 'owner'] as const) {
      const { value } = await give(people[member], { role: own });
      const held = Math.min(RANKS.indexOf(member), RANKS.indexOf(own));
      for (const role of ['reader', 'writer', 'admin', 'owner'] as const) {
        const { status } = await post(value, { role });
        const label = `${own} token of ${member} gives ${role}`;
        assert.equal(status, RANKS.indexOf(role) <= held ? 201 : 401, label);
      }
    }
  }
});

test('F26 a token gives no service token above its own role, either', async () => {
  const writer = await give(people.owner, { role: 'writer' });
  for (const [power, status] of [
    [{ role: 'writer' }, 201],
    [{ role: 'admin' }, 401],
    [{ inlineRole: ALL }, 401],
    [{ customRoleIds: ['everything'] }, 401],
  ] as const) {
    assert.equal(
      (await post(writer.value, { ...power, serviceToken: true })).status,
      status,
      JSON.stringify(power),
    );
  }
  const reader = await give(people.owner, { role: 'reader' });
  assert.equal((await post(reader.value, { role: 'reader', serviceToken: true })).status, 401);
});

test('F26 a narrowed token makes only tokens narrowed in just its way', async () => {
  const { value } = await give(people.owner, { inlinePolicy: OWN_TOKENS });
  assert.equal((await post(value, { inlineRole: OWN_TOKENS })).status, 201);
  for (const power of [
    { inlineRole: ALL },
    { customRoleIds: ['everything'] },
    { role: 'reader' },
    { role: 'owner' },
  ]) {
    assert.equal((await post(value, power)).status, 401, JSON.stringify(power));
  }
});

test('F26 statements that only narrow their owner do not become a service token that nobody narrows', async () => {
  const wide = await give(people.writer, { inlinePolicy: ALL });
  const answer = await post(wide.value, { inlineRole: ALL, serviceToken: true });
  assert.equal(answer.status, 401);
  const viaRole = await give(people.writer, { customRoles: ['everything'] });
  assert.equal(
    (await post(viaRole.value, { customRoleIds: ['everything'], serviceToken: true })).status,
    401,
  );
});

test("F26 a base role does not give its holder the owner's custom roles", async () => {
  for (const role of ['no_access', 'reader', 'writer'] as const) {
    const member = await join(server, `custom-${role.replace('_', '-')}`, {
      role,
      customRoles: ['everything'],
    });
    const narrow = await give(member, { role: role === 'no_access' ? 'reader' : role });
    assert.equal((await post(narrow.value, { inlineRole: ALL })).status, 401, role);
    assert.equal((await post(narrow.value, { customRoleIds: ['everything'] })).status, 401, role);
    const inline = await give(member, { inlinePolicy: OWN_TOKENS });
    assert.equal((await post(inline.value, { inlineRole: ALL })).status, 401, role);
    // A browser session has no token to narrow it, and a personal token is bound by its owner.
    const browser = await openBrowser(server, member);
    const init: CallInit = { method: 'POST', token: null, headers: { ...browser, origin: server.url } };
    assert.equal(
      (await server.call('/api/v2/tokens', { ...init, body: { inlineRole: ALL } })).status,
      201,
      role,
    );
  }
});

test('F26 a patch gives no more than making would', async () => {
  const reader = await give(people.owner, { role: 'reader' });
  const mine = await give(people.owner, { role: 'reader' });
  for (const change of [
    { op: 'replace', path: '/role', value: 'owner' },
    { op: 'replace', path: '/role', value: 'writer' },
    { op: 'add', path: '/inlineRole', value: ALL },
    { op: 'add', path: '/customRoleIds', value: ['everything'] },
  ]) {
    assert.equal((await patch(reader.value, mine.id, [change])).status, 401, JSON.stringify(change));
    assert.equal((await patch(reader.value, reader.id, [change])).status, 401, 'nor to itself');
  }
  assert.equal((await server.call(`/api/v2/tokens/${mine.id}`)).status, 200);
  assert.equal((await rename(reader.value, mine.id)).status, 200);
});

test('F26 a weak token does not reset, change or delete a stronger one of its owner', async () => {
  const reader = await give(people.owner, { role: 'reader' });
  for (const power of [{ role: 'owner' }, { role: 'writer' }, { inlinePolicy: ALL }] as Partial<NewToken>[]) {
    const strong = await give(people.owner, power);
    const answers = [
      await reset(reader.value, strong.id),
      await rename(reader.value, strong.id),
      await patch(reader.value, strong.id, [{ op: 'add', path: '/role', value: 'reader' }]),
      await remove(reader.value, strong.id),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 401, 401, 401],
      JSON.stringify(power),
    );
    assert.ok(await isGood(strong));
  }
});

test("F26 a writer does not reset an administrator's service token, nor an administrator the owner's", async () => {
  for (const [member, role] of [
    ['writer', 'admin'],
    ['admin', 'owner'],
  ] as const) {
    const caller = await give(people[member], { role: member });
    const strong = await give(people.owner, { isService: true, role });
    assert.equal((await reset(caller.value, strong.id)).status, 401);
    assert.equal((await rename(caller.value, strong.id)).status, 401);
    assert.ok(await isGood(strong));
    const equal = await give(people.owner, { isService: true, role: member });
    assert.equal((await reset(caller.value, equal.id)).status, member === 'admin' ? 200 : 401);
  }
});

test("F26 a service token is nobody's own, and does not touch its maker's tokens", async () => {
  const service = await give(people.owner, { isService: true, role: 'writer' });
  const personal = await give(people.owner, { role: 'reader' });
  assert.equal((await read(service.value, personal.id)).status, 403);
  assert.equal((await reset(service.value, personal.id)).status, 403);
  assert.equal((await remove(service.value, personal.id)).status, 403);
  assert.equal((await post(service.value, { role: 'reader' })).status, 401);
  assert.ok(await isGood(personal));
});

test('F26 a service token with statements reaches nothing that is for owners alone', async () => {
  const admin = await give(people.admin, { role: 'admin' });
  const { status, json } = await post(admin.value, { inlineRole: ALL, serviceToken: true });
  assert.equal(status, 201);
  const value = json['token'] as string;
  assert.equal((await post(value, { role: 'owner', serviceToken: true })).status, 401);
  const strong = await give(people.owner, { isService: true, role: 'owner' });
  assert.equal((await reset(value, strong.id)).status, 401);
  const { identity } = server.app.kernel;
  const caller = await identity.identify({ kind: 'token', secret: value }, server.clock.now());
  assert.deepEqual(
    [can(caller, 'updateAccount', 'acct'), can(caller, 'deleteAccount', 'acct')],
    [true, false],
  );
});

test('F26 what a member loses, their personal tokens lose; what is left to them can still be tended', async () => {
  const member = await join(server, 'demoted', { role: 'admin' });
  const token = await give(member, { role: 'admin' });
  const service = await give(people.owner, { isService: true, role: 'reader' });
  assert.equal((await rename(token.value, service.id)).status, 200);
  const { db, identity } = server.app.kernel;
  await db.updateTable('members').set({ role: 'reader' }).where('id', '=', member.id).execute();
  await identity.invalidate();
  const again = [{ op: 'replace', path: '/name', value: 'again' }];
  assert.equal((await patch(token.value, service.id, again)).status, 401);
  assert.equal((await post(token.value, { role: 'writer' })).status, 401);
  const other = await give(member, { role: 'admin' });
  assert.equal((await rename(token.value, other.id)).status, 200);
  assert.equal((await reset(token.value, other.id)).status, 200);
  assert.equal((await remove(token.value, other.id)).status, 204);
});

test("F26 a removed member's tokens stop, and a custom role's end takes its power along", async () => {
  const { db, identity, clock } = server.app.kernel;
  const member = await join(server, 'leaver');
  const token = await give(member, { role: 'reader' });
  const browser = await openBrowser(server, member);
  assert.ok(await isGood(token));
  await db.deleteFrom('members').where('id', '=', member.id).execute();
  await identity.invalidate();
  assert.equal(await isGood(token), false);
  assert.equal((await server.call('/api/v2/caller-identity', { token: null, headers: browser })).status, 401);

  const { id } = await insertRole(db, { key: 'brief', name: 'Brief', policy: ALL }, clock.now());
  const lent = await give(people.owner, { customRoles: ['brief'] });
  assert.equal((await list(lent.value)).status, 200);
  await db.deleteFrom('roles').where('id', '=', id).execute();
  await identity.invalidate();
  assert.equal((await list(lent.value)).status, 401);
});

test('F26 an ended token does nothing, not even with its secret fresh', async () => {
  const token = await give(people.owner, { role: 'owner', expiresAt: server.clock.now() + 1000 });
  const helper = await give(people.owner, { role: 'owner' });
  server.clock.ahead += 1000;
  assert.equal(await isGood(token), false);
  const { status, json } = await reset(helper.value, token.id);
  assert.equal(status, 200);
  assert.equal(await isGood({ value: json['token'] as string }), false);
});
