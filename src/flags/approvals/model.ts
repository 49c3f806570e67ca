// Approval requests and their rules: who may review, what the reviews add up to, when the change may be applied.
import { Failure } from '../../kernel/failure.ts';
import type { Initiator } from '../../kernel/identity/identity.ts';
import type { Instruction } from '../patch/patch.ts';
import { misfit, problem, Type } from '../../kernel/schema/schema.ts';
import { couldBeKey, Description } from '../fields.ts';
import { documentedKinds, KindSchema, instructionReader } from '../patch/instructions.ts';
import type { ApprovalSettings } from '../projects/project.ts';
import type { FlagInEnvironmentRef } from '../planned-changes/flag-in-environment.ts';
import type { Plan, PlanConflict } from '../planned-changes/plan.ts';

export const APPROVAL_STATUSES = ['pending', 'scheduled', 'completed', 'failed'] as const;
export const REVIEW_STATUSES = ['pending', 'approved', 'declined'] as const;
export const REVIEW_KINDS = ['approve', 'comment', 'decline'] as const;

export interface ApprovalReview {
  id: string;
  kind: (typeof REVIEW_KINDS)[number];
  at: number;
  comment?: string;
  by: Initiator;
}

/** A planned change of a flag in an environment that others review before it is applied. */
export interface ApprovalRequest extends FlagInEnvironmentRef {
  id: string;
  projectId: string;
  /** For a service token, also the member who created it. */
  requestor: Initiator;
  description: string;
  comment?: string;
  plan: Plan;
  /** When to apply the change, if later than the request to apply it. */
  executionAt?: number;
  operatingOnId?: string;
  reviews: ApprovalReview[];
  reviewStatus: (typeof REVIEW_STATUSES)[number];
  status: (typeof APPROVAL_STATUSES)[number];
  notifyMemberIds: string[];
  notifyTeamKeys: string[];
  /** The member or token that applied the request, or in whose name due work will apply it. */
  appliedBy?: Initiator;
  appliedAt?: number;
  applyComment?: string;
  /** Why it failed. */
  conflicts: PlanConflict[];
  version: number;
  createdAt: number;
}

/** Open requests of one flag in one environment. */
export const MAX_OPEN = 100;
const MAX_REVIEWERS = 10;
const MAX_REVIEWS = 100;

export interface ResourceId {
  projectKey: string;
  environmentKey: string;
  flagKey: string;
}

const RESOURCE = /^proj\/([^:;/]+):env\/([^:;/]+):flag\/([^:;/]+)$/;

/** Only changes of flags can be requested. */
export function readResourceId(text: string): ResourceId {
  const [, projectKey = '', environmentKey = '', flagKey = ''] = RESOURCE.exec(text) ?? [];
  if (![projectKey, environmentKey, flagKey].every(couldBeKey))
    throw problem(
      'resourceId',
      'must name a flag in an environment, as in proj/web:env/production:flag/banner',
    );
  return { projectKey, environmentKey, flagKey };
}

/** The last review of each reviewer, comments left out. */
function lastWords(reviews: readonly ApprovalReview[]): ApprovalReview[] {
  const words = reviews.filter(({ kind }) => kind !== 'comment');
  // A member with several tokens counts once.
  return [...new Map(words.map((review) => [review.by.memberId, review])).values()];
}

function countOf(reviews: readonly ApprovalReview[], kind: ApprovalReview['kind']): number {
  return lastWords(reviews).filter((review) => review.kind === kind).length;
}

type Settings = Pick<
  ApprovalSettings,
  'minNumApprovals' | 'canReviewOwnRequest' | 'canApplyDeclinedChanges' | 'autoApplyApprovedChanges'
>;

export function reviewStatusOf(
  reviews: readonly ApprovalReview[],
  { minNumApprovals }: Settings,
): ApprovalRequest['reviewStatus'] {
  if (countOf(reviews, 'decline') > 0) return 'declined';
  return countOf(reviews, 'approve') >= minNumApprovals ? 'approved' : 'pending';
}

/** Undefined when the reviews allow the change. */
export function whyNotApproved(
  { reviews }: Pick<ApprovalRequest, 'reviews'>,
  { minNumApprovals, canApplyDeclinedChanges }: Settings,
): string | undefined {
  const approvals = countOf(reviews, 'approve');
  if (approvals < minNumApprovals) return `it has ${approvals} of ${minNumApprovals} approvals`;
  return countOf(reviews, 'decline') > 0 && !canApplyDeclinedChanges
    ? 'a reviewer has declined it'
    : undefined;
}

