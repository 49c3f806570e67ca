// Teams and custom roles, on both engines: stored fields, members, and the effects of deletion.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Engine } from '../storage/engine.ts';
import type { Db } from '../storage/tables.ts';
import { insertMember, findMember, type Member } from './store-members.ts';
import {
  countHolders,
  insertRole,
  deleteRole,
  findRole,
  findRoles,
  listRoles,
  listUnknownRoles,
  updateRole,
  type Role,
} from './store-roles.ts';
import { newSecret } from '../secrets/secret.ts';
import { identityMigrations } from './tables.ts';
import {
  countTeamMembers,
  insertTeam,
  deleteTeam,
  findTeam,
  listMemberTeams,
  listTeamRoles,
  listTeams,
  lockTeam,
  updateTeam,
  type WholeTeam,
} from './store-teams.ts';
import { listMemberGrants } from './store-team-grants.ts';
import { insertToken, findToken } from './store-tokens.ts';

const NOW = 1_800_000_000_000;
const policy = [{ effect: 'allow' as const, actions: ['*'], resources: ['proj/*'] }];

onEachEngine((testEngine) => {
  let engine: Engine;
  let db: Db;
  let ada: Member;
  let bob: Member;
  let ops: Role;
  before(async () => {
    engine = await testEngine.open(identityMigrations);
    ({ db } = engine);
  });
  beforeEach(async () => {
    for (const table of ['members', 'roles', 'teams', 'reserved_names'] as const)
      await db.deleteFrom(table).execute();
    ada = await join('ada');
    bob = await join('bob');
    ops = await insertRole(db, { key: 'ops', name: 'Ops', policy }, NOW);
  });

  function join(username: string, customRoles: string[] = []) {
    const email = `${username}@example.com`;
    return insertMember(db, { username, email, role: 'reader', customRoles }, null, NOW);
  }

  const empty = { name: 'Team', description: '', roleAttributes: {}, memberIds: [], roleIds: [], grants: [] };
  async function make(key: string, team: Partial<WholeTeam> = {}): Promise<WholeTeam> {
    await insertTeam(db, { ...empty, key, ...team }, NOW);
    return open(key);
  }
  async function open(key: string): Promise<WholeTeam> {
    return db.transaction().execute(async (tx) => (await lockTeam(tx, key))!);
  }

  test('a team is stored with all its parts', async () => {
    const grants = [
      { memberId: ada.id, actions: 'maintainTeam' },
      { memberId: bob.id, actions: ['updateTeamName', 'viewTeam'] },
    ];
    const parts = { memberIds: [ada.id], roleIds: [ops.id], grants, roleAttributes: { a: ['x'] } };
    const team = await make('core', parts);
    const { memberIds, roleIds, grants: kept, roleAttributes, version } = team;
    assert.deepEqual(
      { memberIds, roleIds, roleAttributes, version },
      { memberIds: [ada.id], roleIds: [ops.id], roleAttributes: { a: ['x'] }, version: 1 },
    );
    assert.deepEqual(new Set(kept), new Set(grants));
    assert.equal(await insertTeam(db, { ...empty, key: 'core' }, NOW), undefined, 'the key is taken');
    assert.equal((await findTeam(db, 'core'))?.name, 'Team');
    assert.equal(await findTeam(db, 'other'), undefined);
  });

  test('a change inserts and deletes only the differences', async () => {
    const team = await make('core', { memberIds: [ada.id], roleIds: [ops.id] });
    const dev = await insertRole(db, { key: 'dev', name: 'Dev', policy }, NOW);
    const grants = [{ memberId: bob.id, actions: 'maintainTeam' }];
    const wanted = { ...team, name: 'New', memberIds: [bob.id], roleIds: [ops.id, dev.id], grants };
    await updateTeam(db, team, wanted, NOW + 5);
    const after = await open('core');
    assert.deepEqual(
      [after.name, after.memberIds, after.grants, after.version, after.updatedAt],
      ['New', [bob.id], grants, 2, NOW + 5],
    );
    const applied = await listTeamRoles(db, [team.id]);
    assert.deepEqual(
      applied.map(({ key, appliedAt }) => [key, appliedAt]),
      [
        ['ops', NOW],
        ['dev', NOW + 5],
      ],
    );
    await updateTeam(db, after, { ...after, grants: [], roleIds: [] }, NOW);
    assert.deepEqual([(await open('core')).grants, (await open('core')).roleIds], [[], []]);
    await assert.rejects(updateTeam(db, after, after, NOW), { kind: 'conflict' });
  });

  test('the teams of a member are listed, and their grants on teams', async () => {
    const grants = [{ memberId: ada.id, actions: 'maintainTeam' }];
    const team = await make('core', { memberIds: [ada.id, bob.id], grants });
    const teams = await listMemberTeams(db, [ada.id, bob.id]);
    assert.deepEqual(new Set(teams.map(({ memberId }) => memberId)), new Set([ada.id, bob.id]));
    assert.deepEqual(await listMemberGrants(db, ada.id), [
      { memberId: ada.id, teamId: team.id, teamKey: 'core', actions: 'maintainTeam' },
    ]);
    assert.equal((await countTeamMembers(db, [team.id])).get(team.id), 2);
    assert.deepEqual(await listMemberTeams(db, []), []);
    assert.ok(await deleteTeam(db, team));
    assert.deepEqual([await listMemberTeams(db, [ada.id]), await listMemberGrants(db, ada.id)], [[], []]);
  });

  test('teams are found by part of key or name, and by having no members', async () => {
    await make('core', { name: 'Heart', memberIds: [ada.id] });
    await make('rim', { name: '100%_Sure' });
    const keys = async (filter: Parameters<typeof listTeams>[1]) =>
      (await listTeams(db, filter)).map(({ key }) => key);
    assert.deepEqual(await keys({}), ['core', 'rim']);
    assert.deepEqual(await keys({ query: 'HEAR' }), ['core']);
    assert.deepEqual(await keys({ query: '%_s' }), ['rim'], 'signs of patterns are only signs');
    assert.deepEqual(await keys({ query: 'a\0' }), []);
    assert.deepEqual(await keys({ hasNoMembers: true }), ['rim']);
    assert.deepEqual(await keys({ hasNoMembers: false }), ['core']);
  });

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
    await make('core', { roleIds: [ops.id] });
    const token = { memberId: ada.id, isService: false, name: '', description: '' };
    await insertToken(db, { ...token, customRoles: [ops.id] }, newSecret('api-'), NOW);
    assert.deepEqual((await countHolders(db, [ops])).get(ops.id), { members: 1, teams: 1, tokens: 1 });
    assert.equal((await countHolders(db, [])).size, 0);
  });

  test('a deleted role is removed from all holders, so that a later one with its key has none', async () => {
    const cyd = await join('cyd', ['dev', 'ops']);
    const team = await make('core', { roleIds: [ops.id] });
    const usual = { memberId: ada.id, isService: false, name: '', description: '' };
    const only = await insertToken(db, { ...usual, customRoles: [ops.id] }, newSecret('api-'), NOW);
    const both = await insertToken(db, { ...usual, customRoles: ['ops', 'dev'] }, newSecret('api-'), NOW);
    await deleteRole(db, ops);
    await insertRole(db, { key: 'ops', name: 'Other', policy }, NOW);
    assert.deepEqual((await findMember(db, { id: cyd.id }))?.customRoles, ['dev']);
    assert.deepEqual(await listTeamRoles(db, [team.id]), []);
    const [one, two] = [await findToken(db, only.id), await findToken(db, both.id)];
    assert.deepEqual([one?.customRoles, one?.role], [[], 'no_access'], 'and not a reader by default');
    assert.deepEqual([two?.customRoles, two?.role], [['dev'], undefined]);
  });
});
