// What the rule of a branch asks of a pull request, beside what it asks of every change: reviews, conversations and an up-to-date head. Pure.
import type { AddViolation, BranchRule, ReviewRule } from './rule.ts';

/** The last decision of a reviewer who may write. */
export interface Verdict {
  reviewerId: string;
  isApproval: boolean;
  /** Whether it is about the commit that the head has now. */
  isOfHead: boolean;
}

/** What rules ask about a pull request. Each is read only where a rule asks. */
export interface PullFacts {
  /** Whether the head lacks the newest commit of the base. */
  isBehind(): Promise<boolean>;
  /** Without those that were dismissed, and without the author's. */
  verdicts(): Promise<readonly Verdict[]>;
  /** Null where it is not known. */
  lastPusherId(): Promise<string | null>;
  /** Who owns changed files that none of their owners has approved: the names of CODEOWNERS, and `undefined` where nobody's approval is missing. */
  missingOwners(approverIds: readonly string[]): Promise<readonly string[] | undefined>;
  hasOpenConversations(): Promise<boolean>;
}

/** `mayBypass` is about reviews alone. */
export async function addPullViolations(
  { reviews, statusChecks, requiredConversationResolution }: BranchRule,
  facts: PullFacts,
  mayBypass: boolean,
  add: AddViolation,
): Promise<void> {
  if (reviews !== null && !mayBypass) await addReviewViolations(reviews, facts, add);
  if (statusChecks?.strict === true && (await facts.isBehind()))
    add('behind', 'The head branch is not up to date with the base branch.');
  if (requiredConversationResolution && (await facts.hasOpenConversations()))
    add('conversations', 'All comments must be resolved.');
}

async function addReviewViolations(
  { requiredApprovingReviewCount: needed, requireCodeOwnerReviews, requireLastPushApproval }: ReviewRule,
  facts: PullFacts,
  add: AddViolation,
): Promise<void> {
  if (needed === 0 && !requireCodeOwnerReviews && !requireLastPushApproval) return;
  const verdicts = await facts.verdicts();
  const approvals = verdicts.filter(({ isApproval }) => isApproval);
  if (approvals.length < verdicts.length)
    add('reviews', 'Changes have been requested by a reviewer with write access.');
  if (approvals.length < needed) add('reviews', describeNeeded(needed));
  const owners = requireCodeOwnerReviews
    ? await facts.missingOwners(approvals.map(({ reviewerId }) => reviewerId))
    : undefined;
  if (owners !== undefined) add('reviews', describeOwners(owners));
  if (requireLastPushApproval && !(await isLastPushApproved(approvals, facts)))
    add('reviews', 'New changes require approval from someone other than the last pusher.');
}

/** Of two who have approved, one is another than the pusher, whoever that is. */
async function isLastPushApproved(approvals: readonly Verdict[], facts: PullFacts): Promise<boolean> {
  const ofHead = approvals.filter(({ isOfHead }) => isOfHead);
  if (ofHead.length === 0) return false;
  const pusherId = await facts.lastPusherId();
  if (pusherId === null) return ofHead.length > 1;
  return ofHead.some(({ reviewerId }) => reviewerId !== pusherId);
}

function describeNeeded(needed: number): string {
  const reviews = needed === 1 ? 'review is' : 'reviews are';
  return `At least ${needed} approving ${reviews} required by reviewers with write access.`;
}

const MAX_NAMES = 5;

function describeOwners(owners: readonly string[]): string {
  if (owners.length === 0) return 'Waiting on code owner review.';
  const names = owners.slice(0, MAX_NAMES);
  const last = owners.length > MAX_NAMES ? 'others' : names.pop()!;
  const before = names.join(', ');
  return `Waiting on code owner review from ${before === '' ? '' : `${before} and/or `}${last}.`;
}
