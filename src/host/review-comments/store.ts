// Comments on lines of pull requests in the database. The issue's row is locked by everybody who changes one.
import { sql, type SelectQueryBuilder } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import type { Issue } from '../issues/issue.ts';
import type { Review } from '../reviews/review.ts';
import type { CommentPlace, PlacedComment, ReviewComment, ThreadPlace } from './review-comment.ts';
import { commentFrom } from './store-rows.ts';
import { insertThreads } from './store-threads.ts';

type CommentedIssue = Pick<Issue, 'id' | 'number' | 'repositoryNumber'>;

/** Each begins a thread. They are pending where the review is. The caller has locked the issue. */
export async function insertReviewComments(
  tx: Db,
  review: Review,
  placed: readonly PlacedComment[],
  issue: CommentedIssue,
  at: number,
): Promise<ReviewComment[]> {
  const threadIds = await insertThreads(tx, issue.id, placed.length);
  const rows = placed.map(({ body, line, startLine, position, commitId, ...place }, index) =>
    rowOf(
      review,
      issue,
      {
        ...place,
        line,
        startLine,
        position,
        commitId,
        originalLine: line,
        originalStartLine: startLine,
        originalPosition: position,
        originalCommitId: commitId,
      },
      { body, threadId: threadIds[index]!, inReplyTo: null, at },
    ),
  );
  return await insertRows(tx, issue, rows);
}

/** `root` is the first comment of its thread. The caller has locked the issue. */
export async function insertReply(
  tx: Db,
  review: Review,
  { root, body }: { root: ReviewComment; body: string },
  issue: CommentedIssue,
  at: number,
): Promise<ReviewComment> {
  const inReplyTo = root.inReplyTo ?? root.id;
  const row = rowOf(review, issue, root, { body, threadId: root.threadId, inReplyTo, at });
  return (await insertRows(tx, issue, [row]))[0]!;
}

function rowOf(
  review: Review,
  { id, repositoryNumber }: CommentedIssue,
  place: ThreadPlace,
  own: { body: string; threadId: number; inReplyTo: number | null; at: number },
) {
  return {
    issue_id: id,
    repository_number: repositoryNumber,
    review_id: review.id,
    thread_id: own.threadId,
    in_reply_to: own.inReplyTo,
    author_id: review.author.id,
    author_name: review.author.name,
    body: own.body,
    reactions: '{}',
    path: place.path,
    subject_type: place.subjectType,
    diff_hunk: place.diffHunk,
    side: place.side,
    line: place.line,
    start_side: place.startSide,
    start_line: place.startLine,
    position: place.position,
    original_line: place.originalLine,
    original_start_line: place.originalStartLine,
    original_position: place.originalPosition,
    commit_id: place.commitId,
    original_commit_id: place.originalCommitId,
    is_pending: Number(review.state === 'PENDING'),
    created_at: own.at,
    updated_at: own.at,
  };
}

async function insertRows(
  tx: Db,
  { number }: CommentedIssue,
  rows: readonly ReturnType<typeof rowOf>[],
): Promise<ReviewComment[]> {
  if (rows.length === 0) return [];
  const inserted = await tx.insertInto('review_comments').values(rows).returningAll().execute();
  return inserted
    .toSorted((one, other) => one.id - other.id)
    .map((row) => commentFrom({ ...row, pull_number: number }));
}

/** Whatever its state: `isCommentVisibleTo` says for whom it exists. */
export async function findReviewComment(
  db: Db,
  repositoryNumber: number,
  id: number,
): Promise<ReviewComment | undefined> {
  const row = await withNumbers(db)
    .where('review_comments.id', '=', id)
    .where('review_comments.repository_number', '=', repositoryNumber)
    .executeTakeFirst();
  return row && commentFrom(row);
}

/** Those that are gone are missing. */
export async function listReviewCommentsById(db: Db, ids: readonly number[]): Promise<ReviewComment[]> {
  if (ids.length === 0) return [];
  const rows = await withNumbers(db)
    .where('review_comments.id', 'in', [...new Set(ids)])
    .execute();
  return rows.map(commentFrom);
}

/** Of a review, the oldest first, pending ones too. */
export async function listCommentsOfReview(
  db: Db,
  reviewId: number,
  { offset, limit }: Slice,
): Promise<ReviewComment[]> {
  const rows = await withNumbers(db)
    .where('review_comments.review_id', '=', reviewId)
    .orderBy('review_comments.id')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(commentFrom);
}

/** The caller has locked its issue. */
export async function updateReviewComment(
  tx: Db,
  comment: ReviewComment,
  update: Pick<ReviewComment, 'body' | 'updatedAt'>,
): Promise<ReviewComment> {
  await tx
    .updateTable('review_comments')
    .set({ body: update.body, updated_at: update.updatedAt })
    .where('id', '=', comment.id)
    .execute();
  return { ...comment, ...update };
}

