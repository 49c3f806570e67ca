// An approval request as the flags API has it, and what may be done with it.
import type { ApprovalRequestResponse } from '../../api/types/flags.ts';
import type { Instruction } from '../save/instruction.ts';
import { APPROVAL, APPROVALS } from './approvals-words.ts';

/** Without a member where a service token has reviewed. */
export type Review = ApprovalRequestResponse['allReviews'][number];

export type Approval = Omit<ApprovalRequestResponse, 'instructions'> & { instructions: Instruction[] };

export interface ApprovalPlace {
  project: string;
  environment: string;
  flag: string;
}

/** `proj/shop:env/production:flag/banner`. */
export function placeOf({ resourceId }: Pick<Approval, 'resourceId'>): ApprovalPlace {
  const [project = '', environment = '', flag = ''] = resourceId
    .split(':')
    .map((part) => part.slice(part.indexOf('/') + 1).split(';', 1)[0]!);
  return { project, environment, flag };
}

export function flagHref({ project, environment, flag }: ApprovalPlace): string {
  const page = `/flags/${encodeURIComponent(project)}/${encodeURIComponent(flag)}/targeting`;
  return `${page}?env=${encodeURIComponent(environment)}`;
}

export function stateOf({ status, reviewStatus }: Pick<Approval, 'status' | 'reviewStatus'>) {
  return status === 'pending' ? reviewStatus : status;
}

/** How many have approved it: the last word of each counts. */
export function countApprovals({ allReviews }: Pick<Approval, 'allReviews'>): number {
  return lastWords(allReviews).filter((kind) => kind === 'approve').length;
}

function lastWords(reviews: readonly Review[]): Review['kind'][] {
  const words = reviews.filter(({ kind }) => kind !== 'comment');
  return [...new Map(words.map(({ _id, memberId = _id, kind }) => [memberId, kind])).values()];
}

/** Undefined where it may be approved or declined. */
export function whyNotReviewed(approval: Approval, ownId: string | undefined): string | undefined {
  const { status, requestorId, approvalSettings } = approval;
  if (status !== 'pending' && status !== 'scheduled') return APPROVAL.over(APPROVALS.states[status]);
  if (requestorId === ownId && !approvalSettings.canReviewOwnRequest) return APPROVAL.own;
  return undefined;
}

/** Undefined where it may be applied. The server decides again. */
export function whyNotApplied(approval: Approval): string | undefined {
  const { status, allReviews, approvalSettings } = approval;
  if (status === 'completed' || status === 'scheduled') return APPROVAL.over(APPROVALS.states[status]);
  const approvals = countApprovals(approval);
  if (approvals < approvalSettings.minNumApprovals)
    return APPROVAL.notEnough(approvals, approvalSettings.minNumApprovals);
  return lastWords(allReviews).includes('decline') && !approvalSettings.canApplyDeclinedChanges
    ? APPROVAL.isDeclined
    : undefined;
}
