// The one way in which comments are written, changed and deleted: the row, the issue's count, lists and timeline, and webhooks, in one transaction.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import type { EventDetails } from '../events/model.ts';
import { recordEvent } from '../events/record-event.ts';
import {
  COMMENT_ON_ISSUE,
  issueNotFound,
  requireOpenConversation,
  type OpenedIssues,
} from '../issues/access.ts';
import { subscribedBy } from '../issues/lists/facets.ts';
import type { Author, Issue } from '../issues/issue.ts';
import { showForPayload } from '../issues/record-actions.ts';
import { addFacets } from '../issues/lists/store-facets.ts';
import { lockIssue, updateIssue } from '../issues/store.ts';
import { subjectOf } from '../reactions/model.ts';
import { deleteReactionsOf } from '../reactions/store.ts';
import { entryOwnerOf, type FoundRepository } from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
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
  const issue = await lockOpenIssue(tx, opened, issueId);
  const comment = await insertComment(db, issue, { author, body, createdAt: now, updatedAt: now });
  const changed = await touchIssue(tx, issue, 1);
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
  const issue = await lockOpenIssue(tx, opened, issueId);
  const comment = await readComment(tx, issue, id);
  if (comment.body === body) return comment;
  const changed = await updateComment(tx.db, comment, { body, updatedAt: laterOf(tx, comment) });
  const changes = { body: { from: comment.body } };
  const touched = await touchIssue(tx, issue, 0);
  await recordReferences(tx, opened, touched, body);
  await recordCommentAction(tx, opened, touched, changed, { action: 'edited', changes });
  auditChangeByAnother(tx, opened, comment, 'changed');
  return changed;
}

/** Its reactions and its place in the timeline go with it. */
export async function removeComment(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  { id, issueId }: Pick<IssueComment, 'id' | 'issueId'>,
): Promise<void> {
  const { db } = tx;
  const issue = await lockOpenIssue(tx, opened, issueId);
  const comment = await readComment(tx, issue, id);
  await deleteComment(db, id);
  await deleteReactionsOf(db, subjectOf('comment', id));
  await deleteIssueEvent(db, issueId, { event: COMMENTED, subjectId: id });
  const touched = await touchIssue(tx, issue, -1);
  await recordCommentAction(tx, opened, touched, comment, { action: 'deleted' });
  auditChangeByAnother(tx, opened, comment, 'deleted');
}

/** Comments change under the lock of their issue, so that its count is true, and so is that it was not locked meanwhile. */
async function lockOpenIssue(
  { db }: ChangeTransaction,
  { role }: OpenedIssues,
  issueId: number,
): Promise<Issue> {
  const issue = await lockIssue(db, issueId);
  if (issue === undefined) throw issueNotFound();
  requireOpenConversation({ issue, role });
  return issue;
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

async function touchIssue(tx: ChangeTransaction, issue: Issue, difference: 1 | 0 | -1): Promise<Issue> {
  const commentCount = issue.commentCount + difference;
  return await updateIssue(tx.db, issue, { commentCount, updatedAt: laterOf(tx, issue) });
}

/** Of calls at the same time, one that began earlier may come later. */
function laterOf({ actor }: ChangeTransaction, { updatedAt }: { updatedAt: number }): number {
  return Math.max(actor.now, updatedAt);
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

/** Comments are data, as stars are, and not in the audit log; but their authors may ask who has changed or removed them. */
function auditChangeByAnother(
  tx: ChangeTransaction,
  found: FoundRepository,
  { id, issueNumber, author }: IssueComment,
  verb: 'changed' | 'deleted',
): void {
  const { caller } = tx.actor;
  if (caller !== undefined && accountOf(caller).id === author.id) return;
  tx.record({
    accesses: [{ action: COMMENT_ON_ISSUE.action, resource: repositoryResource(found) }],
    kind: 'repository',
    name: found.repository.name,
    verb: `${verb} a comment of somebody else on issue ${issueNumber} of`,
    ...entryOwnerOf(found),
    before: { comment: id, author: author.id ?? author.name },
  });
}
