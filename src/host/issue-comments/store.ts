// Comments on issues in the database. The count in the issue's row changes in the same transaction, under its lock.
import { sql, type Selectable, type SelectQueryBuilder } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import type { Author, Issue, ReactionCounts } from '../issues/issue.ts';
import type { IssueCommentRow } from '../issues/tables.ts';
import type { IssueComment } from './model.ts';

interface NewComment {
  author: Author;
  body: string;
  createdAt: number;
  updatedAt: number;
}

/** The caller has locked the issue. */
export async function insertComment(
  tx: Db,
  issue: Pick<Issue, 'id' | 'number' | 'isPull' | 'repositoryNumber'>,
  { author, body, createdAt, updatedAt }: NewComment,
): Promise<IssueComment> {
  const row = await tx
    .insertInto('issue_comments')
    .values({
      issue_id: issue.id,
      repository_number: issue.repositoryNumber,
      author_id: author.id,
      author_name: author.name,
      body,
      reactions: '{}',
      created_at: createdAt,
      updated_at: updatedAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return commentFrom({ ...row, issue_number: issue.number, is_pull: Number(issue.isPull) });
}

export async function findComment(
  db: Db,
  repositoryNumber: number,
  id: number,
): Promise<IssueComment | undefined> {
  const row = await commentsWithIssues(db)
    .where('issue_comments.id', '=', id)
    .where('issue_comments.repository_number', '=', repositoryNumber)
    .executeTakeFirst();
  return row && commentFrom(row);
}

/** Those that are gone are missing. */
export async function listCommentsById(db: Db, ids: readonly number[]): Promise<IssueComment[]> {
  if (ids.length === 0) return [];
  const rows = await commentsWithIssues(db)
    .where('issue_comments.id', 'in', [...new Set(ids)])
    .execute();
  return rows.map(commentFrom);
}

/** The caller has locked its issue. */
export async function updateComment(
  tx: Db,
  comment: IssueComment,
  update: Pick<IssueComment, 'body' | 'updatedAt'>,
): Promise<IssueComment> {
  await tx
    .updateTable('issue_comments')
    .set({ body: update.body, updated_at: update.updatedAt })
    .where('id', '=', comment.id)
    .execute();
  return { ...comment, ...update };
}

/** The caller has locked its issue. */
export async function deleteComment(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('issue_comments').where('id', '=', id).execute();
}

export interface CommentFilter {
  /** Of an issue, or of all issues of a repository. */
  of: { issueId: number } | { repositoryNumber: number; arePulls?: true };
  updatedSince?: number;
}

interface CommentOrder {
  sort: 'created' | 'updated';
  desc: boolean;
}

export async function listComments(
  db: Db,
  filter: CommentFilter,
  order: CommentOrder,
  { offset, limit }: Slice,
): Promise<IssueComment[]> {
  const direction = order.desc ? 'desc' : 'asc';
  const column = order.sort === 'created' ? 'created_at' : 'updated_at';
  // Ids first, from an index alone: texts of comments that are passed over are not read.
  const ids = filtered(db, filter)
    .select('issue_comments.id')
    .orderBy(`issue_comments.${column}`, direction)
    .orderBy('issue_comments.id', direction)
    .limit(limit)
    .offset(offset);
  const rows = await commentsWithIssues(db)
    .where('issue_comments.id', 'in', ids)
    .orderBy(`issue_comments.${column}`, direction)
    .orderBy('issue_comments.id', direction)
    .execute();
  return rows.map(commentFrom);
}

/** At most `max`. */
export async function countComments(db: Db, filter: CommentFilter, max: number): Promise<number> {
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
  { of, updatedSince }: CommentFilter,
): SelectQueryBuilder<Tables, 'issue_comments', object> {
  const comments = db.selectFrom('issue_comments');
  const own =
    'issueId' in of
      ? comments.where('issue_comments.issue_id', '=', of.issueId)
      : comments.where('issue_comments.repository_number', '=', of.repositoryNumber);
  const since = updatedSince === undefined ? own : own.where('issue_comments.updated_at', '>=', updatedSince);
  if (!('arePulls' in of)) return since;
  return since.where(({ exists, selectFrom }) =>
    exists(
      selectFrom('issues')
        .select('issues.id')
        .whereRef('issues.id', '=', 'issue_comments.issue_id')
        .where('issues.is_pull', '=', 1),
    ),
  );
}

function commentsWithIssues(db: Db) {
  return db
    .selectFrom('issue_comments')
    .innerJoin('issues', 'issues.id', 'issue_comments.issue_id')
    .selectAll('issue_comments')
    .select(['issues.number as issue_number', 'issues.is_pull']);
}

function commentFrom(
  row: Selectable<IssueCommentRow> & { issue_number: number; is_pull: number },
): IssueComment {
  return {
    id: row.id,
    issueId: row.issue_id,
    issueNumber: row.issue_number,
    isOnPull: row.is_pull === 1,
    repositoryNumber: row.repository_number,
    author: { id: row.author_id, name: row.author_name },
    body: row.body,
    reactions: JSON.parse(row.reactions) as ReactionCounts,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
