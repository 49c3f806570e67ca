// The count of what pushes bring: it never passes its limit, also when several count at the same time.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import { addInflatedBytes, findInflatedBytes, replaceInflatedBytes } from './store-inflated.ts';

const GIBIBYTE = 1024 ** 3;

onEachEngine((engine) => {
  let db: Db;
  before(async () => {
    ({ db } = await engine.openMigrated());
    await insertRepositoryRows(db, [1], 0);
  });

  test('counts up to the limit, and is replaced only where nothing was counted since', async () => {
    const { number } = await db.selectFrom('repositories').select('number').executeTakeFirstOrThrow();
    const row = { table: 'repositories', number } as const;
    const add = () => addInflatedBytes(db, row, 10 * GIBIBYTE, 64 * GIBIBYTE);
    const added = await Promise.all(Array.from({ length: 8 }, add));
    assert.equal(added.filter(Boolean).length, 6);
    assert.equal(await findInflatedBytes(db, row), 60 * GIBIBYTE);
    assert.equal(await replaceInflatedBytes(db, row, 50 * GIBIBYTE, 0), false);
    assert.equal(await replaceInflatedBytes(db, row, 60 * GIBIBYTE, 1), true);
    assert.equal(await add(), true);
    assert.equal(await findInflatedBytes(db, row), 10 * GIBIBYTE + 1);
  });

  test('is absent where there is no row', async () => {
    const row = { table: 'gists', number: 999 } as const;
    assert.equal(await findInflatedBytes(db, row), undefined);
    assert.equal(await addInflatedBytes(db, row, 1, 10), false);
  });
});