export function requireApproved(request: ApprovalRequest, settings: Settings): void {
  const reason = whyNotApproved(request, settings);
  if (reason !== undefined) throw new Failure('invalid', `The request cannot be applied: ${reason}.`);
}

/** Adds the review and raises the version. */
export function addReview(
  request: ApprovalRequest,
  review: ApprovalReview,
  settings: Settings,
): ApprovalRequest {
  const isOpen = request.status === 'pending' || request.status === 'scheduled';
  if (review.kind !== 'comment') {
    if (!isOpen) throw problem('kind', `must be comment: the request is ${request.status}`);
    if (review.by.memberId === request.requestor.memberId && !settings.canReviewOwnRequest)
      throw new Failure('forbidden', 'You cannot review your own request in this environment.');
  }
  if (request.reviews.length >= MAX_REVIEWS)
    throw problem('body', `would be one more than ${MAX_REVIEWS} reviews`);
  const reviews = [...request.reviews, review];
  return {
    ...request,
    reviews,
    // A comment changes no status, and a completed request keeps its own.
    reviewStatus: review.kind === 'comment' ? request.reviewStatus : reviewStatusOf(reviews, settings),
    version: request.version + 1,
  };
}

/** Checked before the request is applied or scheduled. */
export function requireApplicable(request: ApprovalRequest, settings: Settings): void {
  if (request.status === 'completed' || request.status === 'scheduled')
    throw new Failure('invalid', `The request is ${request.status} already.`);
  requireApproved(request, settings);
}

/** The time to wait for; undefined when the change can be applied at once. */
export function laterOf({ executionAt }: ApprovalRequest, now: number): number | undefined {
  return executionAt !== undefined && executionAt > now ? executionAt : undefined;
}

export function toCompleted(request: ApprovalRequest, by: Initiator, now: number): ApprovalRequest {
  return {
    ...request,
    status: 'completed',
    conflicts: [],
    appliedBy: by,
    appliedAt: now,
    version: request.version + 1,
  };
}

export const MemberIds = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: MAX_REVIEWERS,
});
export const TeamKeys = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
  maxItems: MAX_REVIEWERS,
});

const schemas = {
  addReviewers: KindSchema('addReviewers', 'Asks more members and teams for a review', {
    notifyMemberIds: Type.Optional(MemberIds),
    notifyTeamKeys: Type.Optional(TeamKeys),
  }),
  updateDescription: KindSchema('updateDescription', 'Says anew what the change is for', {
    value: Description,
  }),
};

export const approvalKinds = documentedKinds(schemas);

const read = instructionReader(schemas);

/** Returns the same request when nothing changes. Whether the reviewers exist is not checked here. */
export function editRequest(before: ApprovalRequest, instructions: readonly Instruction[]): ApprovalRequest {
  let { description, notifyMemberIds, notifyTeamKeys } = before;
  for (const instruction of read(instructions)) {
    if (instruction.kind === 'updateDescription') {
      description = instruction.value;
      continue;
    }
    const { notifyMemberIds: members = [], notifyTeamKeys: teams = [] } = instruction;
    if (members.length + teams.length === 0)
      throw misfit('notifyMemberIds', 'or notifyTeamKeys is required to add reviewers');
    notifyMemberIds = [...new Set([...notifyMemberIds, ...members])];
    notifyTeamKeys = [...new Set([...notifyTeamKeys, ...teams])];
  }
  if (notifyMemberIds.length > MAX_REVIEWERS)
    throw problem('notifyMemberIds', `cannot be more than ${MAX_REVIEWERS} members`);
  if (notifyTeamKeys.length > MAX_REVIEWERS)
    throw problem('notifyTeamKeys', `cannot be more than ${MAX_REVIEWERS} teams`);
  const isSame =
    description === before.description &&
    notifyMemberIds.length === before.notifyMemberIds.length &&
    notifyTeamKeys.length === before.notifyTeamKeys.length;
  if (isSame) return before;
  return { ...before, description, notifyMemberIds, notifyTeamKeys, version: before.version + 1 };
}
