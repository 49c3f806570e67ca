// Reactions in the database. The counts in the subject's row change in the same transaction, under the lock of its issue.
import type { Selectable } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { ReactionContent, ReactionCounts } from '../issues/issue.ts';
import type { ReactionRow } from '../issues/tables.ts';
import { subjectKeyOf, type Reaction, type ReactionSubject, type SubjectKind } from './model.ts';

const TABLES = {
  issue: 'issues',
  comment: 'issue_comments',
  'review-comment': 'review_comments',
} as const satisfies Record<SubjectKind, string>;

/** Undefined where the subject is gone. */
export async function findReactionCounts(
  db: Db,
  { kind, id }: ReactionSubject,
): Promise<ReactionCounts | undefined> {
  const row = await db.selectFrom(TABLES[kind]).select('reactions').where('id', '=', id).executeTakeFirst();
  return row && (JSON.parse(row.reactions) as ReactionCounts);
}

/** The caller has locked the issue that the subject belongs to. */
export async function updateReactionCounts(
  tx: Db,
  { kind, id }: ReactionSubject,
  counts: ReactionCounts,
): Promise<void> {
  await tx
    .updateTable(TABLES[kind])
    .set({ reactions: JSON.stringify(counts) })
    .where('id', '=', id)
    .execute();
}

/** Undefined where the account has reacted so already. */
export async function insertReaction(
  tx: Db,
  subject: ReactionSubject,
  { issueId, ...fields }: Omit<Reaction, 'id'> & { issueId: number },
): Promise<Reaction | undefined> {
  const row = await tx
    .insertInto('reactions')
    .values({
      issue_id: issueId,
      subject: subjectKeyOf(subject),
      account_id: fields.accountId,
      content: fields.content,
      created_at: fields.createdAt,
    })
    .onConflict((conflict) => conflict.columns(['subject', 'account_id', 'content']).doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && reactionFrom(row);
}

export async function findReaction(
  db: Db,
  subject: ReactionSubject,
  which: number | { accountId: string; content: ReactionContent },
): Promise<Reaction | undefined> {
  const own = db.selectFrom('reactions').selectAll().where('subject', '=', subjectKeyOf(subject));
  const found =
    typeof which === 'number'
      ? own.where('id', '=', which)
      : own.where('account_id', '=', which.accountId).where('content', '=', which.content);
  const row = await found.executeTakeFirst();
  return row && reactionFrom(row);
}

/** The oldest first. */
export async function listReactions(
  db: Db,
  subject: ReactionSubject,
  content: ReactionContent | undefined,
  { offset, limit }: Slice,
): Promise<Reaction[]> {
  const all = db.selectFrom('reactions').selectAll().where('subject', '=', subjectKeyOf(subject));
  const rows = await (content === undefined ? all : all.where('content', '=', content))
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(reactionFrom);
}

export async function deleteReaction(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('reactions').where('id', '=', id).execute();
}

/** With a subject that is deleted. */
export async function deleteReactionsOf(tx: Db, subject: ReactionSubject): Promise<void> {
  await tx.deleteFrom('reactions').where('subject', '=', subjectKeyOf(subject)).execute();
}

function reactionFrom(row: Selectable<ReactionRow>): Reaction {
  return {
    id: row.id,
    accountId: row.account_id,
    content: row.content as ReactionContent,
    createdAt: row.created_at,
  };
}
