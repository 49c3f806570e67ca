// A role that is deleted while another transaction grants it.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { onEngine } from '../../../test/engines.ts';
import { eventually } from '../../../test/eventually.ts';
import type { Engine } from '../storage/engine.ts';
import { insertMember } from './store-members.ts';
import { insertRole, deleteRole, shareLockRoles, lockRole, type Role } from './store-roles.ts';
import { listMemberRecords, updateMemberRecord, type MemberRecord } from './store-member-admin.ts';
import { identityMigrations } from './tables.ts';

const NOW = 1_800_000_000_000;

onEngine('postgres', (testEngine) => {
  let engine: Engine;
  let [gone, kept]: Role[] = [];
  let member: MemberRecord;

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
    const { id } = await insertMember(db, { ...person, customRoles: [gone.key] }, null, NOW);
    [member] = (await listMemberRecords(db, [id])) as [MemberRecord];
  });

  const someoneWaits = async () => {
    const waiting = sql<{ n: number }>`select count(*)::int as n from pg_locks where not granted`;
    return (await waiting.execute(engine.db)).rows[0]!.n > 0;
  };
  const rolesOf = async ({ id }: MemberRecord) => (await listMemberRecords(engine.db, [id]))[0]!.customRoles;
  const remove = () =>
    engine.db.transaction().execute(async (tx) => {
      await lockRole(tx, gone!);
      await deleteRole(tx, gone!);
    });

  test('does not undo a concurrent grant of another role', async () => {
    let removing: Promise<void> | undefined;
    await engine.db.transaction().execute(async (tx) => {
      await updateMemberRecord(tx, member, { ...member, customRoles: [gone!.key, kept!.key] }, NOW);
      removing = remove();
      await eventually(someoneWaits);
    });
    await removing;
    assert.deepEqual(await rolesOf(member), ['kept']);
  });

  test('is not held by the member who was granted it last', async () => {
    const [other] = (await listMemberRecords(engine.db, [
      (
        await insertMember(
          engine.db,
          { username: 'bob', email: 'bob@example.com', role: 'reader' },
          null,
          NOW,
        )
      ).id,
    ])) as [MemberRecord];
    let giving: Promise<void> | undefined;
    await engine.db.transaction().execute(async (tx) => {
      await lockRole(tx, gone!);
      await deleteRole(tx, gone!);
      giving = engine.db.transaction().execute(async (late) => {
        await shareLockRoles(late, [gone!]);
        await updateMemberRecord(late, other, { ...other, customRoles: [gone!.key] }, NOW);
      });
      giving.catch(() => {});
      await eventually(someoneWaits);
    });
    await assert.rejects(giving!, { kind: 'conflict' });
    assert.deepEqual(await rolesOf(other), []);
  });
});