/** The review is submitted. The caller has locked its issue. */
export async function publishComments(tx: Db, reviewId: number, at: number): Promise<void> {
  await tx
    .updateTable('review_comments')
    .set({ is_pending: 0, updated_at: at })
    .where('review_id', '=', reviewId)
    .where('is_pending', '=', 1)
    .execute();
}

/** The caller has locked its issue. */
export async function deleteReviewComments(tx: Db, ids: readonly number[]): Promise<void> {
  for (const some of chunk(ids)) await tx.deleteFrom('review_comments').where('id', 'in', some).execute();
}

/** The caller has locked its issue. Pending comments do not count. */
export async function addToReviewCommentCount(tx: Db, issueId: number, difference: number): Promise<void> {
  if (difference === 0) return;
  await tx
    .updateTable('pulls')
    .set((eb) => ({ review_comment_count: eb('review_comment_count', '+', difference) }))
    .where('issue_id', '=', issueId)
    .execute();
}

export interface ReviewCommentFilter {
  /** Of a pull request, or of all of a repository. Pending ones are in no such list. */
  of: { issueId: number } | { repositoryNumber: number };
  updatedSince?: number;
}

export interface ReviewCommentOrder {
  sort: 'created' | 'updated';
  desc: boolean;
}

export async function listReviewComments(
  db: Db,
  filter: ReviewCommentFilter,
  order: ReviewCommentOrder,
  { offset, limit }: Slice,
): Promise<ReviewComment[]> {
  const direction = order.desc ? 'desc' : 'asc';
  const column = order.sort === 'created' ? 'created_at' : 'updated_at';
  // Ids first, from an index alone: texts of comments that are passed over are not read.
  const ids = filtered(db, filter)
    .select('review_comments.id')
    .orderBy(`review_comments.${column}`, direction)
    .orderBy('review_comments.id', direction)
    .limit(limit)
    .offset(offset);
  const rows = await withNumbers(db)
    .where('review_comments.id', 'in', ids)
    .orderBy(`review_comments.${column}`, direction)
    .orderBy('review_comments.id', direction)
    .execute();
  return rows.map(commentFrom);
}

/** At most `max`. */
export async function countReviewComments(db: Db, filter: ReviewCommentFilter, max: number): Promise<number> {
  const some = filtered(db, filter)
    .select(sql`1`.as('one'))
    .limit(max)
    .as('some');
  const { total } = await db
    .selectFrom(some)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

function filtered(
  db: Db,
  { of, updatedSince }: ReviewCommentFilter,
): SelectQueryBuilder<Tables, 'review_comments', object> {
  // In the words of the partial indexes, so that both engines use them.
  const comments = db.selectFrom('review_comments').where(sql<boolean>`review_comments.is_pending = 0`);
  const own =
    'issueId' in of
      ? comments.where('review_comments.issue_id', '=', of.issueId)
      : comments.where('review_comments.repository_number', '=', of.repositoryNumber);
  return updatedSince === undefined ? own : own.where('review_comments.updated_at', '>=', updatedSince);
}

/** Comments of a pull request that are in its difference, pending ones too, by their ids. */
export async function listPlacedComments(
  db: Db,
  issueId: number,
  { after, limit }: { after: number; limit: number },
): Promise<ReviewComment[]> {
  const rows = await withNumbers(db)
    .where('review_comments.issue_id', '=', issueId)
    .where(sql<boolean>`review_comments.position is not null`)
    .where('review_comments.id', '>', after)
    .orderBy('review_comments.id')
    .limit(limit)
    .execute();
  return rows.map(commentFrom);
}

/** A comment, and where it stands in the difference of another commit. */
export interface MovedComment extends Pick<CommentPlace, 'line' | 'startLine' | 'position'> {
  id: number;
  commitId: string;
}

/** The caller has locked the issue. */
export async function updatePlaces(tx: Db, moved: readonly MovedComment[]): Promise<void> {
  for (const some of chunk(moved)) {
    const values = some.map(
      ({ id, line, startLine, position, commitId }) =>
        sql`(cast(${id} as bigint), cast(${line} as bigint), cast(${startLine} as bigint),
          cast(${position} as bigint), cast(${commitId} as text))`,
    );
    await sql`
      with moved (id, line, start_line, position, commit_id) as (values ${sql.join(values)})
      update review_comments
      set line = moved.line, start_line = moved.start_line, position = moved.position, commit_id = moved.commit_id
      from moved where moved.id = review_comments.id`.execute(tx);
  }
}

function withNumbers(db: Db) {
  return db
    .selectFrom('review_comments')
    .innerJoin('issues', 'issues.id', 'review_comments.issue_id')
    .selectAll('review_comments')
    .select('issues.number as pull_number');
}
