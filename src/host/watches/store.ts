// Watches in the database. The count in the repository's row is that of those who do not ignore it.
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { visibleTo, type Viewer } from '../repositories/store-visibility.ts';
import type { Watch } from './model.ts';
import type { WatchRow } from './tables.ts';

export async function findWatch(db: Db, accountId: string, number: number): Promise<Watch | undefined> {
  const row = await db
    .selectFrom('watches')
    .select(['is_ignored', 'created_at'])
    .where('account_id', '=', accountId)
    .where('repository_number', '=', number)
    .executeTakeFirst();
  return row && { isIgnored: row.is_ignored === 1, createdAt: row.created_at };
}

/** The caller has locked the repository. */
export async function upsertWatch(
  tx: Db,
  accountId: string,
  number: number,
  isIgnored: boolean,
  now: number,
): Promise<Watch> {
  const before = await findWatch(tx, accountId, number);
  if (before?.isIgnored === isIgnored) return before;
  const watch = { isIgnored, createdAt: before?.createdAt ?? now };
  await tx
    .insertInto('watches')
    .values({
      account_id: accountId,
      repository_number: number,
      is_ignored: Number(isIgnored),
      created_at: watch.createdAt,
    } satisfies WatchRow)
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'repository_number']).doUpdateSet({ is_ignored: Number(isIgnored) }),
    )
    .execute();
  await changeWatchCount(tx, number, countOf(watch) - countOf(before));
  return watch;
}

/** The caller has locked the repository. */
export async function deleteWatch(tx: Db, accountId: string, number: number): Promise<void> {
  const row = await tx
    .deleteFrom('watches')
    .where('account_id', '=', accountId)
    .where('repository_number', '=', number)
    .returning('is_ignored')
    .executeTakeFirst();
  if (row?.is_ignored === 0) await changeWatchCount(tx, number, -1);
}

/** For an account that ends. */
export function watchRemovalStatements(db: Db, accountId: string): SqlStatement[] {
  const own = db
    .selectFrom('watches')
    .select('repository_number')
    .where('account_id', '=', accountId)
    .where('is_ignored', '=', 0);
  return [
    db
      .updateTable('repositories')
      .set((eb) => ({ watch_count: eb('watch_count', '-', 1) }))
      .where('number', 'in', own)
      .compile(),
    db.deleteFrom('watches').where('account_id', '=', accountId).compile(),
  ];
}

function countOf(watch: Watch | undefined): number {
  return watch === undefined || watch.isIgnored ? 0 : 1;
}

async function changeWatchCount(tx: Db, number: number, change: number): Promise<void> {
  if (change === 0) return;
  await tx
    .updateTable('repositories')
    .set((eb) => ({ watch_count: eb('watch_count', '+', change) }))
    .where('number', '=', number)
    .execute();
}

/** The numbers of repositories that an account watches and the viewer sees. */
export async function listWatched(
  db: Db,
  accountId: string,
  viewer: Viewer,
  { offset, limit }: Slice,
): Promise<{ numbers: number[]; total: number }> {
  const watched = db
    .selectFrom('watches')
    .innerJoin('repositories', 'repositories.number', 'watches.repository_number')
    .where('watches.account_id', '=', accountId)
    .where('watches.is_ignored', '=', 0)
    .where(visibleTo(viewer));
  const [rows, { total }] = await Promise.all([
    watched
      .select('watches.repository_number')
      .orderBy('watches.repository_number')
      .offset(offset)
      .limit(limit)
      .execute(),
    watched.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { numbers: rows.map((row) => row.repository_number), total };
}

/** The accounts that watch a repository, the oldest watch first. */
export async function listWatchers(
  db: Db,
  number: number,
  { offset, limit }: Slice,
): Promise<{ accountIds: string[]; total: number }> {
  const watches = db
    .selectFrom('watches')
    .where('repository_number', '=', number)
    .where('is_ignored', '=', 0);
  const [rows, { total }] = await Promise.all([
    watches
      .select('account_id')
      .orderBy('created_at')
      .orderBy('account_id')
      .offset(offset)
      .limit(limit)
      .execute(),
    watches.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { accountIds: rows.map((row) => row.account_id), total };
}
