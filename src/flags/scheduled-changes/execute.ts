// Makes scheduled changes when their time has come, each exactly once; one that cannot be made is kept with the reason.
import { actorOf, systemActor } from '../../kernel/change/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { DueHandler } from '../../kernel/due-store.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Identity } from '../../kernel/identity/identity.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { carryOut } from '../planned-changes/apply-plan.ts';
import type { Place } from '../planned-changes/flag-in-environment.ts';
import { conflictOf } from '../planned-changes/plan.ts';
import { recordAt } from '../planned-changes/record-change.ts';
import { takingUp } from '../planned-changes/run-due.ts';
import { toScheduledChange } from './model.ts';
import type { ScheduledChange } from './scheduled-change.ts';
import { deleteScheduledChange, findScheduledChange, saveScheduledChange, WORK } from './store.ts';

const action = 'updateScheduledChanges';

export function scheduledChangeHandlers(kernel: Kernel): Record<string, DueHandler> {
  return {
    [WORK]: takingUp(kernel, {
      find: findScheduledChange,
      isWaiting: ({ status }) => status === 'pending',
      make: (...due) => make(kernel.identity, ...due),
      giveUp: (...due) => giveUp(kernel.identity, ...due),
    }),
  };
}

async function make(
  identity: Identity,
  on: ChangeTransaction,
  change: ScheduledChange,
  place: Place,
): Promise<void> {
  const { now } = on.actor;
  const caller = await identity.callerOf(on.db, change.maintainer, now);
  if (caller === undefined)
    throw new Failure('denied', 'Whoever has scheduled the change is no longer here.');
  const actor = actorOf(caller, now);
  actor.demand(place.resource, action);
  const theirs = on.as(actor);
  const { key, approvalSettings } = place.environment;
  await deleteScheduledChange(on.db, change);
  const { isChanged } = await carryOut(theirs, place, change, {
    comment: change.comment ?? `Scheduled change ${change.id}`,
    ...(approvalSettings.bypassApprovalsForPendingChanges && { approvedIn: key }),
  });
  if (isChanged) return;
  recordAt(theirs, place, action, {
    verb: 'made a scheduled change, for which nothing was left to do, of',
    before: toScheduledChange(change, place),
    comment: change.comment,
  });
}

async function giveUp(
  identity: Identity,
  on: ChangeTransaction,
  before: ScheduledChange,
  place: Place,
  failure: Failure,
): Promise<void> {
  const { now } = on.actor;
  const caller = await identity.callerOf(on.db, before.maintainer, now);
  const change: ScheduledChange = {
    ...before,
    status: 'failed',
    conflicts: [conflictOf(failure, before.instructions)],
    version: before.version + 1,
  };
  await saveScheduledChange(on.db, before, change, now);
  recordAt(on.as(systemActor({ now, ...(caller && { caller }) })), place, action, {
    verb: 'failed to make a scheduled change of',
    description: failure.message,
    before: toScheduledChange(before, place),
    after: toScheduledChange(change, place),
    comment: change.comment,
  });
}
