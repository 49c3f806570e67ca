// Lists of repositories: each source of them is read in the order of an index, and only as far as the page needs.
import { sql, type RawBuilder } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { countBounded, type BoundedTotal } from '../list-query.ts';
import type { Repository } from './repository.ts';
import { listRepositoriesByNumber } from './store.ts';
import { visibleTo, type Viewer } from './store-visibility.ts';

export type RepositorySort = 'created' | 'updated' | 'pushed' | 'full_name';

const COLUMNS: Record<RepositorySort, RawBuilder<unknown>> = {
  created: sql`created_at`,
  updated: sql`updated_at`,
  pushed: sql`pushed_at`,
  full_name: sql`full_name`,
};

/** One source of repositories; a list is the union of several. */
export type RepositorySource =
  | { ownerId: string; viewer: Viewer }
  /** Those of others that the account collaborates on. */
  | { collaboratorId: string };

export interface RepositoryFilter {
  isPrivate?: boolean;
  isFork?: boolean;
  updatedSince?: number;
  updatedBefore?: number;
}

export interface RepositoryList extends BoundedTotal {
  items: Repository[];
}

export async function listRepositoriesFrom(
  db: Db,
  sources: readonly RepositorySource[],
  filter: RepositoryFilter,
  order: { sort: RepositorySort; desc: boolean },
  slice: Slice,
): Promise<RepositoryList> {
  if (sources.length === 0) return { items: [], total: 0, isTotalExact: true };
  const { offset, limit } = slice;
  const [page, counted] = await Promise.all([
    sql<{ number: number }>`
      select number from (${unionOf(sources, filter, order, offset + limit)}) as listed
      order by sort ${direction(order.desc)}, number ${direction(order.desc)}
      limit ${limit} offset ${offset}`.execute(db),
    countBounded(slice, async (atMost) => {
      const { rows } = await sql<{ total: number }>`
        select count(*) as total from (${unionOf(sources, filter, order, atMost)}) as listed`.execute(db);
      return rows[0]!.total;
    }),
  ]);
  const numbers = page.rows.map(({ number }) => number);
  const found = await listRepositoriesByNumber(db, numbers);
  return { items: numbers.flatMap((number) => found.get(number) ?? []), ...counted };
}

function unionOf(
  sources: readonly RepositorySource[],
  filter: RepositoryFilter,
  { sort, desc }: { sort: RepositorySort; desc: boolean },
  limit: number,
): RawBuilder<unknown> {
  const parts = sources.map(
    (source) => sql`
      select * from (
        select number, ${COLUMNS[sort]} as sort from repositories
        where ${conditionOf(source)} and ${filterOf(filter)}
        order by ${COLUMNS[sort]} ${direction(desc)}, number ${direction(desc)} limit ${sql.val(limit)}) as part`,
  );
  // A repository may come from two sources.
  return sql.join(parts, sql` union `);
}

function conditionOf(source: RepositorySource): RawBuilder<unknown> {
  if ('ownerId' in source) return sql`owner_id = ${source.ownerId} and ${visibleTo(source.viewer)}`;
  const { collaboratorId: id } = source;
  return sql`deleted_at is null and owner_id <> ${id}
    and number in (select repository_number from collaborators where account_id = ${id})`;
}

function filterOf({ isPrivate, isFork, updatedSince, updatedBefore }: RepositoryFilter): RawBuilder<unknown> {
  const conditions = [
    sql`1 = 1`,
    ...(isPrivate === undefined ? [] : [sql`is_private = ${Number(isPrivate)}`]),
    ...(isFork === undefined ? [] : [isFork ? sql`source_number is not null` : sql`source_number is null`]),
    ...(updatedSince === undefined ? [] : [sql`updated_at >= ${updatedSince}`]),
    ...(updatedBefore === undefined ? [] : [sql`updated_at < ${updatedBefore}`]),
  ];
  return sql.join(conditions, sql` and `);
}

function direction(desc: boolean): RawBuilder<unknown> {
  return desc ? sql`desc` : sql`asc`;
}

/** All public ones, in the order of their numbers. */
export async function listPublicRepositories(db: Db, since: number, limit: number): Promise<Repository[]> {
  const rows = await db
    .selectFrom('repositories')
    .select('number')
    .where('number', '>', since)
    .where('is_private', '=', 0)
    .where('deleted_at', 'is', null)
    .orderBy('number')
    .limit(limit)
    .execute();
  const found = await listRepositoriesByNumber(
    db,
    rows.map(({ number }) => number),
  );
  return [...found.values()].toSorted((one, other) => one.number - other.number);
}

/** The organizations of an account, and its role in each. */
export async function listAccountMemberships(
  db: Db,
  accountId: string,
): Promise<{ organizationId: string; role: string }[]> {
  const rows = await db
    .selectFrom('organization_members')
    .select(['organization_id', 'role'])
    .where('account_id', '=', accountId)
    .execute();
  return rows.map((row) => ({ organizationId: row.organization_id, role: row.role }));
}
