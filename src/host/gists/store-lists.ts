// Lists of gists: each reads no more rows of an index than it skips and shows.
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Gist } from './gist.ts';
import { gistFrom } from './store.ts';

export interface GistListing extends Slice {
  /** Milliseconds: only those that were changed at this time or later. */
  since: number | undefined;
}

/** One more than the page has, if another page follows; the last changed first. */
export async function listPublicGists(db: Db, { since, offset, limit }: GistListing): Promise<Gist[]> {
  let query = db.selectFrom('gists').selectAll().where('is_public', '=', 1).where('deleted_at', 'is', null);
  if (since !== undefined) query = query.where('updated_at', '>=', since);
  const rows = await query
    .orderBy('updated_at', 'desc')
    .orderBy('number', 'desc')
    .offset(offset)
    .limit(limit + 1)
    .execute();
  return rows.map(gistFrom);
}

/** Those of one owner, in the same order. Secret ones are for the owner alone. */
export async function listGistsOf(
  db: Db,
  ownerId: string,
  { isPublicOnly }: { isPublicOnly: boolean },
  { since, offset, limit }: GistListing,
): Promise<Gist[]> {
  let query = db
    .selectFrom('gists')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null);
  if (isPublicOnly) query = query.where('is_public', '=', 1);
  if (since !== undefined) query = query.where('updated_at', '>=', since);
  const rows = await query
    .orderBy('updated_at', 'desc')
    .orderBy('number', 'desc')
    .offset(offset)
    .limit(limit + 1)
    .execute();
  return rows.map(gistFrom);
}

/** Of the last `newest` that an account has starred, the newest star first. Who has starred a secret gist knows its id. */
export async function listStarredGists(
  db: Db,
  accountId: string,
  newest: number,
  { since, offset, limit }: GistListing,
): Promise<Gist[]> {
  let query = db
    .selectFrom((eb) =>
      eb
        .selectFrom('gist_stars')
        .select(['gist_number', 'created_at'])
        .where('account_id', '=', accountId)
        .orderBy('created_at', 'desc')
        .orderBy('gist_number', 'desc')
        .limit(newest)
        .as('stars'),
    )
    .innerJoin('gists', 'gists.number', 'stars.gist_number')
    .selectAll('gists')
    .where('gists.deleted_at', 'is', null);
  if (since !== undefined) query = query.where('gists.updated_at', '>=', since);
  const rows = await query
    .orderBy('stars.created_at', 'desc')
    .orderBy('stars.gist_number', 'desc')
    .offset(offset)
    .limit(limit + 1)
    .execute();
  return rows.map(gistFrom);
}

/** The newest first. All forks of a secret gist are secret, and the id of a secret fork is for its owner alone. */
export async function listForksOfGist(
  db: Db,
  { number, isPublic }: Pick<Gist, 'number' | 'isPublic'>,
  viewerId: string | undefined,
  { offset, limit }: Slice,
): Promise<Gist[]> {
  if (!isPublic && viewerId === undefined) return [];
  const rows = await db
    .selectFrom('gists')
    .selectAll()
    .where('parent_number', '=', number)
    .where('deleted_at', 'is', null)
    .where((eb) => (isPublic ? eb('is_public', '=', 1) : eb('owner_id', '=', viewerId!)))
    .orderBy('created_at', 'desc')
    .orderBy('number', 'desc')
    .offset(offset)
    .limit(limit + 1)
    .execute();
  return rows.map(gistFrom);
}
