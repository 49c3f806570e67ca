// The query plans for labels: each uses an index, for any number of rows.
import { testPlans } from '../../../test/query-plans.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { withLabel } from '../issues/lists/facets.ts';
import { issueRow } from '../issues/fixture.ts';
import { deleteSomeFacets } from '../issues/lists/store-facets.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import {
  deleteLabel,
  deleteSomeLabelLinks,
  insertLabels,
  listLabels,
  listLabelsByName,
  listLabelsOf,
  listMilestoneLabels,
  lockLabel,
  replaceIssueLabels,
  shareLockLabels,
  updateLabel,
  updateMilestoneOfLabels,
} from './store.ts';

const NOW = 1_800_000_000_000;
const ROWS = 3000;
const FIELDS = { name: 'new', color: 'ff0000', description: null };

testPlans('every statement about labels goes by an index', {
  rows: ROWS,
  insertRows,
  execute: executeAllStatements,
  atLeast: 13,
  scan: /(?:SCAN|Seq Scan on) (?:labels|issue_labels|issue_facets|issues)\b(?! USING)/,
});

async function executeAllStatements(db: Db): Promise<void> {
  await listLabels(db, 1, { offset: 10, limit: 10 });
  await listLabelsOf(db, [1, 2, 3]);
  await listLabelsByName(db, 1, ['a', 'b']);
  await listMilestoneLabels(db, 1);
  await db.transaction().execute(async (tx) => {
    await shareLockLabels(tx, 1, ['a', 'b']);
    await lockLabel(tx, 1, 'a');
    const [label] = await insertLabels(tx, 1, [FIELDS]);
    await updateLabel(tx, label!.id, { ...FIELDS, name: 'newer' });
    const issue = { id: 1, milestoneId: null };
    await replaceIssueLabels(tx, issue, { added: [label!], removed: [] });
    await replaceIssueLabels(tx, issue, { added: [], removed: [label!] });
    await updateMilestoneOfLabels(tx, [1, 2], null);
    await deleteLabel(tx, label!.id);
    await deleteSomeLabelLinks(tx, 7, 500);
    await deleteSomeFacets(tx, withLabel(7), 500);
  });
}

async function insertRows(tx: Db, rows: readonly number[]): Promise<void> {
  await insertRepositoryRows(tx, rows, NOW);
  await tx
    .insertInto('labels')
    .values(
      rows.map((at) => ({
        repository_number: at + 1,
        name: `label ${at}`,
        folded_name: `label ${at}`,
        color: 'ff0000',
        description: null,
        is_default: 0,
      })),
    )
    .execute();
  const times = { created_at: NOW, updated_at: NOW, comment_count: 0 };
  await tx
    .insertInto('issues')
    .values(rows.map((at) => issueRow({ repository_number: at + 1, number: 1, milestone_id: at + 1 })))
    .execute();
  await tx
    .insertInto('issue_labels')
    .values(rows.map((at) => ({ issue_id: at + 1, label_id: (at % 100) + 1, milestone_id: at + 1 })))
    .execute();
  await tx
    .insertInto('issue_facets')
    .values(
      rows.map((at) => ({
        ...times,
        issue_id: at + 1,
        facet: withLabel((at % 100) + 1),
        repository_number: at + 1,
        state: 'open',
      })),
    )
    .execute();
}
