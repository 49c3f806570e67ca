// Reviews of pull requests: everybody who may read writes them; pending ones are their author's alone until they are submitted.
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { BODY_FORMATS } from '../contents/render-bodies.ts';
import { countBounded, HostPageQuery, pageOf, pageSliceOf } from '../list-query.ts';
import { mayDismiss } from '../protection/may-dismiss.ts';
import { judgeApproval, type JudgedApproval } from '../protection/stale-reviews.ts';
import { PullParams, pullRoute } from '../pulls/access.ts';
import type { Pull } from '../pulls/pull.ts';
import { requirePullCommit } from '../pulls/pull-commits.ts';
import { READ_REPOSITORY } from '../repositories/access.ts';
import { placeComments } from '../review-comments/place-comments.ts';
import { wantedCommentOf } from '../review-comments/requests.ts';
import { repositoryResource } from '../repositories/repository.ts';
import { accountIdOf, requireReviewChange, REVIEW_PULL, ReviewParams, reviewRoute } from './access.ts';
import { createReview, dismissReview, editReview, removeReview, submitReview } from './change-review.ts';
import { ReviewReply } from './model.ts';
import {
  checkedMessage,
  ReviewDismissal,
  ReviewCreation,
  ReviewPut,
  ReviewSubmission,
  type ReviewEvent,
} from './requests.ts';
import { toReviewReplies } from './show-reviews.ts';
import { countReviews, listReviews } from './store.ts';

const OF_PULL = '/repos/{owner}/{repo}/pulls/{pull_number}/reviews';
const REVIEW = `${OF_PULL}/{review_id}`;

const list = pullRoute(
  {
    id: 'pulls/list-reviews',
    method: 'GET',
    path: OF_PULL,
    summary: 'List the reviews of a pull request',
    description: `The oldest first. A pending review is in the list of its author alone. ${BODY_FORMATS}`,
    access: READ_REPOSITORY,
    params: PullParams,
    query: Type.Object(HostPageQuery),
    list: ReviewReply,
  },
  'read',
  async (call, kernel, opened) => {
    const slice = pageSliceOf(call.query);
    const accountId = accountIdOf(call.caller);
    const reviews = await listReviews(kernel.db, opened.issue.id, slice, accountId);
    const counted = await countBounded(slice, (atMost) =>
      countReviews(kernel.db, opened.issue.id, atMost, accountId),
    );
    return pageOf(await toReviewReplies(kernel, call, opened, reviews), counted, slice);
  },
);

