// Makes scheduled changes when their time has come, each exactly once; one that cannot be made is kept with the reason.
import { finish, type Due, type Handler } from '../../kernel/due.ts';
import { Failure } from '../../kernel/failure.ts';
import { callerOf } from '../../kernel/identity/identity.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { recordChange } from '../change.ts';
import { actorOf, carryOut, isLasting } from '../pending/carry-out.ts';
import { findPlace } from '../pending/find-place.ts';
import type { Place } from '../pending/place.ts';
import { conflictOf } from '../pending/plan.ts';
import { toScheduledChange } from './model.ts';
import type { ScheduledChange } from './scheduled-change.ts';
import { deleteScheduledChange, findScheduledChange, saveScheduledChange, WORK } from './store.ts';

const action = 'updateScheduledChanges';

export function scheduledChangeHandlers(kernel: Kernel): Record<string, Handler> {
  return {
    [WORK]: async (due) => {
      try {
        await take(kernel, due, (tx, change, place) => make(kernel, tx, change, place));
      } catch (error) {
        if (!isLasting(error, due)) throw error;
        await take(kernel, due, (tx, change, place) => giveUp(kernel, tx, change, place, error));
      }
    },
  };
}

type Doing = (tx: Db, change: ScheduledChange, place: Place) => Promise<void>;

/** The work is settled in the transaction of what is done, so that both happen or neither. */
async function take({ db, engine }: Kernel, due: Due, run: Doing): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const known = await findScheduledChange(tx, due.payload);
    const place = known && (await findPlace(tx, known, engine));
    const change = place && (await findScheduledChange(tx, due.payload, engine));
    if (!(await finish(tx, due))) throw new Error('The work is no longer ours.');
    // It was given up, or the flag is gone and it too.
    if (place === undefined || change?.status !== 'pending') return;
    await run(tx, change, place);
  });
}

async function make(kernel: Kernel, tx: Db, change: ScheduledChange, place: Place): Promise<void> {
  const now = kernel.clock.now();
  const caller = await callerOf(tx, change.maintainer, now);
  if (caller === undefined)
    throw new Failure('denied', 'Whoever has scheduled the change is no longer here.');
  const actor = actorOf(caller, now);
  const { resource, environment, flag } = place;
  actor.demand(resource, action);
  await deleteScheduledChange(tx, change);
  const { isChanged } = await carryOut(kernel, tx, actor, place, change, {
    comment: change.comment ?? `Scheduled change ${change.id}`,
    ...(environment.approvalSettings.bypassApprovalsForPendingChanges && { bypass: 'approval' as const }),
  });
  if (isChanged) return;
  await recordChange(tx, actor, {
    accesses: [{ action, resource }],
    kind: 'flag',
    name: flag.name,
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
  await recordChange(
    tx,
    { now, ...(caller && { caller }) },
    {
      accesses: [{ action, resource: place.resource }],
      kind: 'flag',
      name: place.flag.name,
      verb: 'failed to make a scheduled change of',
      description: failure.message,
      before: toScheduledChange(before, place),
      after: toScheduledChange(change, place),
      comment: change.comment,
    },
  );
}
