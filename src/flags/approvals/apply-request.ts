// Applies approval requests: at once for a call, or as due work, exactly once, in the name of the member who asked for it.
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { DueHandler } from '../../kernel/jobs/due-store.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Initiator } from '../../kernel/identity/identity.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { flagKinds } from '../feature-flags/change/instructions/table.ts';
import { applyPlan, checkPlan } from '../planned-changes/apply-plan.ts';
import { type FlagInEnvironment, recordFlagChange } from '../planned-changes/flag-in-environment.ts';
import { executePlanned, type PlannedKind } from '../planned-changes/execute-due.ts';
import { type ApprovalRequest, requireApproved, toCompleted } from './model.ts';
import { toApprovalRequest } from './representation.ts';
import { findApprovalRequest, updateApprovalRequest, APPROVAL_WORK } from './store.ts';

export const APPLY = 'applyApprovalRequest';

/** Belongs in a transaction that has locked the flag and the request. */
export async function applyRequest(
  tx: ChangeTransaction,
  target: FlagInEnvironment,
  request: ApprovalRequest,
  { by, comment }: { by: Initiator; comment?: string | undefined },
): Promise<ApprovalRequest> {
  requireApproved(request, target.environment.approvalSettings);
  const applied = toCompleted(request, by, tx.actor.now);
  await updateApprovalRequest(tx.db, request, applied);
  await applyPlan(tx.as(approved(tx.actor)), target, request.plan, optionsOf(request, target, comment));
  recordFlagChange(tx, target, APPLY, {
    verb: 'applied an approval request for',
    before: toApprovalRequest(request, target),
    after: toApprovalRequest(applied, target),
    comment,
  });
  return applied;
}

function optionsOf(
  { id, comment, description }: ApprovalRequest,
  { environment }: FlagInEnvironment,
  details?: string,
) {
  return {
    comment: details ?? comment ?? (description || `Approval request ${id}`),
    approvedIn: environment.key,
  };
}

/** Throws when the actor could not apply the request now. Due work checks again, with the permissions of that time. */
export async function checkRequest(
  tx: ChangeTransaction,
  { request, target }: { request: ApprovalRequest; target: FlagInEnvironment },
  comment?: string,
): Promise<void> {
  const options = { ...optionsOf(request, target, comment), ignoreConflicts: true };
  await checkPlan(tx.as(approved(tx.actor)), target, request.plan, options);
}

export async function couldApply(...args: Parameters<typeof checkRequest>): Promise<boolean> {
  try {
    await checkRequest(...args);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/** The actions of instructions on one environment. */
const LOCAL: ReadonlySet<string | undefined> = new Set([
  ...[...flagKinds.values()].filter(({ level }) => level === 'environment').map(({ action }) => action),
  'copyFlagConfigTo',
  'copyFlagConfigFrom',
]);

/**
 * In the environment of the request, the permission to apply it is enough, because reviewers have approved the change. What
 * changes all environments at once still takes its own permissions.
 */
function approved(actor: ChangeActor): ChangeActor {
  return {
    ...(actor.id !== undefined && { id: actor.id }),
    ...(actor.caller !== undefined && { caller: actor.caller }),
    now: actor.now,
    can: (resource, action) => LOCAL.has(action) || actor.can(resource, action),
    requirePermission(resource, action) {
      if (!LOCAL.has(action)) actor.requirePermission(resource, action);
    },
  };
}

const scheduledRequest: PlannedKind<ApprovalRequest> = {
  find: findApprovalRequest,
  isWaiting: ({ status }) => status === 'scheduled',
  planOf: ({ plan }) => plan,
  initiatorOf: ({ appliedBy }) => appliedBy!,
  initiatorGone: 'Whoever has had the request applied is no longer here.',
  async apply(tx, request, target) {
    // With automatic application, the settings of the environment allow it.
    if (!target.environment.approvalSettings.autoApplyApprovedChanges)
      tx.actor.requirePermission(target.resource, APPLY);
    await applyRequest(tx, target, request, { by: request.appliedBy!, comment: request.applyComment });
  },
  update: updateApprovalRequest,
  action: APPLY,
  failureOf: () => ({ verb: 'failed to apply an approval request for' }),
  show: (request, target) => toApprovalRequest(request, target),
};

export function approvalHandlers(kernel: Kernel): Record<string, DueHandler> {
  return { [APPROVAL_WORK]: executePlanned(kernel, scheduledRequest) };
}
