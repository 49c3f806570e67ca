// Pull requests in feeds: only what names them, and their branches as the caller may see them at this moment.
import type { Caller } from '../../kernel/identity/caller.ts';
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { ShownIssue } from '../issues/model.ts';
import { LabelReply, toLabel } from '../labels/model.ts';
import { GHOST, SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import type { Pull } from '../pulls/pull.ts';
import { listPulls } from '../pulls/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { ReviewCommentReply, toReviewComment, type ShownReviewComment } from '../review-comments/model.ts';
import { ReviewReply, toReview, type ShownReview } from '../reviews/model.ts';
import { isoSeconds } from '../times.ts';
import { showRepositories } from '../repositories/show-repository.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';
import { PULL_FEED_ACTIONS, type PullEntry } from './feed-entry.ts';

const BranchRepository = Type.Object({ id: Type.Integer(), url: Type.String(), name: Type.String() });
const Branch = { ref: Type.String(), sha: Type.String() };

const PullMinimal = Type.Object(
  {
    id: Type.Integer(),
    number: Type.Integer(),
    url: Type.String(),
    /** Without a repository where it was deleted, or is not visible to the caller. */
    head: Type.Object({ ...Branch, repo: Nullable(BranchRepository) }),
    base: Type.Object({ ...Branch, repo: BranchRepository }),
  },
  { $id: 'pull-request-minimal' },
);

export const PullPayload = Type.Object(
  {
    action: OneOf(PULL_FEED_ACTIONS),
    number: Type.Integer(),
    pull_request: PullMinimal,
    label: Type.Optional(LabelReply),
    labels: Type.Optional(Type.Array(LabelReply)),
    assignee: Type.Optional(SimpleUser),
    assignees: Type.Optional(Type.Array(SimpleUser)),
  },
  { $id: 'pull-request-event' },
);

const { author_association: _association, ...REVIEW } = ReviewReply.properties;

export const ReviewPayload = Type.Object(
  {
    action: OneOf(['created']),
    review: Type.Object({
      ...REVIEW,
      commit_id: Type.String(),
      state: Type.String({ description: 'In lower case' }),
      updated_at: Type.String({ format: 'date-time' }),
    }),
    pull_request: PullMinimal,
  },
  { $id: 'pull-request-review-event' },
);

export const ReviewCommentPayload = Type.Object(
  { action: OneOf(['created']), comment: ReviewCommentReply, pull_request: PullMinimal },
  { $id: 'pull-request-review-comment-event' },
);

export interface FeedPull {
  pull: Pull;
  /** The repository of the branch, where the caller sees it. */
  head: FoundRepository | undefined;
}

/** By the ids of their issues. */
export async function readFeedPulls(
  db: Db,
  caller: Caller,
  issueIds: readonly number[],
): Promise<Map<number, FeedPull>> {
  const pulls = await listPulls(db, issueIds);
  const numbers = [...pulls.values()].flatMap(({ headRepositoryNumber }) => headRepositoryNumber ?? []);
  const heads = await listRepositoriesByNumber(db, [...new Set(numbers)]);
  const shown = await showRepositories(db, caller, [...heads.values()]);
  const byNumber = new Map(shown.map((one) => [one.repository.number, one]));
  return new Map(
    [...pulls].map(([id, pull]) => [id, { pull, head: byNumber.get(pull.headRepositoryNumber ?? 0) }]),
  );
}

interface ShownPullEvent {
  issue: ShownIssue;
  pull: FeedPull;
  /** The assignee; undefined where the account is gone. */
  member: RepositoryOwner | undefined;
  place: FoundRepository;
}

/** The label is as it was then, and the pull request as it is now. */
export function toPullPayload(
  { issue, pull: subject, member, place }: ShownPullEvent,
  { action, label, assignee }: Omit<PullEntry, 'type'>,
  base: string,
): Static<typeof PullPayload> {
  const into = toBranchRepository(place, base);
  return {
    action,
    number: subject.pull.number,
    pull_request: toPullMinimal(subject, place, base),
    ...(label && {
      label: toLabel(label, into.url),
      labels: issue.labels.map((one) => toLabel(one, into.url)),
    }),
    ...(assignee !== undefined && {
      assignee: toSimpleUser(member ?? GHOST, base),
      assignees: issue.assignees.map((user) => toSimpleUser(user, base)),
    }),
  };
}

function toPullMinimal(
  { pull, head }: FeedPull,
  place: FoundRepository,
  base: string,
): Static<typeof PullMinimal> {
  const into = toBranchRepository(place, base);
  return {
    id: pull.issueId,
    number: pull.number,
    url: `${into.url}/pulls/${pull.number}`,
    head: { ref: pull.headRef, sha: pull.headSha, repo: head ? toBranchRepository(head, base) : null },
    base: { ref: pull.baseRef, sha: pull.baseSha, repo: into },
  };
}

/** Both are as they are now. */
export function toReviewPayload(
  { review, pull, place }: { review: ShownReview; pull: FeedPull; place: FoundRepository },
  base: string,
): Static<typeof ReviewPayload> {
  const { body, commitId, updatedAt } = review.review;
  const fullName = `${place.owner.login}/${place.repository.name}`;
  const { author_association: _role, ...shown } = toReview(
    review,
    { fullName, number: pull.pull.number, base },
    { body },
  );
  return {
    action: 'created',
    review: {
      ...shown,
      commit_id: commitId ?? '',
      state: shown.state.toLowerCase(),
      updated_at: isoSeconds(updatedAt),
    },
    pull_request: toPullMinimal(pull, place, base),
  };
}

/** Both are as they are now. */
export function toReviewCommentPayload(
  { comment, pull, place }: { comment: ShownReviewComment; pull: FeedPull; place: FoundRepository },
  base: string,
): Static<typeof ReviewCommentPayload> {
  const fullName = `${place.owner.login}/${place.repository.name}`;
  return {
    action: 'created',
    comment: toReviewComment(comment, { fullName, base }, { body: comment.comment.body }),
    pull_request: toPullMinimal(pull, place, base),
  };
}

function toBranchRepository(
  { repository: { number, name }, owner }: FoundRepository,
  base: string,
): Static<typeof BranchRepository> {
  return { id: number, url: `${base}/repos/${owner.login}/${name}`, name };
}
