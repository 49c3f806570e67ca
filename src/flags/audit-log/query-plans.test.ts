// Query plans of audit-log searches: an index for each filter, and no sorting.
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import { eventMigrations, updateEntryOwner } from '../../kernel/change/store.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { countEntries, findEntry, searchEntries, type AuditLogSearch } from './store.ts';

const ROWS = 20_000;
const MINUTE = 60_000;
const idOf = (row: number) => '0'.repeat(15) + String(100_000_000 + row);

onEachEngine((testEngine) => {
  let engine: Engine;
  const numbers =
    testEngine.kind === 'sqlite'
      ? `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${ROWS}) select i from n`
      : `select generate_series(1, ${ROWS}) as i`;

  before(async () => {
    engine = await testEngine.open(eventMigrations);
    await sql
      .raw(
        `insert into events (id, at, action, resource, kind, name, words)
         select '${'0'.repeat(15)}' || (100000000 + i), i * ${MINUTE}, 'updateOn',
           'proj/p' || (i % 20) || ':env/test:flag/f' || (i % 1000), 'flag', 'Flag ' || i,
           'flag f' || (i % 1000) || ' ada example com turned on'
         from (${numbers}) n`,
      )
      .execute(engine.db);
  });

  const searches: Record<string, AuditLogSearch> = {
    nothing: {},
    'a time before': { before: 500 * MINUTE },
    'a time after': { after: 19_000 * MINUTE },
    'both times': { after: 100 * MINUTE, before: 200 * MINUTE },
    'the entry before': { behind: idOf(500) },
    'the entry after': { ahead: idOf(500) },
    'the old end': { isFromOldest: true },
    'the old end of a time': { isFromOldest: true, after: 19_000 * MINUTE },
    'words from the old end': { isFromOldest: true, words: 'ada f77' },
    'words after an entry': { ahead: idOf(500), words: 'f77' },
    'one resource from the old end': { isFromOldest: true, resource: 'proj/p7:env/test:flag/f7' },
    'few resources from the old end': { isFromOldest: true, resource: 'proj/p7:env/test:flag/f7*' },
    words: { words: 'ada f77' },
    'words and a time': { words: 'f77', before: 5000 * MINUTE },
    'one resource': { resource: 'proj/p7:env/test:flag/f7' },
    'few resources': { resource: 'proj/p7:env/test:flag/f7*' },
    'many resources': { resource: 'proj/*:env/test:flag/f7' },
  };

  async function statementsOf(work: () => Promise<unknown>): Promise<CompiledQuery[]> {
    const seen = recordStatements(engine);
    await work();
    return [...seen.values()];
  }

  /** The full-text index of SQLite is a virtual table, whose matches are scanned. */
  const scan = /SCAN (?!events_words VIRTUAL TABLE INDEX|found\b|\(subquery)(?!.*USING)|TEMP B-TREE|Seq Scan/;
  const check = (statements: CompiledQuery[]) => assertPlans(engine, statements, { atLeast: 1, scan });

  for (const state of ['unknown', 'known']) {
    for (const [name, search] of Object.entries(searches)) {
      test(`a search by ${name} goes by an index while the sizes are ${state}`, async () => {
        if (state === 'known') await sql.raw('analyze').execute(engine.db);
        await check(await statementsOf(() => searchEntries(engine, search, () => true, 20)));
      });
    }
  }

  test('an entry is found, and entries are counted, by an index', async () => {
    const span = { after: 0, before: 100 * MINUTE, bucketIntervalMs: MINUTE };
    await check(await statementsOf(() => findEntry(engine.db, '0'.repeat(24))));
    await check(await statementsOf(() => countEntries(engine.db, span, () => true)));
  });

  test('entries are given to another owner by an index', async () => {
    for (const owned of [{ ownerId: 'ada' }, { subject: 'repository/7' }])
      await check(await statementsOf(() => updateEntryOwner(engine.db, owned, 'bob')));
  });
});
