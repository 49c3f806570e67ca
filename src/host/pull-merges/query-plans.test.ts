// The query plans for merges that have begun: each goes by an index, for any number of them.
import { testPlans } from '../../../test/query-plans.ts';
import { listFollowedBranches } from '../pulls/store.ts';
import { insertReviewRows } from '../reviews/fixture.ts';
import {
  deleteMergeIntent,
  deleteMergeIntentsOf,
  insertMergeIntent,
  listMergeIntentsInto,
  listMergeIntentsOf,
} from './store.ts';

const NOW = 1_800_000_000_000;

testPlans('every statement about merges that have begun goes by an index', {
  rows: 2000,
  atLeast: 6,
  scan: /(?:SCAN|Seq Scan on) merge_intents\b/,
  async insertRows(tx, rows) {
    await insertReviewRows(tx, rows, NOW);
    await tx
      .insertInto('merge_intents')
      .values(
        rows.map((at) => ({
          issue_id: at + 1,
          commit_id: `commit-${at}`,
          repository_number: at + 1,
          base_ref: 'main',
          merged_state: '{}',
          merged_by_id: 'account-1',
          created_at: NOW,
        })),
      )
      .execute();
  },
  async execute(db) {
    await listMergeIntentsInto(db, 7, 'main');
    await listFollowedBranches(db, 7, ['main', 'release']);
    const [intent] = await listMergeIntentsOf(db, 1);
    await db.transaction().execute(async (tx) => {
      await insertMergeIntent(tx, { ...intent!, state: { ...intent!.state, baseRef: 'main' } });
      await deleteMergeIntent(tx, intent!);
      await deleteMergeIntentsOf(tx, 2);
    });
  },
});
