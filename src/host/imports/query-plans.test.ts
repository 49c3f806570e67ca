// The query plans of imports: each uses an index, for any number of rows.
import { before, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, fillTables, recordStatements } from '../../../test/query-plans.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import {
  countImported,
  findIssueImport,
  listImported,
  lockIssuesByNumber,
  listMilestoneIds,
  updateIssueImport,
  updateReplies,
} from './store.ts';

const NOW = 1_800_000_000_000;
const ROWS = 3000;
const WHOLE_TABLE =
  /(?:SCAN|Seq Scan on) (?:imported_items|repository_imports|issues|milestones|review_comments)\b(?! USING)/;

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    await fillTables(engine, ROWS, async (tx, indexes) => {
      await insertRepositoryRows(tx, indexes, NOW);
      await tx
        .insertInto('repository_imports')
        .values(
          indexes.map((index) => ({
            repository_number: index + 1,
            source: 'https://code.example.org/a',
            begun_at: NOW,
            active_at: NOW,
            finished_at: null,
          })),
        )
        .execute();
      await tx
        .insertInto('imported_items')
        .values(
          indexes.map((index) => ({
            repository_number: index + 1,
            kind: 'issue',
            source_id: index + 1,
            id: index + 1,
            updated_at: NOW,
          })),
        )
        .execute();
    });
    const seen = recordStatements(engine);
    await findIssueImport(db, 7);
    await countImported(db, 7);
    await listImported(db, 7, 'issue', [7, 8]);
    await listMilestoneIds(db, 7, [1, 2]);
    await db.transaction().execute(async (tx) => {
      await updateIssueImport(tx, 7, { active_at: NOW });
      await lockIssuesByNumber(tx, 7, [1, 2]);
      await updateReplies(tx, 7, 7);
    });
    statements = [...seen.values()];
  });

  test('every statement about imports goes by an index', async () => {
    await assertPlans(engine, statements, { atLeast: 7, scan: WHOLE_TABLE, hasFewRows: true });
  });
});
