// What stands between a caller and a change: comments, confirmations, approvals, permissions.
import type { EditedFlagChange } from '../../flags/feature-flags/change/draft-change.ts';
import {
  affectedEnvironments,
  denialsOf,
  requireFlagApproval,
  requirePermissions,
} from '../../flags/feature-flags/change/permissions.ts';
import { BYPASS, BYPASS_SEGMENT, mayBypass } from '../../flags/policy/policy-rules.ts';
import { environmentalResource } from '../../flags/policy/resources.ts';
import type { Environment } from '../../flags/projects/project.ts';
import { requireSegmentApproval, segmentApprovalIsRequired } from '../../flags/segments/approval.ts';
import { requireSegmentPermissions, type EditedSegment } from '../../flags/segments/change-segment.ts';
import { Failure, sentenceOf } from '../../kernel/failure.ts';
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import type { ShownGuard } from './preview-model.ts';

export function guardFlagChange(actor: ChangeActor, edited: EditedFlagChange): ShownGuard {
  const { context, before } = edited;
  const affected = affectedEnvironments(edited);
  const resourceIn = (environment: Environment) =>
    environmentalResource(context.project, environment, 'flag', before);
  const approving = affected.filter(({ requiresApproval }) => requiresApproval);
  return {
    ...settingsOf(affected.map(({ environment }) => environment)),
    requiresComment: affected.some(({ requiresComment }) => requiresComment),
    requiresApproval: approving.length > 0,
    mayBypassApproval:
      approving.length > 0 &&
      approving.every(({ environment }) => mayBypass(actor.caller, resourceIn(environment))),
    ...permissionOf(() => {
      requirePermissions(actor, context, edited.permissions);
      context.environments.forEach(denialsOf(actor, edited));
      for (const { environment } of approving)
        requireFlagApproval(actor, environment, before, resourceIn(environment));
    }),
  };
}

export function guardSegmentChange(
  actor: ChangeActor,
  environment: Environment,
  edited: EditedSegment,
): ShownGuard {
  const { before, after, resource } = edited;
  const isChanged = before !== after;
  const requiresApproval = isChanged && segmentApprovalIsRequired(environment, before);
  return {
    ...settingsOf(isChanged ? [environment] : []),
    requiresComment: isChanged && environment.requireComments,
    requiresApproval,
    mayBypassApproval:
      requiresApproval &&
      [BYPASS_SEGMENT, BYPASS].some((action) => mayBypass(actor.caller, resource, action)),
    ...permissionOf(() => {
      requireSegmentPermissions(actor, edited);
      if (requiresApproval) requireSegmentApproval(actor, environment, before, resource);
    }),
  };
}

function settingsOf(environments: readonly Environment[]) {
  return {
    environments: environments.map(({ key }) => key),
    requiresConfirmation: environments.some(({ confirmChanges }) => confirmChanges),
    isCritical: environments.some(({ critical }) => critical),
  };
}

const REFUSALS: ReadonlySet<string> = new Set(['denied', 'forbidden', 'approval-required']);

/** Whether the checks refuse the caller, and why. Other failures are thrown. */
function permissionOf(check: () => void): Pick<ShownGuard, 'mayApply' | 'reason' | 'missing'> {
  try {
    check();
    return { mayApply: true };
  } catch (error) {
    if (!(error instanceof Failure) || !REFUSALS.has(error.kind)) throw error;
    const { message, details } = error;
    return {
      mayApply: false,
      reason: sentenceOf(message),
      ...(details.access !== undefined && { missing: details.access }),
    };
  }
}
