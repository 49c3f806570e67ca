// Applies approval requests: at once for a call, or as due work, exactly once, in the name of the member who asked for it.
import { actorOf, systemActor, type ChangeActor } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { DueHandler } from '../../kernel/jobs/due-store.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Initiator, Identity } from '../../kernel/identity/identity.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { flagKinds } from '../feature-flags/change/instructions/table.ts';
import { applyPlan, checkPlan } from '../planned-changes/apply-plan.ts';
import type { FlagInEnvironment } from '../planned-changes/flag-in-environment.ts';
import { conflictOf } from '../planned-changes/plan.ts';
import { recordFlagChange } from '../planned-changes/record-change.ts';
import { toDueHandler } from '../planned-changes/run-due.ts';
import type { ApprovalRequest } from './approval-request.ts';
import { requireApproved, toCompleted } from './model.ts';
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

export function approvalHandlers(kernel: Kernel): Record<string, DueHandler> {
  return {
    [APPROVAL_WORK]: toDueHandler(kernel, {
      find: findApprovalRequest,
      isWaiting: ({ status }) => status === 'scheduled',
      apply: (...due) => applyNow(kernel.identity, ...due),
      fail: (...due) => fail(kernel.identity, ...due),
    }),
  };
}

async function applyNow(
  identity: Identity,
  tx: ChangeTransaction,
  request: ApprovalRequest,
  target: FlagInEnvironment,
): Promise<void> {
  const { now } = tx.actor;
  const by = request.appliedBy!;
  const caller = await identity.callerOf(tx.db, by, now);
  if (caller === undefined)
    throw new Failure('denied', 'Whoever has had the request applied is no longer here.');
  const actor = actorOf(caller, now);
  // With automatic application, the settings of the environment allow it.
  if (!target.environment.approvalSettings.autoApplyApprovedChanges)
    actor.requirePermission(target.resource, APPLY);
  await applyRequest(tx.as(actor), target, request, { by, comment: request.applyComment });
}

async function fail(
  identity: Identity,
  tx: ChangeTransaction,
  before: ApprovalRequest,
  target: FlagInEnvironment,
  failure: Failure,
): Promise<void> {
  const { now } = tx.actor;
  const caller = await identity.callerOf(tx.db, before.appliedBy!, now);
  const after: ApprovalRequest = {
    ...before,
    status: 'failed',
    conflicts: [conflictOf(failure, before.plan.instructions)],
    version: before.version + 1,
  };
  await updateApprovalRequest(tx.db, before, after);
  recordFlagChange(tx.as(systemActor({ now, ...(caller && { caller }) })), target, APPLY, {
    verb: 'failed to apply an approval request for',
    description: failure.message,
    before: toApprovalRequest(before, target),
    after: toApprovalRequest(after, target),
  });
}
