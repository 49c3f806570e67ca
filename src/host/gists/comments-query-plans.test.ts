// The query plans for comments on gists and for writes that go on: each uses an index, for any number of rows.
import { before, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, fillTables, recordStatements } from '../../../test/query-plans.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { isGistWritten, listCheckedGists } from '../maintenance/store.ts';
import {
  deleteGistComment,
  findGistComment,
  insertGistComment,
  listGistComments,
  updateGistComment,
} from './comments-store.ts';

const NOW = 1_800_000_000_000;
const ROWS = 3000;
const WHOLE_TABLE = /(?:SCAN|Seq Scan on) (?:gist_comments|gists|due)\b(?! USING)/;

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    await fillTables(engine, ROWS, insertRows);
    const seen = recordStatements(engine);
    await listGistComments(db, 1, { offset: 10, limit: 10 });
    await findGistComment(db, 1, 1);
    await isGistWritten(db, 1);
    await listCheckedGists(db, 1000, 10);
    await db.transaction().execute(async (tx) => {
      await updateGistComment(tx, 1, 'x', NOW);
      await insertGistComment(tx, { gistNumber: 1, authorId: 'account-1', body: 'x' }, NOW);
      await deleteGistComment(tx, { gistNumber: 1, number: 1 });
    });
    statements = [...seen.values()].filter(({ sql: text }) =>
      /^\s*(select|insert|update|delete)/i.test(text),
    );
  });

  async function insertRows(tx: Engine['db'], rows: readonly number[]): Promise<void> {
    await tx
      .insertInto('gists')
      .values(
        rows.map((at) => ({
          id: `gist-${at}`,
          owner_id: `account-${at % 1000}`,
          description: null,
          is_public: 1,
          parent_number: null,
          comment_count: 1,
          star_count: 0,
          fork_count: 0,
          files: '[]',
          head: 'x',
          revision_count: 1,
          created_at: NOW,
          updated_at: NOW + at,
          deleted_at: null,
        })),
      )
      .execute();
    const times = { created_at: NOW, updated_at: NOW };
    await tx
      .insertInto('gist_comments')
      .values(rows.map((at) => ({ gist_number: at + 1, author_id: 'account-1', body: 'x', ...times })))
      .execute();
    await tx
      .insertInto('due')
      .values(
        rows.map((at) => ({
          id: `host.record-gist:${at}:x`,
          kind: 'none',
          payload: '{}',
          due_at: NOW,
          owner: null,
          attempts: 0,
          last_error: null,
          created_at: NOW,
        })),
      )
      .execute();
  }

  test('every statement about comments on gists goes by an index', async () => {
    await assertPlans(engine, statements, { atLeast: 7, scan: WHOLE_TABLE, hasFewRows: true });
  });
});
