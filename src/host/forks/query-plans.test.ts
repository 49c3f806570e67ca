// The query plans for forks, upkeep and statuses of commits: each uses an index, for any number of rows.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, fillTables, recordStatements } from '../../../test/query-plans.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import { isPushed, listCheckedRepositories } from '../maintenance/store.ts';
import { listFormerNames } from '../repositories/store-redirects.ts';
import { addToForkCount, listRepositoriesByNumber, markRepositoryDeleted } from '../repositories/store.ts';
import { listWithheld, orphanWithheldForks } from '../repositories/store-visibility.ts';
import { insertStatus, listNewestStatuses, listStatuses } from '../statuses/store.ts';
import { findInFamily, listForks } from './store.ts';

const NOW = 1_800_000_000_000;
const ROWS = 3000;
const SLICE = { offset: 0, limit: 10 };
const TARGET = { repository: 7, sha: 'sha-7' };

/** The tables of organizations are empty here. */
const WHOLE_TABLE = /(?:SCAN|Seq Scan on) (?:repositories|commit_statuses|collaborators)\b(?! USING)/;

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    await fillTables(engine, ROWS, insertRows);
    const seen = recordStatements(engine);
    for (const viewer of ['all', 'public', { accountId: 'account-1' }] as const) {
      for (const sort of ['newest', 'oldest', 'stargazers', 'watchers'] as const)
        await listForks(db, 1, viewer, sort, SLICE);
    }
    await listForks(db, 1, { accountId: 'account-1' }, 'newest', SLICE, true);
    const forks = await listRepositoriesByNumber(db, [150, 151, 152]);
    assert.equal((await listWithheld(db, [...forks.values()])).size, 3);
    await db.transaction().execute((tx) => orphanWithheldForks(tx, 51));
    await findInFamily(db, 'owner-1', 1);
    await isPushed(db, 7);
    await listFormerNames(db, 7);
    await listCheckedRepositories(db, 100, 10);
    await listStatuses(db, TARGET, SLICE);
    await listNewestStatuses(db, TARGET, SLICE);
    const status = { context: 'ci', state: 'success', description: null, targetUrl: null } as const;
    await db.transaction().execute(async (tx) => {
      await insertStatus(tx, TARGET, { ...status, creatorId: 'account-1' }, NOW);
      await addToForkCount(tx, 1, 1);
      await markRepositoryDeleted(tx, 900, NOW);
    });
    statements = [...seen.values()].filter(({ sql: text }) =>
      /^\s*(select|insert|update|delete)/i.test(text),
    );
  });

  async function insertRows(tx: Engine['db'], rows: readonly number[]): Promise<void> {
    await insertRepositoryRows(tx, rows, NOW, (at) => {
      const origin = at < 100 ? null : (at % 100) + 1;
      const binding = origin === null ? null : ('fork' as const);
      return { parent_number: origin, source_number: origin, is_private: 1, binding };
    });
    await tx
      .insertInto('collaborators')
      .values(
        rows.map((at) => ({
          account_id: `account-${at % 1000}`,
          repository_number: at + 1,
          role: 'read',
          created_at: NOW,
        })),
      )
      .execute();
    await tx
      .insertInto('commit_statuses')
      .values(
        rows.map((at) => ({
          repository_number: (at % 100) + 1,
          sha: `sha-${at % 300}`,
          context: `context-${at % 7}`,
          state: 'success',
          description: null,
          target_url: null,
          creator_id: 'account-1',
          created_at: NOW,
        })),
      )
      .execute();
  }

  test('no statement reads a whole table', async () => {
    await assertPlans(engine, statements, { atLeast: 16, scan: WHOLE_TABLE });
  });
});
