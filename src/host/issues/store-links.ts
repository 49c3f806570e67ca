// What issues are linked with, in the database: assignees, sub-issues, dependencies and pull requests.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import { visibleTo, type Viewer } from '../repositories/store-visibility.ts';
import type { ShownIssue } from './model.ts';

/** By issue, in the order in which they were assigned. */
export async function listAssigneeIds(db: Db, issueIds: readonly number[]): Promise<Map<number, string[]>> {
  const assignees = new Map<number, string[]>();
  if (issueIds.length === 0) return assignees;
  const rows = await db
    .selectFrom('issue_assignees')
    .select(['issue_id', 'account_id'])
    .where('issue_id', 'in', issueIds)
    .orderBy('issue_id')
    .orderBy('position')
    .execute();
  for (const { issue_id: id, account_id: account } of rows) {
    const own = assignees.get(id);
    if (own === undefined) assignees.set(id, [account]);
    else own.push(account);
  }
  return assignees;
}

type IssueLinks = Pick<ShownIssue, 'subIssues'> & ShownIssue['dependencies'];

const NO_LINKS: IssueLinks = {
  subIssues: { total: 0, completed: 0 },
  blockedBy: 0,
  blocking: 0,
  totalBlockedBy: 0,
  totalBlocking: 0,
};

interface LinkCount {
  id: number;
  kind: 'sub' | 'blocked_by' | 'blocking';
  total: number;
  open: number;
}

/**
 * How many sub-issues, blockers and blocked issues each has. Few have any, so one statement reads all three. Those of other
 * repositories count for viewers who see them.
 */
export async function listIssueLinks(
  db: Db,
  ids: readonly number[],
  viewer: Viewer,
): Promise<(id: number) => IssueLinks> {
  const open = sql<number>`sum(case when linked.state = 'open' then 1 else 0 end)`;
  const seen = sql`(linked.repository_number = asked.repository_number or exists (
    select 1 from repositories
    where repositories.number = linked.repository_number and ${visibleTo(viewer)}))`;
  const areAsked = sql`asked.id in (${sql.join(ids)})`;
  const { rows } = await sql<LinkCount>`
    select asked.id, 'sub' as kind, count(*) as total, ${open} as open from issues as asked
    join issues as linked on linked.parent_id = asked.id
    where ${areAsked} and ${seen} group by asked.id
    union all
    select asked.id, 'blocked_by', count(*), ${open} from issues as asked
    join issue_dependencies on issue_dependencies.issue_id = asked.id
    join issues as linked on linked.id = issue_dependencies.blocker_id
    where ${areAsked} and ${seen} group by asked.id
    union all
    select asked.id, 'blocking', count(*), ${open} from issues as asked
    join issue_dependencies on issue_dependencies.blocker_id = asked.id
    join issues as linked on linked.id = issue_dependencies.issue_id
    where ${areAsked} and ${seen} group by asked.id`.execute(db);
  const links = new Map<number, IssueLinks>();
  for (const { id, kind, total, open: stillOpen } of rows) {
    const own = links.get(id) ?? { ...NO_LINKS };
    if (kind === 'sub') own.subIssues = { total, completed: total - stillOpen };
    if (kind === 'blocked_by') Object.assign(own, { blockedBy: stillOpen, totalBlockedBy: total });
    if (kind === 'blocking') Object.assign(own, { blocking: stillOpen, totalBlocking: total });
    links.set(id, own);
  }
  return (id) => links.get(id) ?? NO_LINKS;
}

/** The caller has locked the issue. */
export async function replaceAssignees(
  tx: Db,
  issueId: number,
  { assigneeIds, removed }: { assigneeIds: readonly string[]; removed: readonly string[] },
): Promise<void> {
  if (removed.length > 0)
    await tx
      .deleteFrom('issue_assignees')
      .where('issue_id', '=', issueId)
      .where('account_id', 'in', removed)
      .execute();
  if (assigneeIds.length > 0)
    await tx
      .insertInto('issue_assignees')
      .values(assigneeIds.map((id, position) => ({ issue_id: issueId, account_id: id, position })))
      .onConflict((conflict) =>
        conflict
          .columns(['issue_id', 'account_id'])
          .doUpdateSet((eb) => ({ position: eb.ref('excluded.position') })),
      )
      .execute();
}
