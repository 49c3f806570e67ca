// The query plans for sub-issues and dependencies: each goes by an index, for any number of issues.
import { testPlans } from '../../../test/query-plans.ts';
import { insertOneIssueEach } from '../issues/fixture.ts';
import { listIssueLinks } from '../issues/store-links.ts';
import {
  countDependencies,
  deleteDependency,
  insertDependency,
  listBlockers,
  listDependencies,
} from './store-dependencies.ts';
import {
  countLevels,
  listSubIssueIds,
  listSubIssues,
  listWithParents,
  lockIssueLinks,
  updateParent,
  updatePositions,
} from './store.ts';

const NOW = 1_800_000_000_000;
const SLICE = { offset: 0, limit: 10 };
const ISSUE = { id: 1, repositoryNumber: 1 };

testPlans('every statement about links between issues goes by an index', {
  rows: 3000,
  atLeast: 25,
  scan: /(?:SCAN|Seq Scan on) (?:issues|issue_dependencies|repositories|asked|linked)\b/,
  /** Ten are sub-issues of the one before them, and each blocks the next. */
  async insertRows(tx, rows) {
    await insertOneIssueEach(tx, rows, (at) =>
      at % 11 === 0 ? {} : { parent_id: at - (at % 11) + 1, parent_position: at % 11 },
    );
    const others = rows.filter((at) => at > 0);
    await tx
      .insertInto('issue_dependencies')
      .values(others.map((at) => ({ issue_id: at + 1, blocker_id: at, created_at: NOW })))
      .execute();
  },
  async execute(db) {
    for (const viewer of ['all', 'public', { accountId: 'account-1' }] as const) {
      await listSubIssues(db, ISSUE, viewer, SLICE);
      await listIssueLinks(db, [1, 2, 3], viewer);
      for (const direction of ['blocked_by', 'blocking'] as const)
        await listDependencies(db, ISSUE, { direction, viewer }, SLICE);
    }
    await listWithParents(db, 5);
    await countLevels(db, 1);
    await listSubIssueIds(db, 1);
    await listBlockers(db, 5, 10);
    for (const direction of ['blocked_by', 'blocking'] as const) await countDependencies(db, 1, direction);
    await db.transaction().execute(async (tx) => {
      await lockIssueLinks(tx);
      await updateParent(tx, 2, null);
      await updateParent(tx, 2, 1);
      await updatePositions(tx, [2, 3, 4]);
      await insertDependency(tx, { issueId: 9, blockerId: 2, now: NOW });
      await deleteDependency(tx, 9, 2);
    });
  },
});
