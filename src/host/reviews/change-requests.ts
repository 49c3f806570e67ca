// The one way in which reviews are requested, and requests taken back: the rows, the timeline and webhooks, in one transaction.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { subscribedBy } from '../issues/lists/facets.ts';
import type { Issue } from '../issues/issue.ts';
import { recordIssueActions, type IssueAction } from '../issues/record-actions.ts';
import { addFacets } from '../issues/lists/store-facets.ts';
import { lockIssue, updateIssue } from '../issues/store.ts';
import { listOwners } from '../owners/store.ts';
import { pullNotFound } from '../pulls/pull.ts';
import { listRequestedTeams } from '../pulls/show-pulls.ts';
import { listReviewRequests } from '../pulls/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { insertIssueEvents, type NewIssueEvent } from '../timeline/store.ts';
import { tooManyReviewers } from './find-reviewers.ts';
import { MAX_REQUESTED, type Reviewer } from './review.ts';
import { deleteReviewRequests, insertReviewRequests, listTeamsOfMember } from './store-requests.ts';

/** Those that are requested already stay as they are. The caller has checked that they may read the repository. */
export async function requestReviewers(
  tx: ChangeTransaction,
  found: FoundRepository,
  issueId: number,
  wanted: readonly Reviewer[],
): Promise<Issue> {
  const issue = await lockPullIssue(tx, issueId);
  const { present, absent: added } = await divide(tx, issueId, wanted);
  if (present.length + added.length > MAX_REQUESTED) throw tooManyReviewers();
  return await addRequests(tx, found, issue, added, requesterIn(tx));
}

/** In the name of the author, and as many as there is room for. */
export async function requestCodeOwners(
  tx: ChangeTransaction,
  found: FoundRepository,
  issueId: number,
  owners: readonly Reviewer[],
): Promise<void> {
  const issue = await lockPullIssue(tx, issueId);
  const { present, absent } = await divide(tx, issueId, owners);
  const added = absent.slice(0, Math.max(0, MAX_REQUESTED - present.length));
  await addRequests(tx, found, issue, added, issue.author.id);
}

async function addRequests(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
  added: readonly Reviewer[],
  requesterId: string | null,
): Promise<Issue> {
  await insertReviewRequests(tx.db, issue.id, added);
  const accountIds = added.flatMap(({ kind, reviewer }) => (kind === 'user' ? reviewer : []));
  await addFacets(tx.db, issue, accountIds.map(subscribedBy));
  return await recordRequests(tx, found, issue, {
    action: 'review_requested',
    reviewers: added,
    requesterId,
  });
}

/** Those that are not requested are left out. */
export async function removeReviewers(
  tx: ChangeTransaction,
  found: FoundRepository,
  issueId: number,
  unwanted: readonly Reviewer[],
): Promise<Issue> {
  const issue = await lockPullIssue(tx, issueId);
  const { both: removed } = await divide(tx, issueId, unwanted);
  await deleteReviewRequests(tx.db, issueId, removed);
  return await recordRequests(tx, found, issue, {
    action: 'review_request_removed',
    reviewers: removed,
    requesterId: requesterIn(tx),
  });
}

/** Whoever has reviewed is not waited for any more, and neither are the teams that they are in. The caller has locked the issue. */
export async function fulfilRequests(
  { db }: ChangeTransaction,
  issueId: number,
  accountId: string,
): Promise<void> {
  const present = await listReviewRequests(db, [issueId]);
  const teams = present.some(({ kind }) => kind === 'team')
    ? new Set(await listTeamsOfMember(db, accountId))
    : new Set<number>();
  const fulfilled = present.filter(({ kind, reviewer }) =>
    kind === 'user' ? reviewer === accountId : teams.has(Number(reviewer)),
  );
  await deleteReviewRequests(db, issueId, fulfilled);
}

async function lockPullIssue({ db }: ChangeTransaction, id: number): Promise<Issue> {
  const issue = await lockIssue(db, id);
  if (issue === undefined) throw pullNotFound();
  return issue;
}

/** Those that are requested, and of the others those that are requested too, and those that are not. */
async function divide(
  { db }: ChangeTransaction,
  issueId: number,
  others: readonly Reviewer[],
): Promise<{ present: Reviewer[]; both: Reviewer[]; absent: Reviewer[] }> {
  const present = await listReviewRequests(db, [issueId]);
  const keyOf = ({ kind, reviewer }: Reviewer) => `${kind}/${reviewer}`;
  const keys = new Set(present.map(keyOf));
  const distinct = [...new Map(others.map((one) => [keyOf(one), one])).values()];
  return {
    present,
    both: distinct.filter((one) => keys.has(keyOf(one))),
    absent: distinct.filter((one) => !keys.has(keyOf(one))),
  };
}

interface RecordedRequests {
  action: 'review_requested' | 'review_request_removed';
  reviewers: readonly Reviewer[];
  requesterId: string | null;
}

async function recordRequests(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
  { action, reviewers, requesterId }: RecordedRequests,
): Promise<Issue> {
  if (reviewers.length === 0) return issue;
  const { db } = tx;
  const { now } = tx.actor;
  const [owners, teams] = await Promise.all([
    listOwners(
      db,
      reviewers.map(({ reviewer }) => reviewer),
    ),
    listRequestedTeams(db, found, reviewers),
  ]);
  const events = reviewers.map(({ kind, reviewer }): NewIssueEvent => ({
    event: action,
    actorId: requesterId,
    details: {
      review_requester: requesterId,
      ...(kind === 'user' ? { requested_reviewer: reviewer } : { requested_team: Number(reviewer) }),
    },
  }));
  const actions = reviewers.flatMap(({ kind, reviewer: id }): IssueAction[] => {
    const team = kind === 'team' ? teams.get(id) : undefined;
    const reviewer = kind === 'user' ? owners.get(id) : undefined;
    if (team !== undefined) return [{ action, team }];
    return reviewer === undefined ? [] : [{ action, reviewer }];
  });
  const changed = await updateIssue(db, issue, { updatedAt: Math.max(now, issue.updatedAt) });
  await insertIssueEvents(db, changed, events, now);
  await recordIssueActions(tx, found, changed, actions);
  return changed;
}

function requesterIn({ actor: { caller } }: ChangeTransaction): string | null {
  return caller === undefined ? null : accountOf(caller).id;
}
