// Lists of issues: each reads the facet that narrows it most, in the order of an index, and only as far as the page needs.
import { sql, type RawBuilder } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { visibleTo, type Viewer } from '../repositories/store-visibility.ts';
import { facetsOf, isDerived, type FacetedIssue } from './facets.ts';
import type { Issue, IssueState } from './issue.ts';

/** The caller has locked the issue, and written its labels and assignees. */
export async function replaceFacets(tx: Db, faceted: FacetedIssue & { issue: Issue }): Promise<void> {
  const { id } = faceted.issue;
  const wanted = new Set(facetsOf(faceted));
  const rows = await tx.selectFrom('issue_facets').select('facet').where('issue_id', '=', id).execute();
  const present = new Set(rows.map(({ facet }) => facet));
  const gone = [...present].filter((facet) => isDerived(facet) && !wanted.has(facet));
  if (gone.length > 0)
    await tx.deleteFrom('issue_facets').where('issue_id', '=', id).where('facet', 'in', gone).execute();
  await addFacets(
    tx,
    faceted.issue,
    [...wanted].filter((facet) => !present.has(facet)),
  );
}

/** Those that it has already stay. */
export async function addFacets(tx: Db, issue: Issue, facets: readonly string[]): Promise<void> {
  const { id, repositoryNumber, state, createdAt, updatedAt, commentCount } = issue;
  const common = { issue_id: id, repository_number: repositoryNumber, state };
  const times = { created_at: createdAt, updated_at: updatedAt, comment_count: commentCount };
  for (const some of chunk(facets))
    await tx
      .insertInto('issue_facets')
      .values(some.map((facet) => ({ ...common, ...times, facet })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Of a list that is gone. Returns whether there may be more. */
export async function deleteSomeFacets(db: Db, facet: string, limit: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('issue_facets')
    .where('facet', '=', facet)
    .where('issue_id', 'in', (eb) =>
      eb.selectFrom('issue_facets').select('issue_id').where('facet', '=', facet).limit(sql.lit(limit)),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows) === limit;
}

export type IssueSort = 'created' | 'updated' | 'comments';

export interface IssueFilter {
  /** Every one of them. */
  facets: readonly string[];
  states: readonly IssueState[];
  updatedSince?: number;
  /** For lists of several repositories. */
  viewer?: Viewer;
}

export interface IssueOrder {
  sort: IssueSort;
  desc: boolean;
}

export interface IssueIds {
  ids: number[];
  /** At most `offset + MAX_COUNTED`. */
  total: number;
  isTotalExact: boolean;
}

/** Counting stops there: what comes after it is only known to exist. */
const MAX_COUNTED = 1000;

const COLUMNS: Record<IssueSort, RawBuilder<unknown>> = {
  created: sql`created_at`,
  updated: sql`updated_at`,
  comments: sql`comment_count`,
};

export async function listIssueIds(
  db: Db,
  filter: IssueFilter,
  order: IssueOrder,
  { offset, limit }: Slice,
): Promise<IssueIds> {
  const narrowed = { ...filter, facets: await rarestFirst(db, filter) };
  const counted = offset + MAX_COUNTED;
  const [page, count] = await Promise.all([
    sql<{ issue_id: number }>`
      select issue_id from (${unionOf(narrowed, order, offset + limit)}) as listed
      order by sort ${direction(order.desc)}, issue_id ${direction(order.desc)}
      limit ${limit} offset ${offset}`.execute(db),
    sql<{ total: number }>`
      select count(*) as total from (${unionOf(narrowed, order, counted + 1)}) as listed`.execute(db),
  ]);
  const total = count.rows[0]!.total;
  return {
    ids: page.rows.map(({ issue_id: id }) => id),
    total: Math.min(total, counted),
    isTotalExact: total <= counted,
  };
}

/** The first facet is read in order, and the others are asked for each issue in it: so the rarest comes first. */
async function rarestFirst(db: Db, { facets, states }: IssueFilter): Promise<readonly string[]> {
  if (facets.length < 2) return facets;
  const sizes = await Promise.all(
    facets.map(async (facet) => {
      const { rows } = await sql<{ size: number }>`
        select count(*) as size from (
          select 1 as one from issue_facets where facet = ${facet} and state in (${sql.join(states)})
          limit ${MAX_COUNTED}) as counted`.execute(db);
      return { facet, size: rows[0]!.size };
    }),
  );
  return sizes.toSorted((one, other) => one.size - other.size).map(({ facet }) => facet);
}

/** One part for each state, because an index is in the order of one state alone. */
function unionOf(
  { facets, states, updatedSince, viewer }: IssueFilter,
  { sort, desc }: IssueOrder,
  limit: number,
): RawBuilder<unknown> {
  const [first = '', ...others] = facets;
  const conditions = [
    ...others.map(
      (facet) => sql`exists (
        select 1 from issue_facets as other where other.issue_id = issue_facets.issue_id and other.facet = ${facet})`,
    ),
    ...(updatedSince === undefined ? [] : [sql`updated_at >= ${updatedSince}`]),
    ...(viewer === undefined
      ? []
      : [
          sql`exists (
            select 1 from repositories
            where repositories.number = issue_facets.repository_number and ${visibleTo(viewer)})`,
        ]),
  ];
  const parts = states.map(
    (state) => sql`
      select * from (
        select issue_id, ${COLUMNS[sort]} as sort from issue_facets
        where ${sql.join([sql`facet = ${first}`, sql`state = ${state}`, ...conditions], sql` and `)}
        order by ${COLUMNS[sort]} ${direction(desc)}, issue_id ${direction(desc)} limit ${sql.val(limit)}) as part`,
  );
  return sql.join(parts, sql` union all `);
}

function direction(desc: boolean): RawBuilder<unknown> {
  return desc ? sql`desc` : sql`asc`;
}
