// The index of the search: what is there when it is created, what changes later, and what another transaction still does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onEachEngine } from './engines.ts';
import { migrations } from '../src/app/apis.ts';
import type { Engine } from '../src/kernel/storage/engine.ts';
import { migrate } from '../src/kernel/storage/migrate.ts';
import { searchMigrations } from '../src/signalbox/migrations/search.ts';
import { SEARCH_SOURCES } from '../src/signalbox/search/sources.ts';
import { hasUnindexed, indexChanges, listUnindexed } from '../src/signalbox/search/store.ts';

const names = new Set(searchMigrations.map(({ name }) => name));

async function insertTeam({ db }: Engine, key: string): Promise<void> {
  await sql`insert into teams (id, key, name, description, role_attributes, version, created_at, updated_at)
    values (${key}, ${key}, ${`Team ${key}`}, '', '{}', 1, 1, 1)`.execute(db);
}

async function wordsOfTeams({ db }: Engine): Promise<string[]> {
  const rows = await db
    .selectFrom('search_entries')
    .select('words')
    .where('source', '=', 'team')
    .orderBy('id')
    .execute();
  // Without marks, and without what stands for whole names.
  return rows.map(({ words }) =>
    words.replaceAll(/\S[\u{e000}-\u{e0ff}]\S* ?/gu, '').replaceAll(/[\u{e100}-\u{e1ff}]/gu, ''),
  );
}

onEachEngine((testEngine) => {
  test('what an earlier release has stored is indexed after the upgrade', async () => {
    const engine = await testEngine.open(migrations.filter(({ name }) => !names.has(name)));
    await insertTeam(engine, 'old');
    await sql`insert into storages (id, kind, user_id, name, general_access, secret, created_at, modified_at, accessed_at)
      values ('a', 'dataset', 'u', 'named', 'RESTRICTED', '', 1, 1, 1), ('b', 'dataset', 'u', null, 'RESTRICTED', '', 1, 1, 1)`.execute(
      engine.db,
    );
    await migrate(engine, migrations, 1);
    assert.deepEqual((await listUnindexed(engine.db, 100)).get('storage'), ['a'], 'those with a name');
    await indexChanges(engine.db, SEARCH_SOURCES, 100);
    assert.deepEqual(await wordsOfTeams(engine), ['team old']);
    assert.equal(await hasUnindexed(engine.db), false);
  });

  test('every change is recorded, whatever makes it, and one that is rolled back is not', async () => {
    const engine = await testEngine.openMigrated();
    const { db } = engine;
    const index = () => indexChanges(db, SEARCH_SOURCES, 100);
    while ((await index()) > 0);
    await insertTeam(engine, 'one');
    await insertTeam(engine, 'two');
    assert.equal(await index(), 2);
    assert.deepEqual(await wordsOfTeams(engine), ['team one', 'team two']);
    await sql`update teams set updated_at = 2, name = name`.execute(db);
    assert.equal(await index(), 0, 'no name has changed');
    await sql`update teams set name = 'Crew' where key = 'two'`.execute(db);
    await sql`delete from teams where key = 'one'`.execute(db);
    const failing = db.transaction().execute(async (tx) => {
      await sql`update teams set name = 'Never'`.execute(tx);
      throw new Error('roll back');
    });
    await assert.rejects(failing, /roll back/);
    assert.deepEqual([...(await listUnindexed(db, 100))], [['team', ['one', 'two']]]);
    assert.equal(await index(), 2);
    assert.deepEqual(await wordsOfTeams(engine), ['crew two']);
  });

  test('nodes that index at the same time leave the newest words', async () => {
    const engine = await testEngine.openMigrated();
    const { db } = engine;
    await insertTeam(engine, 'busy');
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([
        sql`update teams set name = ${`Round ${round}`}`.execute(db),
        indexChanges(db, SEARCH_SOURCES, 100),
        indexChanges(db, SEARCH_SOURCES, 100),
      ]);
    }
    while ((await indexChanges(db, SEARCH_SOURCES, 100)) > 0);
    assert.deepEqual(await wordsOfTeams(engine), ['round 9 busy']);
  });
});
