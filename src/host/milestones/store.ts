// Milestones in the database. The counts of their issues change in the transactions that change the issues.
import { sql, type Selectable } from 'kysely';
import type { IssueState } from '../issues/issue.ts';
import type { MilestoneRow } from '../issues/tables.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Milestone } from './model.ts';

/** By id; those that are gone are missing. */
export async function listMilestonesById(db: Db, ids: readonly number[]): Promise<Map<number, Milestone>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('milestones')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [row.id, milestoneFrom(row)]));
}

export function milestoneFrom(row: Selectable<MilestoneRow>): Milestone {
  return {
    id: row.id,
    repositoryNumber: row.repository_number,
    number: row.number,
    title: row.title,
    description: row.description,
    state: row.state as IssueState,
    creator: { id: row.creator_id, name: row.creator_name },
    dueOn: row.due_on,
    openIssueCount: row.open_issue_count,
    closedIssueCount: row.closed_issue_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    closedAt: row.closed_at,
  };
}

/** The caller has locked the repository. `completeness` follows, for lists that are sorted by it. */
export async function addToMilestone(
  tx: Db,
  id: number,
  { open, closed }: { open: number; closed: number },
): Promise<void> {
  const total = sql<number>`(open_issue_count + closed_issue_count + ${open + closed})`;
  await tx
    .updateTable('milestones')
    .set((eb) => ({
      open_issue_count: eb('open_issue_count', '+', open),
      closed_issue_count: eb('closed_issue_count', '+', closed),
      completeness: sql<number>`case when ${total} = 0 then 0
        else (closed_issue_count + ${closed}) * 100 / ${total} end`,
    }))
    .where('id', '=', id)
    .execute();
}
