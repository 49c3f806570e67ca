// The query plans for finding storages: each uses an index, for any number of rows.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import { systemActor } from '../../kernel/identity/actor.ts';
import { Changes } from '../../kernel/change/changes.ts';
import { eventMigrations } from '../../kernel/change/store.ts';
import { identityMigrations } from '../../kernel/identity/tables.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import { storageMigrations } from '../migrations/storages.ts';
import { userMigrations } from '../migrations/users.ts';
import { insertStorage, findNextOwner, findStorage, isNameTaken, listStorages, listUnused } from './store.ts';
import { transferStorages } from './store-transfers.ts';

const NOW = 1_800_000_000_000;

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.open([
      ...identityMigrations,
      ...eventMigrations,
      ...storageMigrations,
      ...userMigrations,
    ]);
    const { db } = engine;
    for (let at = 0; at < 2000; at += 1) {
      const named = at % 2 === 0 ? { name: `Storage-${at}` } : {};
      await insertStorage(db, { kind: 'dataset', userId: `user-${at % 20}`, ...named }, NOW + at);
    }
    const seen = recordStatements(engine);
    const storage = await findStorage(db, 'dataset', { name: 'storage-20' }, 'user-0');
    assert.equal(storage?.name, 'Storage-20');
    await findStorage(db, 'dataset', { id: storage.id }, undefined);
    assert.equal(await isNameTaken(db, storage, 'STORAGE-40'), true);
    assert.equal(await isNameTaken(db, storage, 'STORAGE-20'), false);
    const slice = { offset: 0, limit: 10 };
    for (const withUnnamed of [true, false]) {
      await listStorages(db, { kind: 'dataset', userId: 'user-0', withUnnamed }, slice, true);
    }
    await listUnused(db, 'user-0', NOW, 10);
    await findNextOwner(db, 'user-0');
    await insertStorage(db, { kind: 'dataset', userId: 'user-1', name: 'storage-20' }, NOW);
    const account = (id: string) => ({ id, username: id }) as Parameters<typeof transferStorages>[1];
    await new Changes(engine, []).run(systemActor({ now: NOW }), (tx) =>
      transferStorages(tx, account('user-1'), account('user-0')),
    );
    statements = [...seen.values()].filter(({ sql: text }) => text.includes('"storages"'));
    await sql.raw('analyze').execute(db);
  });

  test('every statement about storages goes by an index', async () => {
    await assertPlans(engine, statements, { atLeast: 8 });
  });
});
