// Reviews of pull requests in the database. The issue's row is locked by everybody who changes one.
import { sql, type Selectable, type SelectQueryBuilder } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import type { ReviewRow } from '../pulls/tables.ts';
import type { Review, ReviewState } from './review.ts';

export type ReviewDraft = Omit<Review, 'id'>;

/** The caller has locked the issue. */
export async function insertReview(tx: Db, draft: ReviewDraft): Promise<Review> {
  const row = await tx
    .insertInto('reviews')
    .values({
      issue_id: draft.issueId,
      author_id: draft.author.id,
      author_name: draft.author.name,
      state: draft.state,
      body: draft.body,
      commit_id: draft.commitId,
      created_at: draft.createdAt,
      submitted_at: draft.submittedAt,
      updated_at: draft.updatedAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { ...draft, id: row.id };
}

type ReviewUpdate = Partial<Pick<Review, 'state' | 'body' | 'commitId' | 'submittedAt' | 'updatedAt'>>;

/** The caller has locked the issue. Fields that are absent stay. */
export async function updateReview(tx: Db, review: Review, update: ReviewUpdate): Promise<Review> {
  const changed: Review = { ...review, ...update };
  await tx
    .updateTable('reviews')
    .set({
      state: changed.state,
      body: changed.body,
      commit_id: changed.commitId,
      submitted_at: changed.submittedAt,
      updated_at: changed.updatedAt,
    })
    .where('id', '=', review.id)
    .execute();
  return changed;
}

/** With its comments. The caller has locked the issue. */
export async function deleteReview(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('reviews').where('id', '=', id).execute();
}

/** Whatever its state: `isVisibleTo` says for whom it exists. */
export async function findReview(db: Db, id: number): Promise<Review | undefined> {
  const row = await db.selectFrom('reviews').selectAll().where('id', '=', id).executeTakeFirst();
  return row && reviewFrom(row);
}

export async function findPendingReview(
  db: Db,
  issueId: number,
  authorId: string,
): Promise<Review | undefined> {
  const row = await db
    .selectFrom('reviews')
    .selectAll()
    .where('issue_id', '=', issueId)
    .where('author_id', '=', authorId)
    .where(sql<boolean>`state = 'PENDING'`)
    .executeTakeFirst();
  return row && reviewFrom(row);
}

/** The oldest first. Pending ones are in the list of their author alone; without an account, in none. */
export async function listReviews(
  db: Db,
  issueId: number,
  { offset, limit }: Slice,
  accountId?: string,
): Promise<Review[]> {
  const ids = visibleReviews(db, issueId, accountId)
    .select('reviews.id')
    .orderBy('reviews.id')
    .limit(limit)
    .offset(offset);
  const rows = await db.selectFrom('reviews').selectAll().where('id', 'in', ids).orderBy('id').execute();
  return rows.map(reviewFrom);
}

/** At most `max`. */
export async function countReviews(
  db: Db,
  issueId: number,
  max: number,
  accountId?: string,
): Promise<number> {
  const some = visibleReviews(db, issueId, accountId)
    .select(sql`1`.as('one'))
    .limit(max)
    .as('some');
  const { total } = await db
    .selectFrom(some)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

function visibleReviews(
  db: Db,
  issueId: number,
  accountId: string | undefined,
): SelectQueryBuilder<Tables, 'reviews', object> {
  return db
    .selectFrom('reviews')
    .where('reviews.issue_id', '=', issueId)
    .where(({ or, eb }) =>
      or([
        eb('reviews.state', '<>', 'PENDING'),
        ...(accountId === undefined ? [] : [eb('reviews.author_id', '=', accountId)]),
      ]),
    );
}

/** In the words of the partial index, so that both engines use it. */
const DECIDES = sql<boolean>`author_id is not null and state in ('APPROVED', 'CHANGES_REQUESTED', 'DISMISSED')`;

/** The newest review of each author that decides, the oldest first: without pending ones and comments, and without authors who have no account. */
export async function listLatestReviews(db: Db, issueId: number): Promise<Review[]> {
  const newest = db
    .selectFrom('reviews')
    .select(({ fn }) => fn.max('id').as('id'))
    .where('issue_id', '=', issueId)
    .where(DECIDES)
    .groupBy('author_id');
  const rows = await db.selectFrom('reviews').selectAll().where('id', 'in', newest).orderBy('id').execute();
  return rows.map(reviewFrom);
}

/** Without those that are pending or gone. */
export async function listSubmittedReviews(db: Db, ids: readonly number[]): Promise<Review[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('reviews')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .where('state', '<>', 'PENDING')
    .execute();
  return rows.map(reviewFrom);
}

/** Some pending reviews of an account, by their ids. */
export async function listSomePending(
  db: Db,
  authorId: string,
  { after, limit }: { after: number; limit: number },
): Promise<Review[]> {
  const rows = await db
    .selectFrom('reviews')
    .selectAll()
    .where('author_id', '=', authorId)
    .where(sql<boolean>`state = 'PENDING'`)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(reviewFrom);
}

function reviewFrom(row: Selectable<ReviewRow>): Review {
  return {
    id: row.id,
    issueId: row.issue_id,
    author: { id: row.author_id, name: row.author_name },
    state: row.state as ReviewState,
    body: row.body,
    commitId: row.commit_id,
    createdAt: row.created_at,
    submittedAt: row.submitted_at,
    updatedAt: row.updated_at,
  };
}
