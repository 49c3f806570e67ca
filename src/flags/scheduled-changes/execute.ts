// Applies scheduled changes when they are due, with the permissions that their maintainers have then.
import type { DueHandler } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { applyPlan } from '../planned-changes/apply-plan.ts';
import { executePlanned, type PlannedKind } from '../planned-changes/execute-due.ts';
import { recordFlagChange } from '../planned-changes/flag-in-environment.ts';
import { toScheduledChange, type ScheduledChange } from './model.ts';
import {
  deleteScheduledChange,
  findScheduledChange,
  updateScheduledChange,
  SCHEDULED_CHANGE_WORK,
} from './store.ts';

const action = 'updateScheduledChanges';

const scheduledChange: PlannedKind<ScheduledChange> = {
  find: findScheduledChange,
  isWaiting: ({ status }) => status === 'pending',
  planOf: (change) => change,
  initiatorOf: ({ maintainer }) => maintainer,
  initiatorGone: 'Whoever has scheduled the change is no longer here.',
  async apply(tx, change, target) {
    tx.actor.requirePermission(target.resource, action);
    await deleteScheduledChange(tx.db, change);
    const { key, approvalSettings } = target.environment;
    const { isChanged } = await applyPlan(tx, target, change, {
      comment: change.comment ?? `Scheduled change ${change.id}`,
      ...(approvalSettings.bypassApprovalsForPendingChanges && { approvedIn: key }),
    });
    if (isChanged) return;
    recordFlagChange(tx, target, action, {
      verb: 'made a scheduled change, for which nothing was left to do, of',
      before: toScheduledChange(change, target),
      comment: change.comment,
    });
  },
  update: updateScheduledChange,
  action,
  failureOf: ({ comment }) => ({ verb: 'failed to make a scheduled change of', comment }),
  show: (change, target) => toScheduledChange(change, target),
};

export function scheduledChangeHandlers(kernel: Kernel): Record<string, DueHandler> {
  return { [SCHEDULED_CHANGE_WORK]: executePlanned(kernel, scheduledChange) };
}
