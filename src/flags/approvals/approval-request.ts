// What an approval request is: a change of a flag in an environment that others look at before it is made.
import type { Initiator } from '../../kernel/identity/identity.ts';
import type { FlagInEnvironmentRef } from '../planned-changes/flag-in-environment.ts';
import type { Plan, PlanConflict } from '../planned-changes/plan.ts';

export const APPROVAL_STATUSES = ['pending', 'scheduled', 'completed', 'failed'] as const;
export const REVIEW_STATUSES = ['pending', 'approved', 'declined'] as const;
export const REVIEW_KINDS = ['approve', 'comment', 'decline'] as const;

export interface Review {
  id: string;
  kind: (typeof REVIEW_KINDS)[number];
  at: number;
  comment?: string;
  by: Initiator;
}

export interface ApprovalRequest extends FlagInEnvironmentRef {
  id: string;
  projectId: string;
  /** A service token's request is that of its maker, too. */
  requestor: Initiator;
  description: string;
  comment?: string;
  plan: Plan;
  /** When to make the change, if not as soon as it is applied. */
  executionAt?: number;
  operatingOnId?: string;
  reviews: Review[];
  reviewStatus: (typeof REVIEW_STATUSES)[number];
  status: (typeof APPROVAL_STATUSES)[number];
  notifyMemberIds: string[];
  notifyTeamKeys: string[];
  /** Who applied it, or in whose name that is done later. */
  appliedBy?: Initiator;
  appliedAt?: number;
  applyComment?: string;
  /** Why it failed. */
  conflicts: PlanConflict[];
  version: number;
  createdAt: number;
}
