// Applies scheduled changes when they are due, each exactly once. One that cannot be applied is stored as failed, with the reason.
import { actorOf, systemActor } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { DueHandler } from '../../kernel/jobs/due-store.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Identity } from '../../kernel/identity/identity.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { applyPlan } from '../planned-changes/apply-plan.ts';
import type { FlagInEnvironment } from '../planned-changes/flag-in-environment.ts';
import { conflictOf } from '../planned-changes/plan.ts';
import { recordFlagChange } from '../planned-changes/record-change.ts';
import { toDueHandler } from '../planned-changes/run-due.ts';
import { toScheduledChange } from './model.ts';
import type { ScheduledChange } from './scheduled-change.ts';
import {
  deleteScheduledChange,
  findScheduledChange,
  updateScheduledChange,
  SCHEDULED_CHANGE_WORK,
} from './store.ts';

const action = 'updateScheduledChanges';

export function scheduledChangeHandlers(kernel: Kernel): Record<string, DueHandler> {
  return {
    [SCHEDULED_CHANGE_WORK]: toDueHandler(kernel, {
      find: findScheduledChange,
      isWaiting: ({ status }) => status === 'pending',
      apply: (...due) => applyNow(kernel.identity, ...due),
      fail: (...due) => fail(kernel.identity, ...due),
    }),
  };
}

async function applyNow(
  identity: Identity,
  tx: ChangeTransaction,
  change: ScheduledChange,
  target: FlagInEnvironment,
): Promise<void> {
  const { now } = tx.actor;
  const caller = await identity.callerOf(tx.db, change.maintainer, now);
  if (caller === undefined)
    throw new Failure('denied', 'Whoever has scheduled the change is no longer here.');
  const actor = actorOf(caller, now);
  actor.requirePermission(target.resource, action);
  const theirs = tx.as(actor);
  const { key, approvalSettings } = target.environment;
  await deleteScheduledChange(tx.db, change);
  const { isChanged } = await applyPlan(theirs, target, change, {
    comment: change.comment ?? `Scheduled change ${change.id}`,
    ...(approvalSettings.bypassApprovalsForPendingChanges && { approvedIn: key }),
  });
  if (isChanged) return;
  recordFlagChange(theirs, target, action, {
    verb: 'made a scheduled change, for which nothing was left to do, of',
    before: toScheduledChange(change, target),
    comment: change.comment,
  });
}

async function fail(
  identity: Identity,
  tx: ChangeTransaction,
  before: ScheduledChange,
  target: FlagInEnvironment,
  failure: Failure,
): Promise<void> {
  const { now } = tx.actor;
  const caller = await identity.callerOf(tx.db, before.maintainer, now);
  const change: ScheduledChange = {
    ...before,
    status: 'failed',
    conflicts: [conflictOf(failure, before.instructions)],
    version: before.version + 1,
  };
  await updateScheduledChange(tx.db, before, change, now);
  recordFlagChange(tx.as(systemActor({ now, ...(caller && { caller }) })), target, action, {
    verb: 'failed to make a scheduled change of',
    description: failure.message,
    before: toScheduledChange(before, target),
    after: toScheduledChange(change, target),
    comment: change.comment,
  });
}
