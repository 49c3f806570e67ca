// The query plans for rendered texts and references: each uses an index, for any number of rows.
import { testPlans } from '../../../test/query-plans.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { issueEventRow, issueRow } from '../issues/fixture.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import { listReaders } from '../repositories/store-visibility.ts';
import {
  insertCommitReference,
  listCrossReferenced,
  listIdsByLogin,
  listIssuesByNumber,
  listPresentFacets,
} from './store-references.ts';
import {
  deleteRenderedTextsBefore,
  insertRenderedText,
  listRenderedTexts,
  updateRenderedTextUse,
} from './store-rendered.ts';

const NOW = 1_800_000_000_000;
const ROWS = 3000;
/** A scan of what a recursion or subquery has produced is no scan of a table. */
const WHOLE_TABLE =
  /(?:SCAN|Seq Scan on) (?:rendered_texts|commit_references|issues|issue_events|issue_facets|repositories|collaborators|organization_members|organization_team_members|team_repositories)\b(?! USING)/;

testPlans('every statement about texts goes by an index', {
  rows: ROWS,
  insertRows,
  execute: executeAllStatements,
  atLeast: 10,
  scan: WHOLE_TABLE,
});

async function executeAllStatements(db: Db): Promise<void> {
  await listRenderedTexts(db, ['key-1', 'key-2']);
  await updateRenderedTextUse(db, ['key-1'], NOW);
  await insertRenderedText(db, { key: 'new', html: '<p>x</p>', usedAt: NOW });
  await deleteRenderedTextsBefore(db, NOW, 10);
  await listIssuesByNumber(db, 1, [1, 2]);
  await listIdsByLogin(db, ['ada', 'ben']);
  await listPresentFacets(db, 1, ['mention/ada']);
  await listCrossReferenced(db, 1, [1, 2]);
  await insertCommitReference(db, 1, 'b'.repeat(40));
  const repository = (await findRepositoryByNumber(db, 2))!;
  await listReaders(db, repository, ['ada', 'ben']);
}

async function insertRows(tx: Db, indexes: readonly number[]): Promise<void> {
  await insertRepositoryRows(tx, indexes, NOW);
  await tx
    .insertInto('rendered_texts')
    .values(indexes.map((at) => ({ key: `key-${at}`, html: '<p>x</p>', used_at: NOW + at })))
    .execute();
  const issues = await tx
    .insertInto('issues')
    .values(indexes.map((at) => issueRow({ repository_number: 1 + (at % 10), number: 1 + at })))
    .returning('id')
    .execute();
  const common = { repository_number: 1, created_at: NOW };
  await tx
    .insertInto('issue_facets')
    .values(
      issues.map(({ id }) => ({
        ...common,
        issue_id: id,
        facet: `mention/${id % 10}`,
        state: 'open',
        updated_at: NOW,
        comment_count: 0,
      })),
    )
    .execute();
  await tx
    .insertInto('issue_events')
    .values(
      issues.map(({ id }) =>
        issueEventRow({ ...common, issue_id: id, event: 'cross-referenced', subject_id: id % 100 }),
      ),
    )
    .execute();
  await tx
    .insertInto('commit_references')
    .values(issues.map(({ id }) => ({ issue_id: id, commit_id: 'a'.repeat(40) })))
    .execute();
}
