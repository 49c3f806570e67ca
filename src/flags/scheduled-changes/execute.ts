// Makes scheduled changes when their time has come, each exactly once; one that cannot be made is kept with the reason.
import type { Handler } from '../../kernel/due.ts';
import { Failure } from '../../kernel/failure.ts';
import { callerOf } from '../../kernel/identity/identity.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { actorOf, carryOut } from '../pending/carry-out.ts';
import type { Place } from '../pending/place.ts';
import { conflictOf } from '../pending/plan.ts';
import { recordAt } from '../pending/record.ts';
import { takingUp } from '../pending/take-up.ts';
import { toScheduledChange } from './model.ts';
import type { ScheduledChange } from './scheduled-change.ts';
import { deleteScheduledChange, findScheduledChange, saveScheduledChange, WORK } from './store.ts';

const action = 'updateScheduledChanges';

export function scheduledChangeHandlers(kernel: Kernel): Record<string, Handler> {
  return {
    [WORK]: takingUp(kernel, {
      find: findScheduledChange,
      isWaiting: ({ status }) => status === 'pending',
      make: (tx, change, place) => make(kernel, tx, change, place),
      giveUp: (tx, change, place, failure) => giveUp(kernel, tx, change, place, failure),
    }),
  };
}

async function make(kernel: Kernel, tx: Db, change: ScheduledChange, place: Place): Promise<void> {
  const now = kernel.clock.now();
  const caller = await callerOf(tx, change.maintainer, now);
  if (caller === undefined)
    throw new Failure('denied', 'Whoever has scheduled the change is no longer here.');
  const actor = actorOf(caller, now);
  actor.demand(place.resource, action);
  const { key, approvalSettings } = place.environment;
  await deleteScheduledChange(tx, change);
  const { isChanged } = await carryOut(kernel, tx, actor, place, change, {
    comment: change.comment ?? `Scheduled change ${change.id}`,
    ...(approvalSettings.bypassApprovalsForPendingChanges && { approvedIn: key }),
  });
  if (isChanged) return;
  await recordAt(tx, actor, place, action, {
    verb: 'made a scheduled change, for which nothing was left to do, of',
    before: toScheduledChange(change, place),
    comment: change.comment,
  });
}

async function giveUp(
  { clock }: Kernel,
  tx: Db,
  before: ScheduledChange,
  place: Place,
  failure: Failure,
): Promise<void> {
  const now = clock.now();
  const caller = await callerOf(tx, before.maintainer, now);
  const change: ScheduledChange = {
    ...before,
    status: 'failed',
    conflicts: [conflictOf(failure, before.instructions)],
    version: before.version + 1,
  };
  await saveScheduledChange(tx, before, change, now);
  await recordAt(tx, { now, ...(caller && { caller }) }, place, action, {
    verb: 'failed to make a scheduled change of',
    description: failure.message,
    before: toScheduledChange(before, place),
    after: toScheduledChange(change, place),
    comment: change.comment,
  });
}
