// Dependencies in the database: which issues block which.
import { sql } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Issue } from '../issues/issue.ts';
import { issueFrom } from '../issues/store.ts';
import { visibleTo, type Viewer } from '../repositories/store-visibility.ts';
import type { IssuePage } from './store.ts';

/** `blocked_by`: those that block the issue; `blocking`: those that it blocks. */
export type DependencyDirection = 'blocked_by' | 'blocking';

const COLUMNS = {
  blocked_by: { own: 'issue_dependencies.issue_id', other: 'issue_dependencies.blocker_id' },
  blocking: { own: 'issue_dependencies.blocker_id', other: 'issue_dependencies.issue_id' },
} as const;

/** By their ids, without those of repositories that the viewer does not see. */
export async function listDependencies(
  db: Db,
  issue: Pick<Issue, 'id' | 'repositoryNumber'>,
  { direction, viewer }: { direction: DependencyDirection; viewer: Viewer },
  { offset, limit }: Slice,
): Promise<IssuePage> {
  const { own, other } = COLUMNS[direction];
  const seen = db
    .selectFrom('issue_dependencies')
    .innerJoin('issues', 'issues.id', other)
    .innerJoin('repositories', 'repositories.number', 'issues.repository_number')
    .where(own, '=', issue.id)
    .where(sql<boolean>`(issues.repository_number = ${issue.repositoryNumber} or (${visibleTo(viewer)}))`);
  const [rows, { total }] = await Promise.all([
    seen.selectAll('issues').orderBy(other).offset(offset).limit(limit).execute(),
    seen.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { items: rows.map(issueFrom), total };
}

export async function countDependencies(db: Db, id: number, direction: DependencyDirection): Promise<number> {
  const { total } = await db
    .selectFrom('issue_dependencies')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where(COLUMNS[direction].own, '=', id)
    .executeTakeFirstOrThrow();
  return total;
}

/** What the issue waits for, directly or through others, without itself unless it waits for itself; at most `limit`. */
export async function listBlockers(db: Db, id: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive waiting (id) as (
      select blocker_id from issue_dependencies where issue_id = ${id}
      union
      select blocker_id from issue_dependencies join waiting on waiting.id = issue_dependencies.issue_id)
    select id from waiting limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}

/** False where it is there already. */
export async function insertDependency(
  tx: Db,
  { issueId, blockerId, now }: { issueId: number; blockerId: number; now: number },
): Promise<boolean> {
  const row = await tx
    .insertInto('issue_dependencies')
    .values({ issue_id: issueId, blocker_id: blockerId, created_at: now })
    .onConflict((conflict) => conflict.columns(['issue_id', 'blocker_id']).doNothing())
    .returning('issue_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** False where there was none. */
export async function deleteDependency(tx: Db, issueId: number, blockerId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('issue_dependencies')
    .where('issue_id', '=', issueId)
    .where('blocker_id', '=', blockerId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
