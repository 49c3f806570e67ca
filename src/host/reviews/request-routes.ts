// Requested reviewers: the users and teams that a pull request waits for.
import { Failure } from '../../kernel/failure.ts';
import { reply } from '../../kernel/http/route.ts';
import { PullParams, pullRoute, UPDATE_PULL } from '../pulls/access.ts';
import { PullSimpleReply } from '../pulls/model.ts';
import { replyShownPulls } from '../pulls/reply-pulls.ts';
import { showPulls } from '../pulls/show-pulls.ts';
import { READ_REPOSITORY } from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
import { requireReviewRequests } from './access.ts';
import { removeReviewers, requestReviewers } from './change-requests.ts';
import { findKnownReviewers, findReviewers } from './find-reviewers.ts';
import { RequestedReviewers, toRequestedReviewers } from './model.ts';
import { ReviewersAddition, ReviewersRemoval } from './requests.ts';
import { MAX_REQUESTED } from './review.ts';

const PATH = '/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers';

const list = pullRoute(
  {
    id: 'pulls/list-requested-reviewers',
    method: 'GET',
    path: PATH,
    summary: 'List who is asked to review a pull request',
    description: 'Whoever has submitted a review is not in it any more, until asked again.',
    access: READ_REPOSITORY,
    params: PullParams,
    reply: { 200: RequestedReviewers },
  },
  'read',
  async ({ caller, base }, { db }, opened) => {
    const [shown] = await showPulls(db, caller, opened, [opened.issue]);
    return toRequestedReviewers(shown ?? { reviewers: [], teams: [] }, base);
  },
);

const request = pullRoute(
  {
    id: 'pulls/request-reviewers',
    method: 'POST',
    path: PATH,
    summary: 'Request reviews of a pull request',
    description: `From users and teams with a role on the repository, at most ${MAX_REQUESTED}. For the author of the pull request, and those who may triage.`,
    access: UPDATE_PULL,
    params: PullParams,
    body: ReviewersAddition,
    bodyIsOptional: true,
    reply: { 201: PullSimpleReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    call.requirePermission(repositoryResource(opened));
    requireReviewRequests(call.caller, opened);
    const { reviewers: logins, team_reviewers: slugs } = call.body ?? {};
    if (logins === undefined && slugs === undefined)
      throw new Failure('invalid', 'Name the users in reviewers, or the teams in team_reviewers.');
    const { issue } = opened;
    const shown = await kernel.changes.run(call, async (tx) => {
      const wanted = await findReviewers(tx.db, opened, issue, { logins: logins ?? [], slugs: slugs ?? [] });
      const changed = await requestReviewers(tx, opened, issue.id, wanted);
      return await showPulls(tx.db, call.caller, opened, [changed]);
    });
    return reply(201, (await replyShownPulls(kernel, call, opened, shown))[0]!);
  },
);

const remove = pullRoute(
  {
    id: 'pulls/remove-requested-reviewers',
    method: 'DELETE',
    path: PATH,
    summary: 'Take requests for reviews back',
    description:
      'Those who are not asked are left out. For the author of the pull request, and those who may triage.',
    access: UPDATE_PULL,
    params: PullParams,
    body: ReviewersRemoval,
    reply: { 200: PullSimpleReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    call.requirePermission(repositoryResource(opened));
    requireReviewRequests(call.caller, opened);
    const { reviewers: logins, team_reviewers: slugs = [] } = call.body;
    const { issue } = opened;
    const shown = await kernel.changes.run(call, async (tx) => {
      const unwanted = await findKnownReviewers(tx.db, opened, { logins, slugs });
      const changed = await removeReviewers(tx, opened, issue.id, unwanted);
      return await showPulls(tx.db, call.caller, opened, [changed]);
    });
    return (await replyShownPulls(kernel, call, opened, shown))[0]!;
  },
);

export const reviewRequestRoutes = [list, request, remove];
