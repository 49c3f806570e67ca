// The administration of members, on both engines: filters, orders and changes.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { deleteMember, insertMember, type NewMember } from '../../kernel/identity/store-members.ts';
import { reservePaths } from '../../kernel/identity/store-reserved-names.ts';
import { identityMigrations } from '../../kernel/identity/tables.ts';
import { insertTeam } from '../teams/store.ts';
import {
  countMembersWithRole,
  findIdsByEmail,
  listMemberRecords,
  findFreeUsername,
  listMemberIds,
  listMemberIdsExcept,
  lockMemberRecords,
  updateMemberRecord,
  type MemberFilter,
  type MemberOrder,
} from './store.ts';

const NOW = 1_800_000_000_000;

onEachEngine((testEngine) => {
  let engine: Engine;
  let db: Db;
  const ids: Record<string, string> = {};
  before(async () => {
    engine = await testEngine.open(identityMigrations);
    ({ db } = engine);
    await join('olga', { role: 'owner', firstName: 'Olga', lastName: 'Zett' });
    await join('adam', { role: 'admin', firstName: 'adam' });
    await join('wim', { role: 'writer', email: 'Wim@Example.com' });
    await join('rita', { customRoles: ['ops_1'] });
    await join('nils', { role: 'no_access', customRoles: ['opsx1'] });
    const seen = { last_seen_at: NOW, last_seen_token: 't' };
    await db.updateTable('members').set(seen).where('id', '=', ids['wim']!).execute();
    const late = { last_seen_at: NOW + 10 };
    await db.updateTable('members').set(late).where('id', '=', ids['rita']!).execute();
    const parts = { name: 'T', description: '', roleAttributes: {}, roleIds: [], grants: [] };
    await insertTeam(db, { ...parts, key: 'Core', memberIds: [ids['wim']!, ids['rita']!] }, NOW);
  });

  async function join(username: string, member: Partial<NewMember> = {}) {
    const usual = { username, email: `${username}@example.com`, role: 'reader' as const };
    const made = await insertMember(db, { ...usual, ...member }, null, NOW);
    ids[username] = made.id;
    return made;
  }
  const namesOf = (found: string[]) =>
    found.map((id) => Object.keys(ids).find((name) => ids[name] === id)).join(' ');
  const find = async (filter: MemberFilter, order: MemberOrder[] = []) =>
    namesOf(await listMemberIds(db, filter, order));

  test('every condition narrows the list', async () => {
    assert.equal(await find({}), 'olga adam wim rita nils');
    assert.equal(await find({ query: 'ZETT' }), 'olga');
    assert.equal(await find({ query: 'wim@' }), 'wim');
    assert.equal(await find({ query: '%' }), '');
    assert.equal(await find({ query: 'a\0' }), '');
    assert.equal(await find({ roles: ['admin'] }), 'olga adam', 'an owner is an administrator');
    assert.equal(await find({ roles: ['owner'] }), 'olga');
    assert.equal(await find({ roles: ['ops_1'] }), 'rita', 'an underscore stands for itself');
    assert.equal(await find({ roles: ['writer', 'opsx1'] }), 'wim nils');
    assert.equal(await find({ roles: [] }), '');
    assert.equal(await find({ ids: [ids['rita']!, ids['olga']!] }), 'olga rita');
    assert.equal(await find({ ids: [] }), '');
    assert.equal(await find({ emails: ['WIM@example.com', 'none@x'] }), 'wim');
    assert.equal(await find({ teamKey: 'core' }), 'wim rita');
    assert.equal(await find({ teamKey: 'none' }), '');
    assert.equal(await find({ hasNoTeam: true }), 'olga adam nils');
    assert.equal(await find({ hasNoTeam: false }), 'wim rita');
    assert.equal(await find({ lastSeen: 'never' }), 'olga adam nils');
    assert.equal(await find({ lastSeen: { before: NOW + 10 } }), 'olga adam wim nils');
    assert.equal(await find({ teamKey: 'core', roles: ['writer'] }), 'wim');
  });

  test('members that match any condition of an exception are left out', async () => {
    const except = async (filter: MemberFilter) => namesOf(await listMemberIdsExcept(db, filter));
    assert.equal(await except({}), 'olga adam wim rita nils');
    assert.equal(await except({ teamKey: 'core', roles: ['admin'] }), 'nils');
    assert.equal(await except({ ids: [ids['nils']!], lastSeen: 'never' }), 'wim rita');
  });

  test('an order is by the name that is shown, or by when they were seen', async () => {
    assert.equal(await find({}, [{ by: 'displayName', desc: false }]), 'adam nils olga rita wim');
    assert.equal(await find({}, [{ by: 'displayName', desc: true }]), 'wim rita olga nils adam');
    const order: MemberOrder[] = [
      { by: 'lastSeen', desc: true },
      { by: 'displayName', desc: true },
    ];
    assert.equal(await find({}, order), 'rita wim olga nils adam');
  });

  test('they are returned in the requested order, with the fields of administration', async () => {
    const [rita, wim, ...others] = await listMemberRecords(db, [
      ids['rita']!,
      ids['wim']!,
      ids['rita'] + 'x',
    ]);
    assert.deepEqual([rita?.username, wim?.username, others.length], ['rita', 'wim', 0]);
    assert.deepEqual(
      [wim?.lastSeenAt, wim?.lastSeenToken, wim?.version, wim?.roleAttributes],
      [NOW, 't', 1, {}],
    );
    assert.equal((await findIdsByEmail(db, ['WIM@EXAMPLE.COM'])).get('wim@example.com'), ids['wim']);
  });

  test('a change is written unless the member was changed meanwhile', async () => {
    const member = await join('carl');
    const [listed] = await db.transaction().execute((tx) => lockMemberRecords(tx, [member.id]));
    const wanted = { ...listed!, role: 'admin' as const, customRoles: ['a'], roleAttributes: { k: ['v'] } };
    const after = await updateMemberRecord(db, listed!, wanted, NOW + 1);
    assert.deepEqual(
      [after.role, after.customRoles, after.roleAttributes, after.version, after.updatedAt],
      ['admin', ['a'], { k: ['v'] }, 2, NOW + 1],
    );
    await assert.rejects(updateMemberRecord(db, listed!, wanted, NOW), { kind: 'conflict' });
    assert.equal(await countMembersWithRole(db, 'admin'), 2);
  });

  test('a removed member is not listed', async () => {
    const member = await join('gone');
    await deleteMember(db, { ...member, version: 1 }, NOW);
    assert.deepEqual(await listMemberRecords(db, [member.id]), []);
    assert.deepEqual(await listMemberIds(db, { ids: [member.id] }), []);
  });

  test('a username that is taken gets a number', async () => {
    const free = (name: string, taken: string[] = []) => findFreeUsername(db, name, new Set(taken));
    assert.equal(await free('new'), 'new');
    assert.equal(await free('wim'), 'wim-2');
    await reservePaths(db, ['docs']);
    assert.equal(await free('docs'), 'docs-2', 'what a path begins with is taken');
    assert.equal(await free('new', ['new', 'new-2']), 'new-3');
    const long = 'x'.repeat(39);
    await join(long);
    const next = await free(long);
    assert.ok(next.length <= 39 && next.endsWith('-2'));
  });
});
