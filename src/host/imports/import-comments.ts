// Writes imported comments, reviews and comments on lines, with their times and authors, and the counts that follow from them.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { insertComment } from '../issue-comments/store.ts';
import { subscribedBy } from '../issues/lists/facets.ts';
import type { Author, Issue } from '../issues/issue.ts';
import { checkedBody } from '../issues/requests.ts';
import { addFacets } from '../issues/lists/store-facets.ts';
import { updateIssue } from '../issues/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { addToReviewCommentCount } from '../review-comments/store.ts';
import { parseTime } from '../times.ts';
import { insertIssueEvents } from '../timeline/store.ts';
import type { BatchResult, ImportedKind, SentComment, SentReview, SentReviewComment } from './model.ts';
import type { ImportedPeople } from './people.ts';
import {
  insertImported,
  insertReviewCommentRow,
  insertReviewRow,
  insertThread,
  listImported,
  lockIssuesByNumber,
  updateReplies,
  type ImportedItem,
} from './store.ts';

interface CommentImport {
  found: FoundRepository;
  people: ImportedPeople;
}

interface Written {
  issue: Issue;
  author: Author;
  body: string;
  createdAt: number;
  updatedAt: number;
}

export async function importComments(
  tx: ChangeTransaction,
  work: CommentImport,
  sent: readonly SentComment[],
): Promise<BatchResult> {
  const { db } = tx;
  const counts = new Map<number, { issue: Issue; count: number }>();
  const result = await importEach(tx, work, 'comment', sent, async (_one, { issue, ...written }) => {
    const { id } = await insertComment(db, issue, written);
    await insertIssueEvents(
      db,
      issue,
      [{ event: 'commented', isListed: false, ...actorOf(written.author), subjectId: id }],
      written.createdAt,
    );
    if (written.author.id !== null) await addFacets(db, issue, [subscribedBy(written.author.id)]);
    counts.set(issue.id, { issue, count: (counts.get(issue.id)?.count ?? 0) + 1 });
    return id;
  });
  for (const { issue, count } of counts.values())
    await updateIssue(db, issue, { commentCount: issue.commentCount + count });
  return result;
}

export async function importReviews(
  tx: ChangeTransaction,
  work: CommentImport,
  sent: readonly SentReview[],
): Promise<BatchResult> {
  return await importEach(tx, work, 'review', sent, async (one, written) =>
    insertReview(tx, written, { state: one.state, commitId: one.commit_id }),
  );
}

async function insertReview(
  { db }: ChangeTransaction,
  { issue, author, body, createdAt, updatedAt }: Written,
  { state, commitId }: { state: string; commitId: string | null },
): Promise<number> {
  const id = await insertReviewRow(db, {
    issue_id: issue.id,
    author_id: author.id,
    author_name: author.name,
    state,
    body,
    commit_id: commitId,
    created_at: createdAt,
    submitted_at: createdAt,
    updated_at: updatedAt,
  });
  const reviewed = { event: 'reviewed', isListed: false as const, ...actorOf(author), subjectId: id };
  await insertIssueEvents(db, issue, [reviewed], createdAt);
  return id;
}

