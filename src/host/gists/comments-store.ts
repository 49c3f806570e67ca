// Comments on gists in the database. The count in the gist's row changes in the same transaction.
import type { Selectable } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { GistComment } from './comments-model.ts';
import type { GistCommentRow } from './tables.ts';

export async function insertGistComment(
  tx: Db,
  { gistNumber, authorId, body }: Pick<GistComment, 'gistNumber' | 'authorId' | 'body'>,
  now: number,
): Promise<GistComment | undefined> {
  // The gist's row first, as in other changes of a gist; it is not there when the gist was deleted meanwhile.
  if (!(await changeCommentCount(tx, gistNumber, 1))) return undefined;
  const row = await tx
    .insertInto('gist_comments')
    .values({ gist_number: gistNumber, author_id: authorId, body, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  return commentFrom(row);
}

export async function findGistComment(
  db: Db,
  gistNumber: number,
  number: number,
): Promise<GistComment | undefined> {
  const row = await db
    .selectFrom('gist_comments')
    .selectAll()
    .where('number', '=', number)
    .where('gist_number', '=', gistNumber)
    .executeTakeFirst();
  return row && commentFrom(row);
}

/** The oldest first. */
export async function listGistComments(
  db: Db,
  gistNumber: number,
  { offset, limit }: Slice,
): Promise<GistComment[]> {
  const rows = await db
    .selectFrom('gist_comments')
    .selectAll()
    .where('gist_number', '=', gistNumber)
    .orderBy('number')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(commentFrom);
}

/** Undefined where it was deleted meanwhile. */
export async function updateGistComment(
  db: Db,
  number: number,
  body: string,
  now: number,
): Promise<GistComment | undefined> {
  const row = await db
    .updateTable('gist_comments')
    .set({ body, updated_at: now })
    .where('number', '=', number)
    .returningAll()
    .executeTakeFirst();
  return row && commentFrom(row);
}

/** False where it was deleted meanwhile. */
export async function deleteGistComment(
  tx: Db,
  { gistNumber, number }: Pick<GistComment, 'gistNumber' | 'number'>,
): Promise<boolean> {
  if (!(await changeCommentCount(tx, gistNumber, -1))) return false;
  const { numDeletedRows } = await tx
    .deleteFrom('gist_comments')
    .where('number', '=', number)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) await changeCommentCount(tx, gistNumber, 1);
  return numDeletedRows > 0n;
}

/** False where the gist is deleted. Holds its row until the transaction ends. */
async function changeCommentCount(tx: Db, gistNumber: number, change: 1 | -1): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('gists')
    .set((eb) => ({ comment_count: eb('comment_count', '+', change) }))
    .where('number', '=', gistNumber)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

function commentFrom(row: Selectable<GistCommentRow>): GistComment {
  return {
    number: row.number,
    gistNumber: row.gist_number,
    authorId: row.author_id,
    body: row.body,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
