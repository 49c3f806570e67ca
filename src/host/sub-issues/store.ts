// Sub-issues in the database: the parent stands in the issue's row, with its place among the others.
import { sql } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import { awaitAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Issue } from '../issues/issue.ts';
import { issueFrom } from '../issues/store.ts';
import { visibleTo, type Viewer } from '../repositories/store-visibility.ts';

/**
 * Until the transaction ends, no other changes parents or dependencies. Two that each see no circle could make one together,
 * across any number of repositories, so that locks on rows would have to cover whole trees. Before rows of issues are locked.
 */
export async function lockIssueLinks(tx: Db): Promise<void> {
  await lockName(tx, 'host-issue-links');
}

export interface IssuePage {
  items: Issue[];
  total: number;
}

/** In their order, without those of repositories that the viewer does not see. */
export async function listSubIssues(
  db: Db,
  parent: Pick<Issue, 'id' | 'repositoryNumber'>,
  viewer: Viewer,
  { offset, limit }: Slice,
): Promise<IssuePage> {
  const seen = db
    .selectFrom('issues')
    .innerJoin('repositories', 'repositories.number', 'issues.repository_number')
    .where('issues.parent_id', '=', parent.id)
    .where(sql<boolean>`(issues.repository_number = ${parent.repositoryNumber} or (${visibleTo(viewer)}))`);
  const [rows, { total }] = await awaitAll([
    seen
      .selectAll('issues')
      .orderBy('issues.parent_position')
      .orderBy('issues.id')
      .offset(offset)
      .limit(limit)
      .execute(),
    seen.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { items: rows.map(issueFrom), total };
}

/** The issue itself, its parent, and so on: a root has one. */
export async function listWithParents(db: Db, id: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive line (id, level) as (
      select cast(${id} as bigint), 1
      union all
      select issues.parent_id, line.level + 1 from issues join line on line.id = issues.id
      where issues.parent_id is not null)
    select id from line order by level`.execute(db);
  return rows.map((row) => row.id);
}

/** How many levels there are from the issue down to the deepest below it: 1 where it has no sub-issues. */
export async function countLevels(db: Db, id: number): Promise<number> {
  const { rows } = await sql<{ levels: number }>`
    with recursive tree (id, level) as (
      select cast(${id} as bigint), 1
      union all
      select issues.id, tree.level + 1 from issues join tree on issues.parent_id = tree.id)
    select max(level) as levels from tree`.execute(db);
  return rows[0]!.levels;
}

/** The ids of the sub-issues, in their order. */
export async function listSubIssueIds(db: Db, parentId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('issues')
    .select('id')
    .where('parent_id', '=', parentId)
    .orderBy('parent_position')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** The last of the parent's, or of none. */
export async function updateParent(tx: Db, id: number, parentId: number | null): Promise<void> {
  const last = tx
    .selectFrom('issues')
    .select(({ fn }) => fn.coalesce(fn.max('parent_position'), sql<number>`0`).as('last'))
    .where('parent_id', '=', parentId);
  const position = parentId === null ? null : (await last.executeTakeFirstOrThrow()).last + 1;
  await tx
    .updateTable('issues')
    .set({ parent_id: parentId, parent_position: position })
    .where('id', '=', id)
    .execute();
}

/** All of a parent's sub-issues, in their new order. */
export async function updatePositions(tx: Db, ids: readonly number[]): Promise<void> {
  const positions = ids.map((id, index) => sql`when ${id} then ${sql.lit(index + 1)}`);
  await sql`update issues set parent_position = case id ${sql.join(positions, sql` `)} end
    where id in (${sql.join(ids)})`.execute(tx);
}
