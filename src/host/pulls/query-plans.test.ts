// The query plans for pull requests: each uses an index, for any number of rows.
import { before, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, fillTables, recordStatements } from '../../../test/query-plans.ts';
import { hasWorkBelow, listWorkBelow } from '../../kernel/jobs/due-store.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { issueEventRow, issueRow } from '../issues/fixture.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import { hasIssueEvent } from '../timeline/store.ts';
import { listSomeHeads, updateHeadOwner } from './store-heads.ts';
import {
  deleteMergeCheck,
  findNextMergeCheck,
  hasMergeCheck,
  insertMergeCheck,
} from './merge-checks/store-merge-checks.ts';
import {
  findMergedBase,
  findOpenPull,
  findPull,
  forgetMergeability,
  hasCommit,
  isKeyOpen,
  isPullOpen,
  listClosedPullsFrom,
  listFollowedBranches,
  listPullIdsOfCommit,
  listPullsFrom,
  listPullsInto,
  listReviewRequests,
  updateOpenKey,
  updatePull,
} from './store.ts';

const NOW = 1_800_000_000_000;
const ROWS = 3000;
const WHOLE_TABLE =
  /(?:SCAN|Seq Scan on) (?:pulls|merge_checks|issue_events|issue_facets|requested_reviewers)\b(?! USING)/;

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    await fillTables(engine, ROWS, insertRows);
    const seen = recordStatements(engine);
    const pull = (await findPull(db, 1))!;
    await findOpenPull(db, 2);
    await hasMergeCheck(db, 1);
    await findNextMergeCheck(db, 7);
    await isPullOpen(db, 1);
    await hasWorkBelow(db, 'host.follow-push:7:');
    await listWorkBelow(db, 'host.follow-push:7:', 1000);
    await isKeyOpen(db, 'x');
    await listFollowedBranches(db, 7, ['main', 'feature-7']);
    await listPullsFrom(db, 7, 'feature-7');
    await listPullsInto(db, 7, 'main');
    await listClosedPullsFrom(db, 7, 'feature-7', 'head-7');
    await findMergedBase(db, 7, 'feature-7', 'head-7');
    await listPullIdsOfCommit(db, 7, 'head-7', { offset: 0, limit: 10 });
    await hasCommit(db, pull, 'head-7');
    await listReviewRequests(db, [1, 2]);
    await hasIssueEvent(db, 1, 'head_ref_deleted');
    const heads = await listSomeHeads(db, 7, undefined);
    await db.transaction().execute(async (tx) => {
      await updatePull(tx, pull, { baseRef: 'release' });
      await updateOpenKey(tx, pull, false);
      await forgetMergeability(tx, 7, ['main']);
      await updateHeadOwner(tx, 7, heads);
      await insertMergeCheck(tx, pull, NOW);
      await deleteMergeCheck(tx, 1);
    });
    statements = [...seen.values()].filter(({ sql: text }) =>
      /^\s*(select|insert|update|delete)/i.test(text),
    );
  });

  async function insertRows(tx: Engine['db'], rows: readonly number[]): Promise<void> {
    await insertRepositoryRows(tx, rows, NOW, () => ({}));
    await tx
      .insertInto('issues')
      .values(
        rows.map((at) =>
          issueRow({ id: at + 1, repository_number: (at % 100) + 1, number: at + 1, is_pull: 1 }),
        ),
      )
      .execute();
    await tx
      .insertInto('pulls')
      .values(
        rows.map((at) => ({
          issue_id: at + 1,
          repository_number: (at % 100) + 1,
          number: at + 1,
          base_ref: 'main',
          base_sha: 'base',
          head_repository_number: (at % 100) + 1,
          head_owner_id: 'ada',
          head_ref: `feature-${at}`,
          head_sha: `head-${at}`,
          is_draft: 0,
          may_maintainer_modify: 0,
          mergeable: null,
          rebaseable: null,
          checked_base: null,
          test_merge_sha: null,
          merged_at: null,
          merged_by_id: null,
          merge_commit_sha: at % 2 === 0 ? `merge-${at}` : null,
          commit_count: 1,
          additions: 1,
          deletions: 1,
          changed_files: 1,
          review_comment_count: 0,
          open_key: at % 2 === 0 ? null : `key-${at}`,
        })),
      )
      .execute();
    const waiting = (at: number) => ({
      issue_id: at + 1,
      repository_number: (at % 100) + 1,
      asked_at: NOW + at,
    });
    await tx.insertInto('merge_checks').values(rows.map(waiting)).execute();
    await tx
      .insertInto('issue_events')
      .values(
        rows.map((at) =>
          issueEventRow({
            issue_id: at + 1,
            repository_number: (at % 100) + 1,
            event: at % 2 === 0 ? 'committed' : 'closed',
            commit_id: `head-${at}`,
          }),
        ),
      )
      .execute();
  }

  test('every statement about pull requests goes by an index', async () => {
    await assertPlans(engine, statements, { atLeast: 17, scan: WHOLE_TABLE, hasFewRows: true });
  });
});
