// Stars in the database. The count in the repository's row changes in the same transaction, under its lock.
import { sql } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { visibleTo, type Viewer } from '../repositories/store-visibility.ts';
import type { StarRow } from './tables.ts';

export async function hasStar(db: Db, accountId: string, number: number): Promise<boolean> {
  const row = await db
    .selectFrom('stars')
    .select('created_at')
    .where('account_id', '=', accountId)
    .where('repository_number', '=', number)
    .executeTakeFirst();
  return row !== undefined;
}

/** The caller has locked the repository. False for a second star, which changes nothing. */
export async function insertStar(tx: Db, accountId: string, number: number, now: number): Promise<boolean> {
  const row = await tx
    .insertInto('stars')
    .values({ account_id: accountId, repository_number: number, created_at: now } satisfies StarRow)
    .onConflict((conflict) => conflict.columns(['account_id', 'repository_number']).doNothing())
    .returning('created_at')
    .executeTakeFirst();
  if (row !== undefined) await changeStarCount(tx, number, 1);
  return row !== undefined;
}

/** The caller has locked the repository. False where there was none. */
export async function deleteStar(tx: Db, accountId: string, number: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('stars')
    .where('account_id', '=', accountId)
    .where('repository_number', '=', number)
    .executeTakeFirstOrThrow();
  if (numDeletedRows > 0n) await changeStarCount(tx, number, -1);
  return numDeletedRows > 0n;
}

async function changeStarCount(tx: Db, number: number, change: 1 | -1): Promise<void> {
  await tx
    .updateTable('repositories')
    .set((eb) => ({ star_count: eb('star_count', '+', change) }))
    .where('number', '=', number)
    .execute();
}

/** For an account that ends. */
export function starRemovalStatements(db: Db, accountId: string): SqlStatement[] {
  const own = db.selectFrom('stars').select('repository_number').where('account_id', '=', accountId);
  return [
    db
      .updateTable('repositories')
      .set((eb) => ({ star_count: eb('star_count', '-', 1) }))
      .where('number', 'in', own)
      .compile(),
    db.deleteFrom('stars').where('account_id', '=', accountId).compile(),
  ];
}

export interface StarOrder {
  /** By the time of the star, or of the last push. */
  sort: 'created' | 'updated';
  desc: boolean;
}

export interface StarOfAccount {
  number: number;
  starredAt: number;
}

/** Without repositories that the viewer does not see. */
export async function listStarred(
  db: Db,
  accountId: string,
  viewer: Viewer,
  { sort, desc }: StarOrder,
  { offset, limit }: Slice,
): Promise<{ items: StarOfAccount[]; total: number }> {
  const direction = desc ? 'desc' : 'asc';
  const starred = db
    .selectFrom('stars')
    .innerJoin('repositories', 'repositories.number', 'stars.repository_number')
    .where('stars.account_id', '=', accountId)
    .where(visibleTo(viewer));
  const [items, { total }] = await Promise.all([
    starred
      .select(['stars.repository_number as number', 'stars.created_at as starredAt'])
      .orderBy(sql.ref(sort === 'created' ? 'stars.created_at' : 'repositories.pushed_at'), direction)
      .orderBy('stars.repository_number', direction)
      .offset(offset)
      .limit(limit)
      .execute(),
    starred.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { items, total };
}

export interface StarOnRepository {
  accountId: string;
  starredAt: number;
}

/** The oldest first. */
export async function listStargazers(
  db: Db,
  number: number,
  { offset, limit }: Slice,
): Promise<{ items: StarOnRepository[]; total: number }> {
  const stars = db.selectFrom('stars').where('repository_number', '=', number);
  const [items, { total }] = await Promise.all([
    stars
      .select(['account_id as accountId', 'created_at as starredAt'])
      .orderBy('created_at')
      .orderBy('account_id')
      .offset(offset)
      .limit(limit)
      .execute(),
    stars.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { items, total };
}