const create = pullRoute(
  {
    id: 'pulls/create-review',
    method: 'POST',
    path: OF_PULL,
    summary: 'Review a pull request',
    description:
      'Everybody who may read it may; where the conversation is locked, those who may write. Without `event` the review is pending: only its author sees it until it is submitted, and nobody has two. Nobody approves their own pull request, or requests changes of it. Where the rule of the base branch dismisses stale approvals, one of a commit before the last changes is dismissed at once.',
    access: REVIEW_PULL,
    params: PullParams,
    body: ReviewCreation,
    bodyIsOptional: true,
    reply: { 200: ReviewReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    const { caller } = call;
    call.requirePermission(repositoryResource(opened));
    const { event, body, commit_id: sent, comments = [] } = call.body ?? {};
    const commitId = await requirePullCommit(kernel, opened, sent ?? opened.pull.headSha);
    const placed = await placeComments(kernel, opened, comments.map(wantedCommentOf), commitId);
    const author = { id: accountOf(caller).id, name: null };
    const judged = await judgeReview(kernel, opened.pull, { event, commitId });
    const review = await kernel.changes.run(call, async (tx) => {
      await shareLockAccount(tx.db, caller);
      const draft = { author, body: body ?? '', commitId, event, comments: placed, judged };
      return await createReview(tx, opened, opened.issue.id, draft);
    });
    return (await toReviewReplies(kernel, call, opened, [review]))[0]!;
  },
);

const get = reviewRoute(
  {
    id: 'pulls/get-review',
    method: 'GET',
    path: REVIEW,
    summary: 'Get a review of a pull request',
    description: BODY_FORMATS,
    access: READ_REPOSITORY,
    params: ReviewParams,
    reply: { 200: ReviewReply },
  },
  'read',
  async (call, kernel, opened) => (await toReviewReplies(kernel, call, opened, [opened.review]))[0]!,
);

const update = reviewRoute(
  {
    id: 'pulls/update-review',
    method: 'PUT',
    path: REVIEW,
    summary: 'Change the text of a review',
    description: 'Its author may, and those who may write to the repository.',
    access: REVIEW_PULL,
    params: ReviewParams,
    body: ReviewPut,
    reply: { 200: ReviewReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    call.requirePermission(repositoryResource(opened));
    requireReviewChange(call.caller, opened);
    const { body } = call.body;
    const review = await kernel.changes.run(call, (tx) => editReview(tx, opened, opened.review, body));
    return (await toReviewReplies(kernel, call, opened, [review]))[0]!;
  },
);

const remove = reviewRoute(
  {
    id: 'pulls/delete-pending-review',
    method: 'DELETE',
    path: REVIEW,
    summary: 'Delete a pending review',
    description: 'With its comments. A review that was submitted cannot be deleted.',
    access: REVIEW_PULL,
    params: ReviewParams,
    reply: { 200: ReviewReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    call.requirePermission(repositoryResource(opened));
    const review = await kernel.changes.run(call, (tx) => removeReview(tx, opened.review));
    return (await toReviewReplies(kernel, call, opened, [review]))[0]!;
  },
);

const submit = reviewRoute(
  {
    id: 'pulls/submit-review',
    method: 'POST',
    path: `${REVIEW}/events`,
    summary: 'Submit a pending review',
    description: 'From then on everybody sees it, and its comments.',
    access: REVIEW_PULL,
    params: ReviewParams,
    body: ReviewSubmission,
    reply: { 200: ReviewReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    call.requirePermission(repositoryResource(opened));
    const { event, body } = call.body;
    const judged = await judgeReview(kernel, opened.pull, { event, commitId: opened.review.commitId });
    const submission = { event, body: body ?? undefined, judged };
    const review = await kernel.changes.run(call, (tx) =>
      submitReview(tx, opened, opened.review, submission),
    );
    return (await toReviewReplies(kernel, call, opened, [review]))[0]!;
  },
);

async function judgeReview(
  { db, services }: Kernel,
  pull: Pull,
  { event, commitId }: { event: ReviewEvent | undefined; commitId: string | null },
): Promise<JudgedApproval | undefined> {
  if (event !== 'APPROVE') return undefined;
  return await judgeApproval(db, services.git.repository(pull.repositoryNumber), pull, commitId);
}

const dismiss = reviewRoute(
  {
    id: 'pulls/dismiss-review',
    method: 'PUT',
    path: `${REVIEW}/dismissals`,
    summary: 'Dismiss a review',
    description:
      'One that approves or requests changes: it counts no more. For those who may write, or those whom the rule of the base branch names.',
    access: REVIEW_PULL,
    params: ReviewParams,
    body: ReviewDismissal,
    reply: { 200: ReviewReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    const { caller } = call;
    call.requirePermission(repositoryResource(opened));
    const message = checkedMessage(call.body.message);
    if (!(await mayDismiss(kernel.db, opened, { caller, role: opened.role! }, opened.pull.baseRef)))
      throw new Failure('denied', 'You may not dismiss reviews of this pull request.');
    const review = await kernel.changes.run(call, (tx) =>
      dismissReview(tx, opened, opened.review, { message }),
    );
    return (await toReviewReplies(kernel, call, opened, [review]))[0]!;
  },
);

export const reviewRoutes = [list, create, get, update, remove, submit, dismiss];
