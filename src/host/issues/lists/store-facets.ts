// Lists of issues: each reads the facet that narrows it most, in the order of an index, and only as far as the page needs.
import { sql, type RawBuilder } from 'kysely';
import { chunk } from '../../../kernel/collections/chunk.ts';
import type { Slice } from '../../../kernel/http/reply/page.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { countBounded, MAX_COUNTED, type BoundedTotal } from '../../list-query.ts';
import { visibleTo, type Viewer } from '../../repositories/store-visibility.ts';
import { facetsOf, isDerived, pullsIn, type FacetedIssue } from './facets.ts';
import type { Issue, IssueState } from '../issue.ts';

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

/** The caller has locked the issue. */
export async function deleteFacet(tx: Db, { id }: Pick<Issue, 'id'>, facet: string): Promise<void> {
  await tx.deleteFrom('issue_facets').where('issue_id', '=', id).where('facet', '=', facet).execute();
}

/** Counts no further than `atMost`. */
export async function countOpenPulls(db: Db, repositoryNumber: number, atMost: number): Promise<number> {
  const open = db
    .selectFrom('issue_facets')
    .select('issue_id')
    .where('facet', '=', pullsIn(repositoryNumber))
    .where('state', '=', 'open')
    .limit(atMost);
  const { total } = await db
    .selectFrom(open.as('open'))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

export type IssueSort = 'created' | 'updated' | 'comments';

/** Where the lists of several repositories are narrowed to those of some owners, and to those that an account collaborates on. */
export interface RepositoryNarrowing {
  ownerIds: readonly string[];
  collaboratorId?: string;
}

/** A facet that a list of several begins with. `ownerId` leaves out repositories that another has got since. */
export interface IssueSource {
  facet: string;
  ownerId?: string;
}

export interface IssueFilter {
  /** Every one of them. */
  facets: readonly string[];
  /** None of them. */
  without?: readonly string[];
  /** Any of them; no issue is in two. */
  sources?: readonly IssueSource[];
  states: readonly IssueState[];
  updatedSince?: number;
  createdBefore?: number;
  /** For lists of several repositories. */
  viewer?: Viewer;
  repositories?: RepositoryNarrowing;
  /** All of them, in lists of several repositories: each has labels of its own. */
  foldedLabels?: readonly string[];
}

export interface IssueOrder {
  sort: IssueSort;
  desc: boolean;
}

export interface IssueIds extends BoundedTotal {
  ids: number[];
}

/** The sources that one statement reads. */
const SOURCES_AT_ONCE = 50;

const COLUMNS: Record<IssueSort, RawBuilder<unknown>> = {
  created: sql`created_at`,
  updated: sql`updated_at`,
  comments: sql`comment_count`,
};

interface ListedIssue {
  issue_id: number;
  sort: number;
}

export async function listIssueIds(
  db: Db,
  filter: IssueFilter,
  order: IssueOrder,
  slice: Slice,
): Promise<IssueIds> {
  const { sources } = filter;
  if (sources === undefined) {
    const [first = '', ...facets] = await rarestFirst(db, filter);
    return await listFrom(db, { ...filter, facets }, [{ facet: first }], order, slice);
  }
  if (sources.length === 0) return { ids: [], total: 0, isTotalExact: true };
  return await listFrom(db, filter, sources, order, slice);
}

async function listFrom(
  db: Db,
  filter: IssueFilter,
  sources: readonly IssueSource[],
  order: IssueOrder,
  slice: Slice,
): Promise<IssueIds> {
  const batches = [...chunk(sources, SOURCES_AT_ONCE)];
  const [listed, counted] = await Promise.all([
    readPage(db, filter, batches, order, slice),
    countBounded(slice, async (atMost) => {
      let total = 0;
      for (const batch of batches) {
        const { rows } = await sql<{ total: number }>`
          select count(*) as total from (${unionOf(filter, batch, order, atMost)}) as listed`.execute(db);
        total += rows[0]!.total;
      }
      return total;
    }),
  ]);
  return { ids: listed.map(({ issue_id: id }) => id), ...counted };
}

/** One statement reads the page where the sources are few. Of more, each statement reads what the page may take from its own. */
async function readPage(
  db: Db,
  filter: IssueFilter,
  batches: readonly (readonly IssueSource[])[],
  order: IssueOrder,
  { offset, limit }: Slice,
): Promise<ListedIssue[]> {
  const isWhole = batches.length === 1;
  const end = offset + limit;
  let listed: ListedIssue[] = [];
  for (const batch of batches) {
    const { rows } = await sql<ListedIssue>`
      select issue_id, sort from (${unionOf(filter, batch, order, end)}) as listed
      order by sort ${direction(order.desc)}, issue_id ${direction(order.desc)}
      limit ${isWhole ? limit : end} offset ${isWhole ? offset : 0}`.execute(db);
    listed = isWhole ? rows : [...listed, ...rows].toSorted(comparing(order)).slice(0, end);
  }
  return isWhole ? listed : listed.slice(offset);
}

function comparing({ desc }: IssueOrder): (one: ListedIssue, other: ListedIssue) => number {
  const sign = desc ? -1 : 1;
  return (one, other) => sign * (one.sort - other.sort || one.issue_id - other.issue_id);
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

/** One part for each source and state, because an index is in the order of one of each. */
function unionOf(
  filter: IssueFilter,
  sources: readonly IssueSource[],
  { sort, desc }: IssueOrder,
  limit: number,
): RawBuilder<unknown> {
  const order = sql`order by ${COLUMNS[sort]} ${direction(desc)}, issue_id ${direction(desc)}`;
  const parts = sources.flatMap((source) =>
    filter.states.map((state) => {
      const start = [sql`facet = ${source.facet}`, sql`state = ${state}`];
      const conditions = [...start, ...conditionsOf(filter), ...repositoryConditions(filter, source)];
      return sql`
        select * from (
          select issue_id, ${COLUMNS[sort]} as sort from issue_facets
          where ${sql.join(conditions, sql` and `)} ${order} limit ${sql.val(limit)}) as part`;
    }),
  );
  return sql.join(parts, sql` union all `);
}

function conditionsOf({
  facets,
  without = [],
  updatedSince,
  createdBefore,
  foldedLabels = [],
}: IssueFilter): RawBuilder<unknown>[] {
  const isIn = (facet: string) => sql`exists (
    select 1 from issue_facets as other where other.issue_id = issue_facets.issue_id and other.facet = ${facet})`;
  const isLabeled = (name: string) => sql`exists (
    select 1 from issue_labels join labels on labels.id = issue_labels.label_id
    where issue_labels.issue_id = issue_facets.issue_id and labels.folded_name = ${name})`;
  return [
    ...facets.map(isIn),
    ...without.map((facet) => sql`not ${isIn(facet)}`),
    ...foldedLabels.map(isLabeled),
    ...(updatedSince === undefined ? [] : [sql`updated_at >= ${updatedSince}`]),
    ...(createdBefore === undefined ? [] : [sql`created_at < ${createdBefore}`]),
  ];
}

function repositoryConditions(
  { viewer, repositories }: IssueFilter,
  { ownerId }: IssueSource,
): RawBuilder<unknown>[] {
  const conditions = [
    ...(viewer === undefined ? [] : [visibleTo(viewer)]),
    ...(ownerId === undefined ? [] : [sql`repositories.owner_id = ${ownerId}`]),
    ...(repositories === undefined ? [] : [isAmong(repositories)]),
  ];
  if (conditions.length === 0) return [];
  return [
    sql`exists (
      select 1 from repositories
      where repositories.number = issue_facets.repository_number and ${sql.join(conditions, sql` and `)})`,
  ];
}

function isAmong({ ownerIds, collaboratorId }: RepositoryNarrowing): RawBuilder<unknown> {
  const alternatives = [
    ...(ownerIds.length === 0 ? [] : [sql`repositories.owner_id in (${sql.join(ownerIds)})`]),
    ...(collaboratorId === undefined
      ? []
      : [
          sql`exists (
            select 1 from collaborators
            where collaborators.repository_number = repositories.number
              and collaborators.account_id = ${collaboratorId})`,
        ]),
  ];
  return alternatives.length === 0 ? sql`1 = 0` : sql`(${sql.join(alternatives, sql` or `)})`;
}

function direction(desc: boolean): RawBuilder<unknown> {
  return desc ? sql`desc` : sql`asc`;
}