export async function importReviewComments(
  tx: ChangeTransaction,
  work: CommentImport,
  sent: readonly SentReviewComment[],
): Promise<BatchResult> {
  const { db } = tx;
  const { number: repositoryNumber } = work.found.repository;
  const listKnown = (kind: 'review' | 'review_comment' | 'thread', ids: readonly (number | null)[]) =>
    listImported(
      db,
      repositoryNumber,
      kind,
      ids.filter((id) => id !== null),
    );
  const reviews = await listKnown(
    'review',
    sent.map(({ review }) => review),
  );
  const rootIds = sent.map((one) => one.in_reply_to ?? one.source_id);
  const threads = await listKnown('thread', rootIds);
  const roots = await listKnown('review_comment', rootIds);
  const counts = new Map<number, number>();
  const newThreads: ImportedItem[] = [];
  const result = await importEach(tx, work, 'review_comment', sent, async (one, written) => {
    const { issue, author, createdAt, updatedAt } = written;
    const known = one.review === null ? undefined : reviews.get(one.review);
    // A comment that was written without a review has one of its own.
    const ownReview = { state: 'COMMENTED', commitId: one.original_commit_id };
    const reviewId = known ?? (await insertReview(tx, { ...written, body: '' }, ownReview));
    const rootId = one.in_reply_to ?? one.source_id;
    let threadId = threads.get(rootId);
    if (threadId === undefined) {
      threadId = await insertThread(db, issue.id);
      threads.set(rootId, threadId);
      newThreads.push({ sourceId: rootId, id: threadId, updatedAt });
      const begun = {
        event: 'line-commented',
        isListed: false as const,
        ...actorOf(author),
        subjectId: threadId,
      };
      await insertIssueEvents(db, issue, [begun], createdAt);
    }
    const id = await insertReviewCommentRow(db, {
      issue_id: issue.id,
      repository_number: repositoryNumber,
      review_id: reviewId,
      thread_id: threadId,
      in_reply_to: one.in_reply_to === null ? null : (roots.get(one.in_reply_to) ?? null),
      author_id: author.id,
      author_name: author.name,
      body: written.body,
      reactions: '{}',
      path: one.path,
      subject_type: one.subject_type,
      diff_hunk: one.diff_hunk,
      side: one.side,
      line: one.line,
      start_side: one.start_side,
      start_line: one.start_line,
      position: one.position,
      original_line: one.original_line,
      original_start_line: one.original_start_line,
      original_position: one.original_position,
      commit_id: one.commit_id,
      original_commit_id: one.original_commit_id,
      is_pending: 0,
      created_at: createdAt,
      updated_at: updatedAt,
    });
    if (one.in_reply_to === null) {
      roots.set(one.source_id, id);
      await updateReplies(db, threadId, id);
    }
    counts.set(issue.id, (counts.get(issue.id) ?? 0) + 1);
    return id;
  });
  await insertImported(db, repositoryNumber, 'thread', newThreads);
  for (const [issueId, count] of counts) await addToReviewCommentCount(db, issueId, count);
  return result;
}

function actorOf({ id, name }: Author): { actorId: string | null; actorName?: string } {
  return { actorId: id, ...(name !== null && { actorName: name }) };
}

/** Those that were imported before are left as they are, those of an issue that is not here are left out. The caller has locked the repository. */
async function importEach<Sent extends SentComment>(
  { db }: ChangeTransaction,
  { found, people }: CommentImport,
  kind: Exclude<ImportedKind, 'issue' | 'milestone'>,
  sent: readonly Sent[],
  insert: (one: Sent, written: Written) => Promise<number>,
): Promise<BatchResult> {
  const { number: repositoryNumber } = found.repository;
  const known = await listImported(
    db,
    repositoryNumber,
    kind,
    sent.map(({ source_id: id }) => id),
  );
  const added = [...new Map(sent.map((one) => [one.source_id, one])).values()].filter(
    ({ source_id: id }) => !known.has(id),
  );
  const issues = await lockIssuesByNumber(
    db,
    repositoryNumber,
    added.map(({ number }) => number),
  );
  const inserted: ImportedItem[] = [];
  const leftOut: BatchResult['left_out'] = [];
  for (const one of added) {
    const { source_id: sourceId, number } = one;
    const issue = issues.get(number);
    if (issue === undefined || (kind !== 'comment' && !issue.isPull)) {
      const what = kind === 'comment' ? 'issue' : 'pull request';
      leftOut.push({ kind, source_id: sourceId, reason: `There is no ${what} ${number} here.` });
      continue;
    }
    const updatedAt = parseTime('updated_at', one.updated_at);
    const createdAt = parseTime('created_at', one.created_at);
    const author = people.author(one.author);
    const id = await insert(one, { issue, author, body: checkedBody(one.body), createdAt, updatedAt });
    inserted.push({ sourceId, id, updatedAt });
  }
  await insertImported(db, repositoryNumber, kind, inserted);
  return {
    created: inserted.length,
    unchanged: sent.length - inserted.length - leftOut.length,
    left_out: leftOut,
  };
}
