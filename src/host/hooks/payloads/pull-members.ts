// The members of the payloads of pull requests, reviews and comments on lines.
import { toLabel, type Label } from '../../labels/model.ts';
import { toMilestone, type ShownMilestone } from '../../milestones/model.ts';
import type { Static } from '../../../kernel/schema/schema.ts';
import type { EventDetails } from '../../events/model.ts';
import { GHOST, type RepositoryOwner } from '../../owners/model.ts';
import {
  toPull,
  toPullSimple,
  type PullSimpleReply,
  type RequestedTeam,
  type ShownPull,
} from '../../pulls/model.ts';
import type { FoundRepository } from '../../repositories/access.ts';
import { nodeId } from '../../node-id.ts';
import { toReviewComment, type ShownReviewComment } from '../../review-comments/model.ts';
import { toReview } from '../../reviews/model.ts';
import { isoSeconds } from '../../times.ts';
import type { ShownRepository } from '../../repositories/model.ts';
import { repositoryInPayload, teamInPayload, userInPayload, type PayloadObject } from './shared-members.ts';

interface PullDetails {
  pull: ShownPull;
  reviewer?: RepositoryOwner;
  team?: RequestedTeam;
  label?: Label;
  assignee?: RepositoryOwner;
  milestone?: ShownMilestone;
  changes?: { body?: { from: string | null } };
}

export function pullMembers(
  details: PayloadObject,
  { repository, owner }: FoundRepository,
  base: string,
): PayloadObject {
  const { pull, reviewer, team, label, assignee, milestone, changes, ...others } =
    details as unknown as PullDetails;
  const fullName = `${owner.login}/${repository.name}`;
  return {
    ...others,
    number: pull.shown.issue.number,
    pull_request: pullInPayload(pull, base),
    ...(reviewer && { requested_reviewer: userInPayload(reviewer, base) }),
    ...(team && { requested_team: teamInPayload(team.team, team.organization, base) }),
    ...(label && { label: toLabel(label, `${base}/repos/${fullName}`) }),
    ...(assignee && { assignee: userInPayload(assignee, base) }),
    ...(milestone && { milestone: toMilestone(milestone, fullName, base) }),
    ...(changes && { changes: withTexts(changes) }),
  };
}

/** Receivers expect a text where there was none. */
function withTexts(changes: NonNullable<PullDetails['changes']>): PayloadObject {
  return { ...changes, ...(changes.body && { body: { from: changes.body.from ?? '' } }) };
}

/** In payloads about reviews, which have fewer members of the pull request. */
export function reviewMembers(
  details: PayloadObject,
  { repository, owner }: FoundRepository,
  base: string,
): PayloadObject {
  const { pull, review, ...others } = details as unknown as EventDetails['pull_request_review'];
  const { submittedAt, body } = review.review;
  const place = { fullName: `${owner.login}/${repository.name}`, number: pull.shown.issue.number, base };
  const shown = toReview({ ...review, author: review.author ?? GHOST }, place, { body });
  return {
    ...others,
    review: {
      ...shown,
      state: shown.state.toLowerCase(),
      submitted_at: submittedAt === null ? null : isoSeconds(submittedAt),
    },
    pull_request: simplePullInPayload(pull, base),
  };
}

export function reviewCommentMembers(
  details: PayloadObject,
  found: FoundRepository,
  base: string,
): PayloadObject {
  const { pull, comment, ...others } = details as unknown as EventDetails['pull_request_review_comment'];
  return {
    ...others,
    comment: reviewCommentInPayload(comment, found, base),
    pull_request: simplePullInPayload(pull, base),
  };
}

export function threadMembers(details: PayloadObject, found: FoundRepository, base: string): PayloadObject {
  const { pull, thread } = details as unknown as EventDetails['pull_request_review_thread'];
  return {
    thread: {
      node_id: nodeId('PullRequestReviewThread', thread.id),
      comments: thread.comments.map((comment) => reviewCommentInPayload(comment, found, base)),
    },
    pull_request: simplePullInPayload(pull, base),
  };
}

/** Receivers expect a line where the comment is on a file. */
function reviewCommentInPayload(
  shown: ShownReviewComment,
  { repository, owner }: FoundRepository,
  base: string,
): PayloadObject {
  const place = { fullName: `${owner.login}/${repository.name}`, base };
  const { body, originalLine } = shown.comment;
  const comment = toReviewComment({ ...shown, author: shown.author ?? GHOST }, place, { body });
  return { ...comment, original_line: originalLine ?? 1 };
}

function pullInPayload(pull: ShownPull, base: string): PayloadObject {
  return withPayloadShapes(pull, toPull(pull, base, { body: pull.shown.issue.body }), base);
}

function simplePullInPayload(pull: ShownPull, base: string): PayloadObject {
  return withPayloadShapes(pull, toPullSimple(pull, base, { body: pull.shown.issue.body }), base);
}

/** Repositories and teams have the shape of payloads. */
function withPayloadShapes(
  pull: ShownPull,
  { head, base: into, ...shown }: Static<typeof PullSimpleReply>,
  base: string,
): PayloadObject {
  const repo = (one: ShownRepository | null) => (one === null ? null : repositoryInPayload(one, base));
  return {
    ...shown,
    head: { ...head, repo: repo(pull.head.repository) },
    base: { ...into, repo: repo(pull.base) },
    requested_teams: pull.teams.map(({ team, organization }) => teamInPayload(team, organization, base)),
  };
}
