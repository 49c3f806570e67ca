// A role that is deleted while somebody is being given it, or something else, by another transaction.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { onEngine } from '../../../test/engines.ts';
import { eventually } from '../../../test/eventually.ts';
import type { Engine } from '../storage/engine.ts';
import { createMember } from './store-members.ts';
import { createRole, deleteRole, holdRoles, lockRole, type Role } from './store-roles.ts';
import { findListed, updateListed, type Listed } from './store-roster.ts';
import { identityMigrations } from './tables.ts';

const NOW = 1_800_000_000_000;

onEngine('postgres', (testEngine) => {
  let engine: Engine;
  let [gone, kept]: Role[] = [];
  let member: Listed;

  before(async () => {
    engine = await testEngine.open(identityMigrations);
  });
  beforeEach(async () => {
    const { db } = engine;
    await db.deleteFrom('members').execute();
    await db.deleteFrom('roles').execute();
    gone = await createRole(db, { key: 'gone', name: 'Gone', policy: [] }, NOW);
    kept = await createRole(db, { key: 'kept', name: 'Kept', policy: [] }, NOW);
    const person = { username: 'ann', email: 'ann@example.com', role: 'reader' as const };
    const { id } = await createMember(db, { ...person, customRoles: [gone.key] }, null, NOW);
    [member] = (await findListed(db, [id])) as [Listed];
  });

  const someoneWaits = async () => {
    const waiting = sql<{ n: number }>`select count(*)::int as n from pg_locks where not granted`;
    return (await waiting.execute(engine.db)).rows[0]!.n > 0;
  };
  const rolesOf = async ({ id }: Listed) => (await findListed(engine.db, [id]))[0]!.customRoles;
  const remove = () =>
    engine.db.transaction().execute(async (tx) => {
      await lockRole(tx, gone!);
      await deleteRole(tx, gone!);
    });

  test('takes nothing back that the other has just given', async () => {
    let removing: Promise<void> | undefined;
    await engine.db.transaction().execute(async (tx) => {
      await updateListed(tx, member, { ...member, customRoles: [gone!.key, kept!.key] }, NOW);
      removing = remove();
      await eventually(someoneWaits);
    });
    await removing;
    assert.deepEqual(await rolesOf(member), ['kept']);
  });

  test('is not held by whoever was given it last', async () => {
    const [other] = (await findListed(engine.db, [
      (
        await createMember(
          engine.db,
          { username: 'bob', email: 'bob@example.com', role: 'reader' },
          null,
          NOW,
        )
      ).id,
    ])) as [Listed];
    let giving: Promise<void> | undefined;
    await engine.db.transaction().execute(async (tx) => {
      await lockRole(tx, gone!);
      await deleteRole(tx, gone!);
      giving = engine.db.transaction().execute(async (late) => {
        await holdRoles(late, [gone!]);
        await updateListed(late, other, { ...other, customRoles: [gone!.key] }, NOW);
      });
      giving.catch(() => {});
      await eventually(someoneWaits);
    });
    await assert.rejects(giving!, { kind: 'conflict' });
    assert.deepEqual(await rolesOf(other), []);
  });
});
