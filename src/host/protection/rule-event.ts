// A rule for branches in the words of webhooks, and what differs between two of them.
import { isDeepStrictEqual } from 'node:util';
import { isoSeconds } from '../times.ts';
import { contextsOf } from './model.ts';
import { enforcementLevel } from './rule.ts';
import type { BranchProtection } from './store.ts';

/** The members of a rule whose former values the event of a change has. */
const COMPARED = [
  'admin_enforced',
  'allow_deletions_enforcement_level',
  'allow_force_pushes_enforcement_level',
  'authorized_actors_only',
  'authorized_actor_names',
  'authorized_dismissal_actors_only',
  'dismiss_stale_reviews_on_push',
  'linear_history_requirement_enforcement_level',
  'pull_request_reviews_enforcement_level',
  'require_code_owner_review',
  'required_approving_review_count',
  'required_conversation_resolution_level',
  'required_status_checks',
  'required_status_checks_enforcement_level',
  'signature_requirement_enforcement_level',
] as const;

export type RuleInEvent = ReturnType<typeof toRuleInEvent>;

/** `names` are those who may push: logins of users, slugs of teams and apps. */
export function toRuleInEvent(
  { number, repositoryNumber, branch, rule, createdAt, updatedAt }: BranchProtection,
  names: readonly string[],
) {
  const { reviews, statusChecks } = rule;
  const level = (isOn: boolean) => enforcementLevel(isOn, rule);
  return {
    id: number,
    repository_id: repositoryNumber,
    name: branch,
    created_at: isoSeconds(createdAt),
    updated_at: isoSeconds(updatedAt),
    pull_request_reviews_enforcement_level: level(reviews !== null),
    required_approving_review_count: reviews?.requiredApprovingReviewCount ?? 0,
    dismiss_stale_reviews_on_push: reviews?.dismissStaleReviews ?? false,
    require_code_owner_review: reviews?.requireCodeOwnerReviews ?? false,
    require_last_push_approval: reviews?.requireLastPushApproval ?? false,
    authorized_dismissal_actors_only: reviews?.restrictsDismissals ?? false,
    ignore_approvals_from_contributors: false,
    required_status_checks: contextsOf(statusChecks?.checks ?? []),
    required_status_checks_enforcement_level: level(statusChecks !== null),
    strict_required_status_checks_policy: statusChecks?.strict ?? false,
    signature_requirement_enforcement_level: level(rule.requiredSignatures),
    linear_history_requirement_enforcement_level: level(rule.requiredLinearHistory),
    admin_enforced: rule.enforceAdmins,
    create_protected: rule.blockCreations,
    // They are allowed for everyone, or for nobody.
    allow_force_pushes_enforcement_level: rule.allowForcePushes ? 'everyone' : 'off',
    allow_deletions_enforcement_level: rule.allowDeletions ? 'everyone' : 'off',
    merge_queue_enforcement_level: 'off',
    required_deployments_enforcement_level: 'off',
    required_conversation_resolution_level: level(rule.requiredConversationResolution),
    authorized_actors_only: rule.isRestricted,
    authorized_actor_names: names,
  };
}

export function changesBetween(before: RuleInEvent, after: RuleInEvent): Record<string, { from: unknown }> {
  const changed = COMPARED.filter((member) => !isDeepStrictEqual(before[member], after[member]));
  return Object.fromEntries(changed.map((member) => [member, { from: before[member] }]));
}
