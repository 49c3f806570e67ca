// What issues are linked with, in the database: assignees, sub-issues, dependencies and pull requests.
import { sql, type RawBuilder } from 'kysely';
import { buildForLists } from '../../kernel/storage/build-once.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { visibleTo, type Viewer } from '../repositories/store-visibility.ts';
import type { ShownIssue } from './model.ts';

/** By issue, in the order in which they were assigned. */
export async function listAssigneeIds(db: Db, issueIds: readonly number[]): Promise<Map<number, string[]>> {
  const assignees = new Map<number, string[]>();
  for (const { issue_id: id, account_id: account } of await selectAssignees(db, issueIds)) {
    const own = assignees.get(id);
    if (own === undefined) assignees.set(id, [account]);
    else own.push(account);
  }
  return assignees;
}

const selectAssignees = buildForLists((db, issueIds: readonly number[]) =>
  db
    .selectFrom('issue_assignees')
    .select(['issue_id', 'account_id'])
    .where('issue_id', 'in', issueIds)
    .orderBy('issue_id')
    .orderBy('position'),
);

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
  const links = new Map<number, IssueLinks>();
  for (const { id, kind, total, open } of await countLinks(db, ids, viewer)) {
    const own = links.get(id) ?? { ...NO_LINKS };
    if (kind === 'sub') own.subIssues = { total, completed: total - open };
    if (kind === 'blocked_by') Object.assign(own, { blockedBy: open, totalBlockedBy: total });
    if (kind === 'blocking') Object.assign(own, { blocking: open, totalBlocking: total });
    links.set(id, own);
  }
  return (id) => links.get(id) ?? NO_LINKS;
}

const selectLinks = {
  all: buildForLists((_db, ids: readonly number[]) => linksOf(ids, 'all')),
  public: buildForLists((_db, ids: readonly number[]) => linksOf(ids, 'public')),
  granted: buildForLists((_db, ids: readonly number[], accountId: string) => linksOf(ids, { accountId })),
};

async function countLinks(db: Db, ids: readonly number[], viewer: Viewer): Promise<LinkCount[]> {
  if (typeof viewer === 'string') return await selectLinks[viewer](db, ids);
  if ('accountId' in viewer) return await selectLinks.granted(db, ids, viewer.accountId);
  return (await linksOf(ids, viewer).execute(db)).rows;
}

function linksOf(ids: readonly number[], viewer: Viewer): RawBuilder<LinkCount> {
  const open = sql<number>`sum(case when linked.state = 'open' then 1 else 0 end)`;
  const seen = sql`(linked.repository_number = asked.repository_number or exists (
    select 1 from repositories
    where repositories.number = linked.repository_number and ${visibleTo(viewer)}))`;
  const areAsked = sql`asked.id in (${sql.join(ids)})`;
  return sql`
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
    where ${areAsked} and ${seen} group by asked.id`;
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
