// From a credential to a caller, on both engines: the cache, and its invalidation on all nodes.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Engine } from '../storage/engine.ts';
import type { Credential, KnownCaller } from './caller.ts';
import { compileBaseRoles } from './role-policies.ts';
import { Identity } from './identity.ts';
import { deleteMember, insertMember, type Member } from './store-members.ts';
import { can } from './policy.ts';
import { insertRole } from './store-roles.ts';
import { newSecret } from '../secrets/secret.ts';
import { deleteSession, insertSession, SESSION_MS } from './sessions/store-sessions.ts';
import { identityMigrations } from './tables.ts';
import { versionUsageMigrations } from '../versions/usage/tables.ts';
import { insertTestTeam } from './fixture.ts';
import { insertToken, deleteToken, resetToken, type NewToken, type Token } from './store-tokens.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

onEachEngine((testEngine) => {
  let engine: Engine;
  let other: Engine;
  let here: Identity;
  let there: Identity;
  let ada: Member;
  before(async () => {
    const location = await testEngine.database();
    engine = await testEngine.open([...identityMigrations, ...versionUsageMigrations], location);
    // With PostgreSQL the second node has an engine of its own.
    other = testEngine.kind === 'postgres' ? await testEngine.open([], location) : engine;
    here = await new Identity(engine, compileBaseRoles([])).open();
    there = await new Identity(other, compileBaseRoles([])).open();
  });
  beforeEach(async () => {
    await engine.db.deleteFrom('members').execute();
    await engine.db.deleteFrom('reserved_names').execute();
    await engine.db.deleteFrom('roles').execute();
    await engine.db.deleteFrom('teams').execute();
    await here.invalidate();
    const member = { username: 'ada', email: 'ada@example.com', role: 'writer' as const };
    ada = await insertMember(engine.db, member, null, NOW);
  });
  after(() => {
    here.close();
    there.close();
  });

  async function make(token: Partial<NewToken> = {}): Promise<{ token: Token; credential: Credential }> {
    const secret = newSecret('api-');
    const usual = { memberId: ada.id, isService: false, name: '', description: '', customRoles: [] };
    const made = await insertToken(engine.db, { ...usual, ...token }, secret, NOW);
    return { token: made, credential: { kind: 'token', secret: secret.value } };
  }

  /** Whether the next call would be authenticated. */
  async function knows(identity: Identity, credential: Credential, now = NOW): Promise<boolean> {
    try {
      await identity.identify(credential, now);
      return true;
    } catch (error) {
      assert.equal((error as { kind: string }).kind, 'unauthenticated');
      return false;
    }
  }

  /** Waits until the node has received all notifications that were sent before: they arrive in order. */
  async function receiveAll(node: Engine): Promise<void> {
    const mark = randomUUID();
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = await node.listen('identity', (payload) => (payload === mark ? resolve() : undefined));
    await engine.notify('identity', mark);
    await promise;
    stop();
  }

  async function forgetEverywhere(): Promise<void> {
    await here.invalidate();
    await receiveAll(other);
  }

  test('a token is its member and itself', async () => {
    const { token, credential } = await make({ role: 'reader' });
    const caller = await here.identify(credential, NOW);
    assert.deepEqual([caller.kind, caller.member, caller.token], ['token', ada, token]);
  });

  test('a session is its member alone, until it ends', async () => {
    const { secret } = await insertSession(engine.db, ada, NOW);
    const credential = { kind: 'session' as const, secret };
    const caller = await here.identify(credential, NOW);
    assert.deepEqual([caller.kind, caller.member, caller.token], ['session', ada, undefined]);
    assert.ok(can(caller, 'updateOn', 'proj/a:env/b:flag/c'));
    assert.equal(await knows(here, credential, NOW + SESSION_MS - 1), true);
    assert.equal(await knows(here, credential, NOW + SESSION_MS), false);
    await deleteSession(engine.db, credential.secret);
    await here.invalidate();
    assert.equal(await knows(here, credential), false);
  });

  test('a token is not accepted as a session, nor a session as a token', async () => {
    const { credential } = await make();
    const { secret: session } = await insertSession(engine.db, ada, NOW);
    assert.equal(await knows(here, { kind: 'session', secret: credential.secret }), false);
    assert.equal(await knows(here, { kind: 'token', secret: session }), false);
    for (const secret of ['', 'api-', 'a\0b', '\ud800'])
      assert.equal(await knows(here, { kind: 'token', secret }), false);
  });

  test('the second answer is remembered, and not a promise', async () => {
    const { credential } = await make({ role: 'reader' });
    // A late notification of an earlier test would clear the cache.
    await receiveAll(engine);
    const first = await here.identify(credential, NOW);
    assert.equal(here.identify(credential, NOW + MINUTE - 1), first);
    assert.ok(here.identify(credential, NOW + MINUTE) instanceof Promise, 'for a minute');
    assert.equal(await knows(here, credential, NOW + MINUTE), true);
  });

  test('a caller is cached no longer than the credential is valid', async () => {
    const { credential } = await make({ expiresAt: NOW + 10 });
    assert.equal(await knows(here, credential, NOW + 9), true);
    assert.equal(await knows(here, credential, NOW + 10), false);
    const { token, credential: old } = await make();
    await resetToken(engine.db, token, { secret: newSecret('api-'), oldUntil: NOW + 20 }, NOW);
    await here.invalidate();
    assert.equal(await knows(here, old, NOW + 19), true);
    assert.equal(await knows(here, old, NOW + 20), false);
  });

  test('a change on one node clears the caches of all nodes', async () => {
    const { token, credential } = await make();
    assert.deepEqual([await knows(here, credential), await knows(there, credential)], [true, true]);
    await deleteToken(engine.db, token.id);
    await forgetEverywhere();
    assert.deepEqual([await knows(here, credential), await knows(there, credential)], [false, false]);
  });

  test('a look-up that was under way when all was forgotten is not remembered', async () => {
    const { token, credential } = await make();
    const slow = here.identify(credential, NOW);
    const forgotten = here.invalidate();
    assert.ok(slow instanceof Promise);
    await slow;
    await forgotten;
    await deleteToken(engine.db, token.id);
    assert.equal(await knows(here, credential), false);
  });

  test("a personal token's power is its owner's and its own", async () => {
    const may = async (token: Partial<NewToken>, action: string, resource: string) => {
      const { credential } = await make(token);
      return can(await here.identify(credential, NOW), action, resource);
    };
    const inlinePolicy = [{ effect: 'allow' as const, actions: ['*'], resources: ['*'] }];
    const flag = 'proj/a:env/b:flag/c';
    assert.equal(await may({ role: 'writer' }, 'updateOn', flag), true);
    assert.equal(await may({ role: 'reader' }, 'updateOn', flag), false);
    assert.equal(await may({ role: 'admin' }, 'deleteMember', 'member/x'), false, 'its owner is a writer');
    assert.equal(await may({ inlinePolicy }, 'deleteMember', 'member/x'), false);
    assert.equal(await may({ inlinePolicy }, 'updateOn', flag), true);
    assert.equal(await may({}, 'viewProject', 'proj/a'), false, 'no power at all');
    assert.equal(
      await may({ isService: true, role: 'admin' }, 'deleteMember', 'member/x'),
      true,
      'a service token stands alone',
    );
    assert.equal(
      await may({ isService: true, inlinePolicy }, 'deleteAccount', 'acct'),
      false,
      'but is no owner',
    );
    assert.equal(await may({ isService: true, role: 'owner' }, 'deleteAccount', 'acct'), true);
  });

  test('a secret that nobody had is known as soon as a token has it', async () => {
    const secret = newSecret('api-');
    const credential: Credential = { kind: 'token', secret: secret.value };
    for (let time = 0; time < 2; time += 1) assert.equal(await knows(here, credential), false);
    const token = { memberId: ada.id, isService: false, name: '', description: '', customRoles: [] };
    const made = await insertToken(engine.db, token, secret, NOW);
    assert.ok(await knows(here, credential));
    await deleteToken(engine.db, made.id);
    await here.invalidate();
    for (let time = 0; time < 2; time += 1) assert.equal(await knows(here, credential), false);
  });

  test('custom roles count by key and by id, with their base; unknown ones count for nothing', async () => {
    const policy = [{ effect: 'allow' as const, actions: ['updateOn'], resources: ['proj/*:env/*:flag/*'] }];
    const role = { key: 'switcher', name: 'Switcher', policy };
    const { id } = await insertRole(engine.db, role, NOW);
    const based = { ...role, key: 'viewer', baseRole: 'reader' as const };
    await insertRole(engine.db, based, NOW);
    const ask = async (customRoles: string[]): Promise<KnownCaller> =>
      here.identify((await make({ customRoles })).credential, NOW);
    const flag = 'proj/a:env/b:flag/c';
    for (const name of ['switcher', id]) {
      const caller = await ask([name]);
      assert.deepEqual([can(caller, 'updateOn', flag), can(caller, 'viewProject', 'proj/a')], [true, false]);
    }
    assert.ok(can(await ask(['viewer']), 'viewProject', 'proj/a'));
    assert.equal(can(await ask(['unknown']), 'updateOn', flag), false);
  });

  test('a deny in a custom role overrides its base', async () => {
    const policy = [{ effect: 'deny' as const, actions: ['viewProject'], resources: ['proj/secret'] }];
    await insertRole(engine.db, { key: 'most', name: 'Most', policy, baseRole: 'reader' }, NOW);
    const caller = await here.identify((await make({ customRoles: ['most'] })).credential, NOW);
    assert.deepEqual(
      [can(caller, 'viewProject', 'proj/a'), can(caller, 'viewProject', 'proj/secret')],
      [true, false],
    );
  });

  const flag = 'proj/web:env/test:flag/f';
  const asSession = async (): Promise<KnownCaller> =>
    here.identify({ kind: 'session', secret: (await insertSession(engine.db, ada, NOW)).secret }, NOW);
  const all = { effect: 'allow' as const, actions: ['*'], resources: ['*'] };

  test("the roles of a member's teams are theirs, filled with the team's attributes", async () => {
    const resources = ['proj/${roleAttribute/projects}:env/*:flag/*', 'role/*'];
    const policy = [{ effect: 'allow' as const, actions: ['deleteFlag', 'deleteRole'], resources }];
    const role = await insertRole(engine.db, { key: 'ops', name: 'Ops', policy }, NOW);
    assert.equal(can(await asSession(), 'deleteRole', 'role/x'), false);
    const parts = { memberIds: [ada.id], roleIds: [role.id], roleAttributes: { projects: ['web'] } };
    const teamId = await insertTestTeam(engine.db, 'core', parts, NOW);
    const caller = await asSession();
    assert.ok(can(caller, 'deleteRole', 'role/x'));
    assert.deepEqual(caller.held, { roles: [role.id], teams: [teamId], managedTeams: [] });
    await engine.db.updateTable('members').set({ role: 'no_access' }).execute();
    const weak = await asSession();
    assert.deepEqual(
      [can(weak, 'deleteFlag', flag), can(weak, 'deleteFlag', 'proj/app:env/test:flag/f')],
      [true, false],
    );
    const own = await here.identify((await make({ customRoles: ['ops'] })).credential, NOW);
    assert.deepEqual([can(own, 'deleteFlag', flag), can(own, 'deleteRole', 'role/x')], [true, true]);
    await engine.db.deleteFrom('teams').execute();
    assert.equal(can(await asSession(), 'deleteRole', 'role/x'), false);
  });

  test("one's own roles are filled with one's own attributes, not with a team's", async () => {
    const resources = ['proj/${roleAttribute/projects}'];
    const policy = [{ effect: 'allow' as const, actions: ['deleteProject'], resources }];
    await insertRole(engine.db, { key: 'ops', name: 'Ops', policy }, NOW);
    const set = { role: 'no_access', custom_roles: '["ops"]', role_attributes: '{"projects":["web"]}' };
    await engine.db.updateTable('members').set(set).execute();
    const parts = { memberIds: [ada.id], roleAttributes: { projects: ['app'] } };
    await insertTestTeam(engine.db, 'core', parts, NOW);
    const caller = await asSession();
    assert.deepEqual(
      [can(caller, 'deleteProject', 'proj/web'), can(caller, 'deleteProject', 'proj/app')],
      [true, false],
    );
  });

  test('a manager of a team has the granted actions on it, and none on others', async () => {
    const grants = [{ memberId: ada.id, actions: 'maintainTeam' }];
    const teamId = await insertTestTeam(engine.db, 'core', { grants }, NOW);
    const caller = await asSession();
    assert.deepEqual(
      [
        can(caller, 'updateTeamMembers', 'team/core'),
        can(caller, 'updateTeamCustomRoles', 'team/core'),
        can(caller, 'updateTeamMembers', 'team/other'),
      ],
      [true, false, false],
    );
    assert.deepEqual(caller.held?.managedTeams, [teamId]);
  });

  test('no custom role grants what is reserved to owners', async () => {
    await insertRole(engine.db, { key: 'all', name: 'All', policy: [all] }, NOW);
    await engine.db.updateTable('members').set({ custom_roles: '["all"]' }).execute();
    const caller = await asSession();
    assert.deepEqual(
      [can(caller, 'deleteMember', 'member/x'), can(caller, 'deleteAccount', 'acct')],
      [true, false],
    );
    await engine.db.updateTable('members').set({ role: 'owner' }).execute();
    assert.ok(can(await asSession(), 'deleteAccount', 'acct'));
  });

  test('the last use by a member and its token are saved; service tokens do not count', async () => {
    const { token, credential } = await make();
    const { credential: service } = await make({ isService: true });
    const seen = async () => {
      await here.saveLastSeen();
      const columns = ['last_seen_at', 'last_seen_token'] as const;
      const row = await engine.db.selectFrom('members').select(columns).executeTakeFirstOrThrow();
      return [row.last_seen_at, row.last_seen_token];
    };
    await here.identify(service, NOW + 9);
    assert.deepEqual(await seen(), [null, null]);
    await here.identify(credential, NOW + 5);
    assert.deepEqual(await seen(), [NOW + 5, token.id]);
    const { secret } = await insertSession(engine.db, ada, NOW);
    const session = { kind: 'session' as const, secret };
    await here.identify(credential, NOW + 7);
    await here.identify(session, NOW + 8);
    assert.deepEqual(await seen(), [NOW + 8, null]);
  });

  test('background work of a service token ends with the token', async () => {
    const { token } = await make({ isService: true, role: 'writer', expiresAt: NOW + 10 });
    const { token: personal } = await make({ expiresAt: NOW + 10 });
    const initiator = { memberId: ada.id, serviceTokenId: token.id };
    const works = async (now: number) => [
      (await here.callerOf(engine.db, initiator, now))?.token?.id,
      (await here.callerOfAccount(engine.db, token.id, now))?.token?.id,
      (await here.callerOfToken(engine.db, token.id, now))?.token?.id,
      (await here.callerOfToken(engine.db, personal.id, now))?.token?.id,
    ];
    assert.deepEqual(await works(NOW + 9), [token.id, token.id, token.id, personal.id]);
    assert.deepEqual(await works(NOW + 10), [undefined, undefined, undefined, undefined]);
    await deleteToken(engine.db, token.id);
    await deleteToken(engine.db, personal.id);
    assert.deepEqual(await works(NOW + 9), [undefined, undefined, undefined, undefined]);
  });

  test('the service token of a removed member keeps its permissions', async () => {
    const { credential } = await make({ isService: true, role: 'admin' });
    const { credential: personal } = await make({ role: 'reader' });
    await deleteMember(engine.db, { ...ada, version: 1 }, NOW);
    await here.invalidate();
    assert.ok(can(await here.identify(credential, NOW), 'deleteMember', 'member/x'));
    assert.equal(await knows(here, personal), false);
  });
});
