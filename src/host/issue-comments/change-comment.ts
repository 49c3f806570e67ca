// The one way in which comments are written, changed and deleted: the row, the issue's count, lists and timeline, and webhooks, in one transaction.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { EventDetails } from '../events/model.ts';
import { recordEvent } from '../events/record-event.ts';
import { COMMENT_ON_ISSUE, type OpenedIssues } from '../issues/access.ts';
import { auditChangeByAnother, updateTimeOf, lockConversation, touchIssue } from '../issues/conversation.ts';
import { subscribedBy } from '../issues/lists/facets.ts';
import type { Author, Issue } from '../issues/issue.ts';
import { showForPayload } from '../issues/record-actions.ts';
import { addFacets } from '../issues/lists/store-facets.ts';
import { subjectOf } from '../reactions/model.ts';
import { deleteReactionsOf } from '../reactions/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { deleteIssueEvent, insertIssueEvents } from '../timeline/store.ts';
import { commentNotFound } from './access.ts';
import type { IssueComment } from './model.ts';
import { showComments } from './show-comments.ts';
import { recordReferences } from '../texts/record-references.ts';
import { deleteComment, findComment, insertComment, updateComment } from './store.ts';

const COMMENTED = 'commented';

/** Whoever comments subscribes to the issue. */
export async function createComment(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  issueId: number,
  { author, body }: { author: Author; body: string },
): Promise<IssueComment> {
  const { db } = tx;
  const { now } = tx.actor;
  const issue = await lockConversation(tx, opened, issueId);
  const comment = await insertComment(db, issue, { author, body, createdAt: now, updatedAt: now });
  const changed = await touchIssue(tx, issue, { commentCount: issue.commentCount + 1 });
  if (author.id !== null) await addFacets(db, changed, [subscribedBy(author.id)]);
  const { id: actorId } = author;
  const event = { event: COMMENTED, isListed: false as const, actorId, subjectId: comment.id };
  await insertIssueEvents(db, changed, [event], now);
  await recordReferences(tx, opened, changed, body);
  await recordCommentAction(tx, opened, changed, comment, { action: 'created' });
  return comment;
}

/** The same text changes nothing and is not recorded. */
export async function editComment(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  { id, issueId }: Pick<IssueComment, 'id' | 'issueId'>,
  body: string,
): Promise<IssueComment> {
  const issue = await lockConversation(tx, opened, issueId);
  const comment = await readComment(tx, issue, id);
  if (comment.body === body) return comment;
  const changed = await updateComment(tx.db, comment, { body, updatedAt: updateTimeOf(tx, comment) });
  const changes = { body: { from: comment.body } };
  const touched = await touchIssue(tx, issue);
  await recordReferences(tx, opened, touched, body);
  await recordCommentAction(tx, opened, touched, changed, { action: 'edited', changes });
  auditComment(tx, opened, comment, 'changed');
  return changed;
}

/** Its reactions and its place in the timeline go with it. */
export async function removeComment(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  { id, issueId }: Pick<IssueComment, 'id' | 'issueId'>,
): Promise<void> {
  const { db } = tx;
  const issue = await lockConversation(tx, opened, issueId);
  const comment = await readComment(tx, issue, id);
  await deleteComment(db, id);
  await deleteReactionsOf(db, subjectOf('comment', id));
  await deleteIssueEvent(db, issueId, { event: COMMENTED, subjectId: id });
  const touched = await touchIssue(tx, issue, { commentCount: issue.commentCount - 1 });
  await recordCommentAction(tx, opened, touched, comment, { action: 'deleted' });
  auditComment(tx, opened, comment, 'deleted');
}

/** Another call may have deleted it before the issue was locked. */
async function readComment(
  { db }: ChangeTransaction,
  { repositoryNumber }: Issue,
  id: number,
): Promise<IssueComment> {
  const comment = await findComment(db, repositoryNumber, id);
  if (comment === undefined) throw commentNotFound();
  return comment;
}

type CommentAction =
  | { action: 'created' | 'deleted' }
  | { action: 'edited'; changes: EventDetails['issue_comment.edited']['changes'] };

async function recordCommentAction(
  tx: ChangeTransaction,
  opened: FoundRepository,
  issue: Issue,
  comment: IssueComment,
  { action, ...more }: CommentAction,
): Promise<void> {
  const shown = await showForPayload(tx, opened, issue);
  const [shownComment] = await showComments(tx.db, opened, [comment]);
  const details = {
    issue: shown.issue,
    comment: shownComment!,
    ...more,
  } satisfies EventDetails['issue_comment.created'];
  await recordEvent(tx, { name: 'issue_comment', action, details }, { found: shown.found });
}

function auditComment(
  tx: ChangeTransaction,
  found: FoundRepository,
  { id, issueNumber, author }: IssueComment,
  verb: 'changed' | 'deleted',
): void {
  auditChangeByAnother(tx, found, {
    action: COMMENT_ON_ISSUE.action,
    author,
    verb: `${verb} a comment of somebody else on issue ${issueNumber} of`,
    before: { comment: id },
  });
}
