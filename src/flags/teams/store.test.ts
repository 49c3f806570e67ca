// Teams, on both engines: stored fields, members, roles and grants.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import {
  listMemberGrants,
  listMemberTeams,
  listTeamRoles,
} from '../../kernel/identity/store-member-teams.ts';
import { insertMember, type Member } from '../../kernel/identity/store-members.ts';
import { insertRole, type Role } from '../../kernel/identity/store-roles.ts';
import { identityMigrations } from '../../kernel/identity/tables.ts';
import type { WholeTeam } from './model.ts';
import {
  countTeamMembers,
  deleteTeam,
  findTeam,
  insertTeam,
  listTeams,
  lockTeam,
  updateTeam,
} from './store.ts';

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

  function join(username: string) {
    return insertMember(db, { username, email: `${username}@example.com`, role: 'reader' }, null, NOW);
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
});
