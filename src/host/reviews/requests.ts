// What calls about reviews send, and what of it is refused.
import { OneOf, PlainText, Nullable, Type } from '../../kernel/schema/schema.ts';
import type { Failure } from '../../kernel/failure.ts';
import { MAX_BODY_LENGTH } from '../issues/issue.ts';
import { checkedBody, invalidField } from '../issues/requests.ts';
import { pullRefused } from '../pulls/pull.ts';
import { ReviewCommentDrafts } from '../review-comments/requests.ts';
import { MAX_REQUESTED, type ReviewState } from './review.ts';

/** What becomes of a review when it is submitted. */
export const REVIEW_EVENTS = ['APPROVE', 'REQUEST_CHANGES', 'COMMENT'] as const;
export type ReviewEvent = (typeof REVIEW_EVENTS)[number];

export const STATE_AFTER: Readonly<Record<ReviewEvent, ReviewState>> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
};

const Body = PlainText({
  description: `Markdown, at most ${MAX_BODY_LENGTH} characters. Required for \`REQUEST_CHANGES\` and \`COMMENT\` of a review without comments`,
});

export const ReviewCreation = Type.Object(
  {
    commit_id: Type.Optional(
      Nullable(PlainText({ description: 'A commit of the pull request; its head if absent' })),
    ),
    body: Type.Optional(Nullable(Body)),
    event: Type.Optional(OneOf(REVIEW_EVENTS, { description: 'Without it, the review is pending' })),
    comments: Type.Optional(ReviewCommentDrafts),
  },
  { $id: 'pull-request-review-create' },
);

export const ReviewPut = Type.Object({ body: Body }, { $id: 'pull-request-review-update' });

export const ReviewSubmission = Type.Object(
  { body: Type.Optional(Nullable(Body)), event: OneOf(REVIEW_EVENTS) },
  { $id: 'pull-request-review-submission' },
);

export const ReviewDismissal = Type.Object(
  {
    message: PlainText({ maxLength: MAX_BODY_LENGTH, description: 'Why' }),
    event: Type.Optional(OneOf(['DISMISS'])),
  },
  { $id: 'pull-request-review-dismissal' },
);

/** More are refused by the rules, in their own words; this bounds the work until then. */
const MAX_SENT = 100;
const Logins = Type.Array(PlainText(), { maxItems: MAX_SENT, description: 'Logins' });
const Slugs = Type.Array(PlainText(), { maxItems: MAX_SENT, description: 'Slugs of teams' });

export const ReviewersAddition = Type.Object(
  { reviewers: Type.Optional(Logins), team_reviewers: Type.Optional(Slugs) },
  { $id: 'requested-reviewers-addition', description: `At most ${MAX_REQUESTED} in all` },
);

export const ReviewersRemoval = Type.Object(
  { reviewers: Logins, team_reviewers: Type.Optional(Slugs) },
  { $id: 'requested-reviewers-removal' },
);

/** White space alone says nothing: a review that needs words needs others. */
export function checkedReviewBody(
  body: string,
  { state, hasComments }: { state: ReviewState; hasComments: boolean },
): string {
  const needsWords = state === 'CHANGES_REQUESTED' || state === 'COMMENTED';
  if (needsWords && !hasComments && body.trim() === '')
    throw invalidField('body', "can't be blank", 'missing_field');
  return checkedBody(body);
}

export function checkedMessage(message: string): string {
  if (message.trim() === '') throw invalidField('message', "can't be blank", 'missing_field');
  return message;
}

/** Nobody approves what they have written themselves. In the words that clients know. */
export function ownReviewRefused(state: ReviewState): Failure {
  return pullRefused(
    state === 'APPROVED'
      ? 'Can not approve your own pull request'
      : 'Can not request changes on your own pull request',
  );
}

export function secondPending(): Failure {
  return pullRefused('User can only have one pending review per pull request');
}

const WORDS: Readonly<Record<ReviewState, string>> = {
  APPROVED: 'an approved',
  CHANGES_REQUESTED: 'a changes requested',
  COMMENTED: 'a commented',
  DISMISSED: 'a dismissed',
  PENDING: 'a pending',
};

export function notPending(verb: 'delete' | 'submit'): Failure {
  return pullRefused(`Can not ${verb} a non-pending pull request review`);
}

export function notDismissable({ state }: { state: ReviewState }): Failure {
  return pullRefused(`Can not dismiss ${WORDS[state]} pull request review`);
}
