// Records what happened to comments on lines and to their threads for webhooks and feeds, in the transaction of the change.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { EventDetails, HostEvent } from '../events/model.ts';
import { recordEvents } from '../events/record-event.ts';
import { showComments } from '../issue-comments/show-comments.ts';
import type { Issue } from '../issues/issue.ts';
import { showPullForPayload } from '../issues/record-actions.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { ReviewComment } from './review-comment.ts';

/** In the words of webhooks. */
export type ReviewCommentAction = { comment: ReviewComment } & (
  | { action: 'created' | 'deleted' }
  | { action: 'edited'; changes: { body: { from: string } } }
);

/** In this order. The pull request is shown as it is after all of them. */
export async function recordCommentActions(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
  actions: readonly ReviewCommentAction[],
): Promise<void> {
  if (actions.length === 0) return;
  const place = await showPullForPayload(tx, found, issue);
  const shown = await showComments(
    tx.db,
    found,
    actions.map(({ comment }) => comment),
  );
  const events = actions.map(({ action, comment: _comment, ...more }, index): HostEvent => ({
    name: 'pull_request_review_comment',
    action,
    details: {
      pull: place.pull,
      comment: shown[index]!,
      ...more,
    } satisfies EventDetails['pull_request_review_comment'],
  }));
  await recordEvents(tx, events, { found: place.found });
}

/** `comments` are the first of the thread. */
export async function recordThreadAction(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
  { action, threadId, comments }: { action: string; threadId: number; comments: readonly ReviewComment[] },
): Promise<void> {
  const place = await showPullForPayload(tx, found, issue);
  const details = {
    pull: place.pull,
    thread: { id: threadId, comments: await showComments(tx.db, found, comments) },
  } satisfies EventDetails['pull_request_review_thread'];
  await recordEvents(tx, [{ name: 'pull_request_review_thread', action, details }], { found: place.found });
}
