// Custom roles, on both engines: stored fields, holders, and a deletion while another transaction grants the role.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { onEachEngine, onEngine } from '../../../test/engines.ts';
import { waitForLockWaiters } from '../../../test/lock-waiters.ts';
import type { Engine } from '../storage/engine.ts';
import type { Db } from '../storage/tables.ts';
import { findMember, insertMember, type Member } from './store-members.ts';
import {
  countHolders,
  deleteRole,
  findRole,
  findRoles,
  insertRole,
  listRoles,
  listUnknownRoles,
  lockRole,
  shareLockRoles,
  updateRole,
  type Role,
} from './store-roles.ts';
import { newSecret } from '../secrets/secret.ts';
import { insertTestTeam } from './fixture.ts';
import { listTeamRoles } from './store-member-teams.ts';
import { findToken, insertToken } from './store-tokens.ts';
import { identityMigrations } from './tables.ts';

const NOW = 1_800_000_000_000;

const policy = [{ effect: 'allow' as const, actions: ['*'], resources: ['proj/*'] }];

onEachEngine((testEngine) => {
  let db: Db;
  let ada: Member;
  let ops: Role;
  before(async () => ({ db } = await testEngine.open(identityMigrations)));
  beforeEach(async () => {
    for (const table of ['members', 'roles', 'teams', 'reserved_names'] as const)
      await db.deleteFrom(table).execute();
    ada = await join('ada');
    ops = await insertRole(db, { key: 'ops', name: 'Ops', policy }, NOW);
  });

  function join(username: string, customRoles: string[] = []) {
    const email = `${username}@example.com`;
    return insertMember(db, { username, email, role: 'reader', customRoles }, null, NOW);
  }

  test('a role is found by key and by id, and changed unless it was changed meanwhile', async () => {
    assert.deepEqual(await findRole(db, 'ops'), ops);
    assert.deepEqual(await findRole(db, ops.id), ops);
    assert.deepEqual(await findRoles(db, ['ops', ops.id, 'none']), [ops]);
    assert.deepEqual(await listUnknownRoles(db, ['ops', 'none']), ['none']);
    assert.deepEqual(await listRoles(db), [ops]);
    const after = await updateRole(db, ops, { ...ops, name: 'New', baseRole: 'reader', category: 'any' });
    assert.deepEqual(
      [after.name, after.baseRole, after.category, after.version],
      ['New', 'reader', 'any', 2],
    );
    await assert.rejects(updateRole(db, ops, ops), { kind: 'conflict' });
    await assert.rejects(insertRole(db, { key: 'ops', name: '', policy }, NOW), { kind: 'conflict' });
  });

  test("a role's key cannot be another's id, as both name it", async () => {
    await assert.rejects(insertRole(db, { key: ops.id, name: 'Twin', policy }, NOW), { kind: 'invalid' });
  });

  test('holders of a role are counted, by id and by key', async () => {
    await join('cyd', ['ops']);
    await join('dee', ['ops_x', 'xops']);
    await insertTestTeam(db, 'core', { roleIds: [ops.id] }, NOW);
    const token = { memberId: ada.id, isService: false, name: '', description: '' };
    await insertToken(db, { ...token, customRoles: [ops.id] }, newSecret('api-'), NOW);
    assert.deepEqual((await countHolders(db, [ops])).get(ops.id), { members: 1, teams: 1, tokens: 1 });
    assert.equal((await countHolders(db, [])).size, 0);
  });

  test('a deleted role is removed from all holders, so that a later one with its key has none', async () => {
    const cyd = await join('cyd', ['dev', 'ops']);
    const teamId = await insertTestTeam(db, 'core', { roleIds: [ops.id] }, NOW);
    const usual = { memberId: ada.id, isService: false, name: '', description: '' };
    const only = await insertToken(db, { ...usual, customRoles: [ops.id] }, newSecret('api-'), NOW);
    const both = await insertToken(db, { ...usual, customRoles: ['ops', 'dev'] }, newSecret('api-'), NOW);
    await deleteRole(db, ops);
    await insertRole(db, { key: 'ops', name: 'Other', policy }, NOW);
    assert.deepEqual((await findMember(db, { id: cyd.id }))?.customRoles, ['dev']);
    assert.deepEqual(await listTeamRoles(db, [teamId]), []);
    const [one, two] = [await findToken(db, only.id), await findToken(db, both.id)];
    assert.deepEqual([one?.customRoles, one?.role], [[], 'no_access'], 'and not a reader by default');
    assert.deepEqual([two?.customRoles, two?.role], [['dev'], undefined]);
  });
});

onEngine('postgres', (testEngine) => {
  let engine: Engine;
  let [gone, kept]: Role[] = [];
  let member: Member;

  before(async () => {
    engine = await testEngine.open(identityMigrations);
  });
  beforeEach(async () => {
    const { db } = engine;
    await db.deleteFrom('members').execute();
    await db.deleteFrom('reserved_names').execute();
    await db.deleteFrom('roles').execute();
    gone = await insertRole(db, { key: 'gone', name: 'Gone', policy: [] }, NOW);
    kept = await insertRole(db, { key: 'kept', name: 'Kept', policy: [] }, NOW);
    const person = { username: 'ann', email: 'ann@example.com', role: 'reader' as const };
    member = await insertMember(db, { ...person, customRoles: [gone.key] }, null, NOW);
  });

  const rolesOf = async ({ id }: Member) => (await findMember(engine.db, { id }))?.customRoles;
  const giveRoles = (tx: Db, { id }: Member, keys: string[]) =>
    tx
      .updateTable('members')
      .set({ custom_roles: JSON.stringify(keys) })
      .where('id', '=', id)
      .execute();
  const remove = () =>
    engine.db.transaction().execute(async (tx) => {
      await lockRole(tx, gone!);
      await deleteRole(tx, gone!);
    });

  test('the deletion of a role does not undo a concurrent grant of another role', async () => {
    let removing: Promise<void> | undefined;
    await engine.db.transaction().execute(async (tx) => {
      await giveRoles(tx, member, [gone!.key, kept!.key]);
      removing = remove();
      await waitForLockWaiters(tx, engine.db);
    });
    await removing;
    assert.deepEqual(await rolesOf(member), ['kept']);
  });

  test('a deleted role is not held by the member who was granted it last', async () => {
    const person = { username: 'bob', email: 'bob@example.com', role: 'reader' as const };
    const other = await insertMember(engine.db, person, null, NOW);
    let giving: Promise<void> | undefined;
    await engine.db.transaction().execute(async (tx) => {
      await lockRole(tx, gone!);
      await deleteRole(tx, gone!);
      giving = engine.db.transaction().execute(async (late) => {
        await shareLockRoles(late, [gone!]);
        await giveRoles(late, other, [gone!.key]);
      });
      giving.catch(() => {});
      await waitForLockWaiters(tx, engine.db);
    });
    await assert.rejects(giving!, { kind: 'conflict' });
    assert.deepEqual(await rolesOf(other), []);
  });
});
