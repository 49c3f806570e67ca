// The query plans of the store: each uses an index, for any number of Actors.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import type { Engine } from '../../kernel/storage/engine.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import { DEFAULT_RUN_OPTIONS } from '../actors/model.ts';
import { insertActor, type ActorFields } from '../actors/store.ts';
import { STORE_SORTS } from './model.ts';
import { saveStoreEntriesOf, saveStoreEntry } from './store-entries.ts';
import { listStore } from './store-list.ts';

const NOW = 1_800_000_000_000;
const fieldsOf = (name: string): ActorFields => ({
  name,
  title: null,
  description: null,
  isPublic: true,
  permissionLevel: 'FULL_PERMISSIONS',
  runOptions: DEFAULT_RUN_OPTIONS,
  details: { categories: ['TOOLS'] },
});

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: Map<string, CompiledQuery>;
  before(async () => {
    engine = await testEngine.openMigrated();
    statements = recordStatements(engine);
    const { db } = engine;
    const actor = await insertActor(db, 'someone', fieldsOf('first'), NOW);
    await saveStoreEntry(db, actor);
    await saveStoreEntry(db, { ...actor, title: 'Other' });
    await saveStoreEntry(db, { ...actor, isPublic: false });
    await saveStoreEntriesOf(db, 'someone');
    const slice = { offset: 0, limit: 10 };
    for (const sortBy of STORE_SORTS) await listStore(engine, {}, sortBy, slice);
    await listStore(engine, { search: 'fir', category: 'TOOLS', userId: 'someone' }, 'relevance', slice);
    await listStore(engine, { category: 'TOOLS' }, 'newest', slice);
    await listStore(engine, { userId: 'someone' }, 'newest', slice);
  });

  test('no statement reads a whole table', async () => {
    const some = [...statements.values()].filter(({ sql: text }) => /^(select|update|delete)/.test(text));
    await assertPlans(engine, some, {
      atLeast: 10,
      scan: /SCAN (?!.*USING|.*VIRTUAL|found|constant)|Seq Scan/,
      hasFewRows: true,
      check(plan, text) {
        // The orders of the whole store come from indexes.
        if (/order by "(total_runs|created_at|modified_at)"/.test(text))
          assert.doesNotMatch(plan, /TEMP B-TREE|Sort/, `${text}\n${plan}`);
      },
    });
  });
});
