// The type of an approval request: a planned change of a flag in an environment that others review before it is applied.
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
  /** For a service token, also the member who created it. */
  requestor: Initiator;
  description: string;
  comment?: string;
  plan: Plan;
  /** When to apply the change, if later than the request to apply it. */
  executionAt?: number;
  operatingOnId?: string;
  reviews: Review[];
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
