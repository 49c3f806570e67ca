// Milestones in the database. The counts of their issues change in the transactions that change the issues.
import { sql, type Selectable } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { milestonedIn, withMilestone } from '../issues/lists/facets.ts';
import type { IssueState } from '../issues/issue.ts';
import type { MilestoneRow } from '../issues/tables.ts';
import { updateMilestoneOfLabels } from '../labels/store.ts';
import { countBounded, type BoundedTotal } from '../list-query.ts';
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

export async function findMilestone(
  db: Db,
  repositoryNumber: number,
  number: number,
): Promise<Milestone | undefined> {
  const row = await db
    .selectFrom('milestones')
    .selectAll()
    .where('repository_number', '=', repositoryNumber)
    .where('number', '=', number)
    .executeTakeFirst();
  return row && milestoneFrom(row);
}

export interface MilestoneOrder {
  sort: 'due_on' | 'completeness';
  desc: boolean;
}

export interface ListedMilestones extends BoundedTotal {
  items: Milestone[];
}

/** In the words of the index. */
const COLUMNS = {
  due_on: sql`coalesce(due_on, 9007199254740991)`,
  completeness: sql`completeness`,
};

/** Those that are due at no time come last in ascending order. Among equals the older come first, and in descending order the newer. */
export async function listMilestones(
  db: Db,
  { repositoryNumber, states }: { repositoryNumber: number; states: readonly IssueState[] },
  { sort, desc }: MilestoneOrder,
  slice: Slice,
): Promise<ListedMilestones> {
  const direction = desc ? sql`desc` : sql`asc`;
  const { offset, limit } = slice;
  // One part for each state, because the index is in the order of one state alone.
  const parts = (atMost: number) =>
    sql.join(
      states.map(
        (state) => sql`
          select * from (
            select id, number, ${COLUMNS[sort]} as sort from milestones
            where repository_number = ${repositoryNumber} and state = ${state}
            order by ${COLUMNS[sort]} ${direction}, number ${direction} limit ${sql.val(atMost)}) as part`,
      ),
      sql` union all `,
    );
  const [page, counted] = await Promise.all([
    sql<Selectable<MilestoneRow>>`
      select milestones.* from (${parts(offset + limit)}) as listed join milestones on milestones.id = listed.id
      order by listed.sort ${direction}, listed.number ${direction} limit ${limit} offset ${offset}`.execute(
      db,
    ),
    countBounded(slice, async (atMost) => {
      const { rows } = await sql<{ total: number }>`
        select count(*) as total from (${parts(atMost)}) as listed`.execute(db);
      return rows[0]!.total;
    }),
  ]);
  return { items: page.rows.map(milestoneFrom), ...counted };
}

export type NewMilestone = Pick<
  Milestone,
  'repositoryNumber' | 'title' | 'description' | 'state' | 'creator' | 'dueOn'
>;

/** Takes the next number of the repository, which stays locked. Undefined where the repository is gone, or has one of that title. */
export async function insertMilestone(
  tx: Db,
  fields: NewMilestone,
  now: number,
): Promise<Milestone | undefined> {
  const { repositoryNumber, title, description, state, creator, dueOn } = fields;
  const repository = await tx
    .updateTable('repositories')
    .set((eb) => ({ last_milestone_number: eb('last_milestone_number', '+', 1) }))
    .where('number', '=', repositoryNumber)
    .where('deleted_at', 'is', null)
    .returning('last_milestone_number')
    .executeTakeFirst();
  if (repository === undefined) return undefined;
  const row = await tx
    .insertInto('milestones')
    .values({
      repository_number: repositoryNumber,
      number: repository.last_milestone_number,
      title,
      description,
      state,
      creator_id: creator.id,
      creator_name: creator.name,
      due_on: dueOn,
      open_issue_count: 0,
      closed_issue_count: 0,
      completeness: 0,
      created_at: now,
      updated_at: now,
      closed_at: state === 'closed' ? now : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && milestoneFrom(row);
}

/** The caller has locked the repository. */
export async function hasMilestoneTitled(tx: Db, repositoryNumber: number, title: string): Promise<boolean> {
  const row = await tx
    .selectFrom('milestones')
    .select('id')
    .where('repository_number', '=', repositoryNumber)
    .where('title', '=', title)
    .executeTakeFirst();
  return row !== undefined;
}

/** The caller has locked the repository. Its counts stay. */
export async function updateMilestone(tx: Db, milestone: Milestone): Promise<void> {
  await tx
    .updateTable('milestones')
    .set({
      title: milestone.title,
      description: milestone.description,
      state: milestone.state,
      due_on: milestone.dueOn,
      updated_at: milestone.updatedAt,
      closed_at: milestone.closedAt,
    })
    .where('id', '=', milestone.id)
    .execute();
}

/** The caller has locked the repository. Issues that have it show none from then on. */
export async function deleteMilestone(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('milestones').where('id', '=', id).execute();
}

/** Takes a deleted milestone from some of its issues, whose ids it returns. The caller has locked the repository. */
export async function takeFromSomeIssues(
  tx: Db,
  { id, repositoryNumber }: Pick<Milestone, 'id' | 'repositoryNumber'>,
  limit: number,
): Promise<number[]> {
  const rows = await tx
    .selectFrom('issues')
    .select('id')
    .where('milestone_id', '=', id)
    .orderBy('id')
    .limit(sql.lit(limit))
    .forUpdate()
    .execute();
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  await tx.updateTable('issues').set({ milestone_id: null }).where('id', 'in', ids).execute();
  await updateMilestoneOfLabels(tx, ids, null);
  await tx
    .deleteFrom('issue_facets')
    .where('issue_id', 'in', ids)
    .where('facet', 'in', [withMilestone(id), milestonedIn(repositoryNumber, '*')])
    .execute();
  await sql`
    insert into issue_facets (issue_id, facet, repository_number, state, created_at, updated_at, comment_count)
    select id, ${milestonedIn(repositoryNumber, 'none')}, repository_number, state, created_at, updated_at, comment_count
    from issues where id in (${sql.join(ids)})
    on conflict do nothing`.execute(tx);
  return ids;
}

function milestoneFrom(row: Selectable<MilestoneRow>): Milestone {
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
