// Reviews and requests for them as replies show them.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { BODY_FIELDS, type ShownBody } from '../contents/render-bodies.ts';
import { ASSOCIATIONS } from '../issues/people/associations.ts';
import type { ShownAuthor } from '../issues/people/show-authors.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, toSimpleUser } from '../owners/model.ts';
import type { ShownPull } from '../pulls/model.ts';
import { ListedTeam, toListedTeam } from '../teams/model.ts';
import { isoSeconds } from '../times.ts';
import { REVIEW_STATES, type Review } from './review.ts';
import { siteOf } from '../site.ts';

const Link = Type.Object({ href: Type.String() });

export const ReviewReply = Type.Object(
  {
    id: Type.Integer(),
    node_id: Type.String(),
    user: Nullable(SimpleUser),
    ...BODY_FIELDS,
    state: OneOf(REVIEW_STATES),
    html_url: Type.String(),
    pull_request_url: Type.String(),
    _links: Type.Object({ html: Link, pull_request: Link }),
    submitted_at: Type.Optional(Type.String({ format: 'date-time', description: 'Unless it is pending' })),
    commit_id: Nullable(Type.String({ description: 'What was reviewed: the head of that time' })),
    author_association: OneOf(ASSOCIATIONS),
  },
  { $id: 'pull-request-review' },
);

/** A review with all that its reply nests. It is JSON: events keep it for payloads. */
export interface ShownReview extends ShownAuthor {
  review: Review;
}

/** Where a review is shown: `owner/name` of the repository, the number of the pull request, and the address of the API. */
export interface ReviewPlace {
  fullName: string;
  number: number;
  base: string;
}

export function toReview(
  { review, author, association }: ShownReview,
  { fullName, number, base }: ReviewPlace,
  body: ShownBody,
): Static<typeof ReviewReply> {
  const { id, state, commitId, submittedAt } = review;
  const htmlUrl = `${siteOf(base)}/${fullName}/pull/${number}#pullrequestreview-${id}`;
  const pullUrl = `${base}/repos/${fullName}/pulls/${number}`;
  return {
    id,
    node_id: nodeId('PullRequestReview', id),
    user: author === null ? null : toSimpleUser(author, base),
    ...body,
    state,
    html_url: htmlUrl,
    pull_request_url: pullUrl,
    _links: { html: { href: htmlUrl }, pull_request: { href: pullUrl } },
    ...(submittedAt !== null && { submitted_at: isoSeconds(submittedAt) }),
    commit_id: commitId,
    author_association: association,
  };
}

export const RequestedReviewers = Type.Object(
  { users: Type.Array(SimpleUser), teams: Type.Array(ListedTeam) },
  { $id: 'pull-request-review-request' },
);

export function toRequestedReviewers(
  { reviewers, teams }: Pick<ShownPull, 'reviewers' | 'teams'>,
  base: string,
): Static<typeof RequestedReviewers> {
  return {
    users: reviewers.map((user) => toSimpleUser(user, base)),
    teams: teams.map(({ team, organization }) =>
      toListedTeam({ team, organization, parent: team.parent ?? undefined }, base),
    ),
  };
}
