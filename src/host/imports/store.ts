// Imports in the database: which are under way, what came from where, and rows with the numbers and times that they had there.
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Issue } from '../issues/issue.ts';
import { issueFrom } from '../issues/store.ts';
import type { Milestone } from '../milestones/model.ts';
import type { ReviewCommentRow, ReviewRow } from '../pulls/tables.ts';
import type { ImportedKind } from './model.ts';
import type { RepositoryImportRow } from './tables.ts';

/** Threads are known by the ids that their first comments have at the source. */
type ItemKind = ImportedKind | 'thread';

export async function findIssueImport(db: Db, number: number): Promise<RepositoryImportRow | undefined> {
  return await db
    .selectFrom('repository_imports')
    .selectAll()
    .where('repository_number', '=', number)
    .executeTakeFirst();
}

/** The caller has locked the repository. */
export async function insertIssueImport(tx: Db, number: number, source: string, now: number): Promise<void> {
  await tx
    .insertInto('repository_imports')
    .values({ repository_number: number, source, begun_at: now, active_at: now, finished_at: null })
    .execute();
}

export async function updateIssueImport(
  tx: Db,
  number: number,
  update: Partial<Pick<RepositoryImportRow, 'active_at' | 'finished_at'>>,
): Promise<void> {
  await tx.updateTable('repository_imports').set(update).where('repository_number', '=', number).execute();
}

/** One that nobody has gone on with for so long is given up. */
const GIVEN_UP_MS = 24 * 3600 * 1000;

/** Whether what is pushed now is history that was written elsewhere. */
export async function isBeingImported(db: Db, number: number, now: number): Promise<boolean> {
  const row = await findIssueImport(db, number);
  return row !== undefined && row.finished_at === null && row.active_at > now - GIVEN_UP_MS;
}

export interface ImportedCount {
  kind: string;
  count: number;
  updatedAt: number;
}

export async function countImported(db: Db, number: number): Promise<ImportedCount[]> {
  return await db
    .selectFrom('imported_items')
    .select(({ fn }) => ['kind', fn.countAll<number>().as('count'), fn.max('updated_at').as('updatedAt')])
    .where('repository_number', '=', number)
    .groupBy('kind')
    .execute();
}

/** The ids here, by those at the source. */
export async function listImported(
  db: Db,
  number: number,
  kind: ItemKind,
  sourceIds: readonly number[],
): Promise<Map<number, number>> {
  const ids = new Map<number, number>();
  for (const some of chunk([...new Set(sourceIds)])) {
    const rows = await db
      .selectFrom('imported_items')
      .select(['source_id', 'id'])
      .where('repository_number', '=', number)
      .where('kind', '=', kind)
      .where('source_id', 'in', some)
      .execute();
    for (const { source_id: sourceId, id } of rows) ids.set(sourceId, id);
  }
  return ids;
}

export interface ImportedItem {
  sourceId: number;
  id: number;
  updatedAt: number;
}

export async function insertImported(
  tx: Db,
  number: number,
  kind: ItemKind,
  items: readonly ImportedItem[],
): Promise<void> {
  for (const some of chunk(items))
    await tx
      .insertInto('imported_items')
      .values(
        some.map(({ sourceId, id, updatedAt }) => ({
          repository_number: number,
          kind,
          source_id: sourceId,
          id,
          updated_at: updatedAt,
        })),
      )
      .execute();
}

/** By number. The caller has locked the repository, and locks what it changes. */
export async function lockIssuesByNumber(
  db: Db,
  repositoryNumber: number,
  numbers: readonly number[],
): Promise<Map<number, Issue>> {
  const found = new Map<number, Issue>();
  for (const some of chunk([...new Set(numbers)])) {
    const rows = await db
      .selectFrom('issues')
      .selectAll()
      .where('repository_number', '=', repositoryNumber)
      .where('number', 'in', some)
      .orderBy('id')
      .forUpdate()
      .execute();
    for (const row of rows) found.set(row.number, issueFrom(row));
  }
  return found;
}

/** The ids of milestones by their numbers. */
export async function listMilestoneIds(
  db: Db,
  repositoryNumber: number,
  numbers: readonly number[],
): Promise<Map<number, number>> {
  const ids = new Map<number, number>();
  for (const some of chunk([...new Set(numbers)])) {
    const rows = await db
      .selectFrom('milestones')
      .select(['number', 'id'])
      .where('repository_number', '=', repositoryNumber)
      .where('number', 'in', some)
      .execute();
    for (const { number, id } of rows) ids.set(number, id);
  }
  return ids;
}

/** With its number, which the next milestone comes after. The caller has locked the repository. */
export async function insertNumberedMilestone(
  tx: Db,
  milestone: Omit<Milestone, 'id' | 'openIssueCount' | 'closedIssueCount'>,
): Promise<number | undefined> {
  const { repositoryNumber, number } = milestone;
  await tx
    .updateTable('repositories')
    .set({ last_milestone_number: number })
    .where('number', '=', repositoryNumber)
    .where('last_milestone_number', '<', number)
    .execute();
  const row = await tx
    .insertInto('milestones')
    .values({
      repository_number: repositoryNumber,
      number,
      title: milestone.title,
      description: milestone.description,
      state: milestone.state,
      creator_id: milestone.creator.id,
      creator_name: milestone.creator.name,
      due_on: milestone.dueOn,
      open_issue_count: 0,
      closed_issue_count: 0,
      completeness: 0,
      created_at: milestone.createdAt,
      updated_at: milestone.updatedAt,
      closed_at: milestone.closedAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

export async function insertReviewRow(tx: Db, row: Omit<ReviewRow, 'id'>): Promise<number> {
  const { id } = await tx.insertInto('reviews').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function insertThread(tx: Db, issueId: number): Promise<number> {
  const { id } = await tx
    .insertInto('review_threads')
    .values({ issue_id: issueId, is_resolved: 0, resolved_by_id: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function insertReviewCommentRow(tx: Db, row: Omit<ReviewCommentRow, 'id'>): Promise<number> {
  const { id } = await tx.insertInto('review_comments').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Replies that came before the comment which they reply to. */
export async function updateReplies(tx: Db, threadId: number, rootId: number): Promise<void> {
  await tx
    .updateTable('review_comments')
    .set({ in_reply_to: rootId })
    .where('thread_id', '=', threadId)
    .where('id', '<>', rootId)
    .where('in_reply_to', 'is', null)
    .execute();
}
