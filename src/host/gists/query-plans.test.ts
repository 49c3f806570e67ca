// The query plans for gists: each uses an index, for any number of gists.
import { before, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, fillTables, recordStatements } from '../../../test/query-plans.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import {
  countGistsOf,
  deleteGistRow,
  findForkOf,
  findGist,
  findGistByNumber,
  insertGist,
  isGistDeleted,
  listSomeGistNumbersOf,
  lockGist,
  markGistDeleted,
  publishGist,
  shareLockGistOwner,
  updateGist,
  updateGistOwner,
  gistRemovalStatement,
} from './store.ts';
import { listForksOfGist, listGistsOf, listPublicGists, listStarredGists } from './store-lists.ts';
import {
  deleteRevisions,
  findRevision,
  insertRevisions,
  listNewestRevisions,
  listRevisionAuthors,
  listGistRevisions,
} from './store-revisions.ts';
import { deleteGistStar, gistStarRemovalStatements, hasGistStar, insertGistStar } from './store-stars.ts';

const NOW = 1_800_000_000_000;
const ROWS = 3000;
const SLICE = { offset: 0, limit: 10 };
const WHOLE_TABLE = /(?:SCAN|Seq Scan on) (?:gists|gist_revisions|gist_stars)\b(?! USING)/;
const ID = '1'.padStart(32, '0');

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    await fillTables(engine, ROWS, insertRows);
    const seen = recordStatements(engine);
    for (const since of [undefined, NOW + 10]) {
      const listing = { ...SLICE, since };
      await listPublicGists(db, listing);
      for (const isPublicOnly of [true, false]) await listGistsOf(db, 'account-1', { isPublicOnly }, listing);
      await listStarredGists(db, 'account-1', 3000, listing);
    }
    for (const isPublic of [true, false])
      await listForksOfGist(db, { number: 1, isPublic }, 'account-1', SLICE);
    await listSomeGistNumbersOf(db, 'account-1', 20);
    await findGist(db, ID);
    await findGistByNumber(db, 1);
    await findForkOf(db, 1, 'account-1');
    await isGistDeleted(db, 1);
    await countGistsOf(db, 'account-1');
    await listRevisionAuthors(db, 1);
    await findRevision(db, 1, 'sha');
    await listGistRevisions(db, 1, { to: 5, limit: 10 });
    await listNewestRevisions(db, [1, 2, 3], 10);
    await hasGistStar(db, 'account-1', 1);
    await db.transaction().execute(async (tx) => {
      const fields = {
        id: 'f'.repeat(32),
        ownerId: 'new',
        description: null,
        isPublic: true,
        parentNumber: 1,
      };
      const number = await insertGist(tx, fields, NOW);
      const state = { head: 'x', files: [], revisionCount: 1 };
      await publishGist(tx, number, state);
      const revision = { sha: 's', authorId: null, committedAt: NOW, additions: 0, deletions: 0 };
      await insertRevisions(tx, number, 1, [revision]);
      await lockGist(tx, number);
      await shareLockGistOwner(tx, 'account-1');
      await executeAll(tx, [gistRemovalStatement(tx, 'account-1', NOW)]);
      await updateGist(tx, number, { state, description: 'x' }, NOW);
      await insertGistStar(tx, 'new', number, NOW);
      await deleteGistStar(tx, 'new', number);
      await deleteRevisions(tx, number);
      await executeAll(tx, gistStarRemovalStatements(tx, 'account-2'));
      await updateGistOwner(tx, 'new', 'heir');
      await markGistDeleted(tx, number, NOW);
      await deleteGistRow(tx, number);
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
          id: String(at).padStart(32, '0'),
          owner_id: `account-${at % 300}`,
          description: null,
          is_public: at % 2,
          parent_number: at > 1000 ? (at % 1000) + 1 : null,
          comment_count: 0,
          star_count: 1,
          fork_count: 0,
          files: '[]',
          head: 'x',
          revision_count: 1,
          created_at: NOW + at,
          updated_at: NOW + at,
          deleted_at: null,
        })),
      )
      .execute();
    await tx
      .insertInto('gist_revisions')
      .values(
        rows.map((at) => ({
          gist_number: at + 1,
          position: 1,
          sha: `sha-${at}`,
          author_id: null,
          committed_at: NOW,
          additions: 1,
          deletions: 0,
        })),
      )
      .execute();
    await tx
      .insertInto('gist_stars')
      .values(rows.map((at) => ({ account_id: `account-${at % 300}`, gist_number: at + 1, created_at: NOW })))
      .execute();
  }

  test('every statement about gists goes by an index', async () => {
    await assertPlans(engine, statements, { atLeast: 25, scan: WHOLE_TABLE, hasFewRows: true });
  });
});
