// Threads of comments on lines of pull requests in the database. A thread is there as long as it has a comment.
import { sql, type RawBuilder, type Selectable } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { ReviewCommentRow, ReviewThreadRow } from '../pulls/tables.ts';
import { commentFrom } from './store-rows.ts';
import type { ReviewComment } from './review-comment.ts';

/** Their ids. The caller has locked the issue. */
export async function insertThreads(tx: Db, issueId: number, count: number): Promise<number[]> {
  if (count === 0) return [];
  const row = { issue_id: issueId, is_resolved: 0, resolved_by_id: null };
  const rows = await tx
    .insertInto('review_threads')
    .values(Array.from({ length: count }, () => row))
    .returning('id')
    .execute();
  return rows.map(({ id }) => id).toSorted((one, other) => one - other);
}

/** Of these threads, those without a comment. They are gone. The caller has locked the issue. */
export async function deleteEmptyThreads(tx: Db, ids: readonly number[]): Promise<number[]> {
  const deleted: number[] = [];
  for (const some of chunk([...new Set(ids)])) {
    const rows = await tx
      .deleteFrom('review_threads')
      .where('id', 'in', some)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('review_comments')
              .select('review_comments.id')
              .whereRef('review_comments.thread_id', '=', 'review_threads.id'),
          ),
        ),
      )
      .returning('id')
      .execute();
    deleted.push(...rows.map(({ id }) => id));
  }
  return deleted;
}

export interface ReviewThread {
  id: number;
  issueId: number;
  isResolved: boolean;
  resolvedById: string | null;
}

/** Whether anybody sees it, its comments say. */
export async function findThread(db: Db, id: number): Promise<ReviewThread | undefined> {
  const row = await db.selectFrom('review_threads').selectAll().where('id', '=', id).executeTakeFirst();
  return row && threadFrom(row);
}

/** The caller has locked the issue. */
export async function updateThread(
  tx: Db,
  thread: ReviewThread,
  update: Pick<ReviewThread, 'isResolved' | 'resolvedById'>,
): Promise<ReviewThread> {
  await tx
    .updateTable('review_threads')
    .set({ is_resolved: Number(update.isResolved), resolved_by_id: update.resolvedById })
    .where('id', '=', thread.id)
    .execute();
  return { ...thread, ...update };
}

/** Which part of a list, in the order of ids: the first ones after an id, or the last ones before one. */
export interface IdSlice {
  after?: number | undefined;
  before?: number | undefined;
  limit: number;
  /** The last ones. */
  isBackward?: boolean | undefined;
}

/** Those of a pull request that the account sees a comment of, in the order of their ids. */
export async function listThreads(
  db: Db,
  issueId: number,
  { after = 0, before = Number.MAX_SAFE_INTEGER, limit, isBackward }: IdSlice,
  accountId: string | undefined,
): Promise<ReviewThread[]> {
  const { rows } = await sql<Selectable<ReviewThreadRow>>`
    select * from review_threads
    where issue_id = ${issueId} and id > ${after} and id < ${before} and exists (
      select 1 from review_comments
      where review_comments.thread_id = review_threads.id and ${visibleTo(accountId)})
    order by id ${isBackward === true ? sql`desc` : sql`asc`} limit ${limit}`.execute(db);
  const threads = rows.map(threadFrom);
  return isBackward === true ? threads.reverse() : threads;
}

function threadFrom(row: Selectable<ReviewThreadRow>): ReviewThread {
  return {
    id: row.id,
    issueId: row.issue_id,
    isResolved: row.is_resolved === 1,
    resolvedById: row.resolved_by_id,
  };
}

/** How many comments of each thread to read, and whose own ones of pending reviews too. */
export interface ThreadSlice extends Omit<IdSlice, 'limit'> {
  perThread: number;
  accountId?: string | undefined;
}

/** By thread, the oldest first. */
export async function listThreadComments(
  db: Db,
  threadIds: readonly number[],
  slice: ThreadSlice,
): Promise<Map<number, ReviewComment[]>> {
  const threads = new Map<number, ReviewComment[]>();
  for (const some of chunk([...new Set(threadIds)])) {
    const { rows } = await sql<Selectable<ReviewCommentRow> & { pull_number: number }>`
      select review_comments.*, issues.number as pull_number
      from review_comments join issues on issues.id = review_comments.issue_id
      where review_comments.id in (${idsIn(some, slice)})
      order by review_comments.id`.execute(db);
    for (const row of rows) {
      const comment = commentFrom(row);
      const own = threads.get(comment.threadId);
      if (own === undefined) threads.set(comment.threadId, [comment]);
      else own.push(comment);
    }
  }
  return threads;
}

/** How many comments `listThreadComments` would read, and how many characters they have. */
export async function measureThreadComments(
  db: Db,
  threadIds: readonly number[],
  slice: ThreadSlice,
): Promise<{ comments: number; characters: number }> {
  const measured = { comments: 0, characters: 0 };
  for (const some of chunk([...new Set(threadIds)])) {
    const { rows } = await sql<{ comments: number; characters: number }>`
      select count(*) as comments,
        cast(coalesce(sum(length(body) + length(diff_hunk)), 0) as bigint) as characters
      from review_comments where id in (${idsIn(some, slice)})`.execute(db);
    measured.comments += rows[0]!.comments;
    measured.characters += rows[0]!.characters;
  }
  return measured;
}

/** The first or last comments of each thread. */
function idsIn(
  threadIds: readonly number[],
  { after = 0, before = Number.MAX_SAFE_INTEGER, perThread, isBackward, accountId }: ThreadSlice,
): RawBuilder<unknown> {
  return sql`
    select id from (
      select id, row_number() over (
        partition by thread_id order by id ${isBackward === true ? sql`desc` : sql`asc`}) as place
      from review_comments
      where thread_id in (${sql.join(threadIds)}) and id > ${after} and id < ${before}
        and ${visibleTo(accountId)}) as placed
    where place <= ${perThread}`;
}

/** In subqueries on comments. */
function visibleTo(accountId: string | undefined): RawBuilder<boolean> {
  return accountId === undefined ? sql`is_pending = 0` : sql`(is_pending = 0 or author_id = ${accountId})`;
}
