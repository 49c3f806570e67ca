// Records what happened to reviews for webhooks and feeds, in the transaction of the change.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { EventDetails, HostEvent } from '../events/model.ts';
import { recordEvents } from '../events/record-event.ts';
import type { Issue } from '../issues/issue.ts';
import { showPullForPayload } from '../issues/record-actions.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { Review } from './review.ts';
import { showReviews } from './show-reviews.ts';

/** In the words of webhooks. */
export type ReviewAction = { review: Review } & (
  | { action: 'submitted' | 'dismissed' }
  | { action: 'edited'; changes: { body: { from: string } } }
);

/** In this order. The pull request is shown as it is after all of them. */
export async function recordReviewActions(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
  actions: readonly ReviewAction[],
): Promise<void> {
  if (actions.length === 0) return;
  const place = await showPullForPayload(tx, found, issue);
  const shown = await showReviews(
    tx.db,
    found,
    actions.map(({ review }) => review),
  );
  const events = actions.map(({ action, review: _review, ...more }, index): HostEvent => ({
    name: 'pull_request_review',
    action,
    details: {
      pull: place.pull,
      review: shown[index]!,
      ...more,
    } satisfies EventDetails['pull_request_review'],
  }));
  await recordEvents(tx, events, { found: place.found });
}
