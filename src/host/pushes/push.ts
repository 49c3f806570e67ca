// A push from its beginning to its end, over git or by a call of the API that changes references: a crash at any point loses nothing of what follows.
import { Failure } from '../../kernel/failure.ts';
import { newId } from '../../kernel/id.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { recordedAs } from '../../kernel/identity/identity.ts';
import { passCheckpoint } from '../../kernel/jobs/checkpoint.ts';
import { schedule, type DueHandler } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { removeStaleQuarantines } from '../git/maintenance/leftovers.ts';
import { updateRefs, type RefUpdate } from '../git/refs/update-refs.ts';
import { findCaseCollisions, type RefChange } from '../protection/check-ref-changes.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { Push } from './model.ts';
import { recordPushes, RECORD_PUSH, recordPushId } from './record-pushes.ts';
import { findPush, insertPush } from './store.ts';

/** Long after most pushes are over, and soon after a crash. */
const FIRST_LOOK_MS = 10_000;
/** No push takes longer: afterwards its server has died, and with it the processes of git. */
export const MAX_PUSH_MS = 60 * 60 * 1000;
const SHORTEST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 5 * 60_000;

/**
 * Refuses the names that a push may not have, too. `fresh` are commits that were created for this change.
 *
 * @throws {RefUpdateRefused} where nothing was changed.
 */
export async function changeRefs(
  kernel: Kernel,
  actor: PushActor,
  { repository: { number } }: FoundRepository,
  updates: readonly (RefUpdate & Pick<RefChange, 'renamedTo'>)[],
  fresh?: ReadonlySet<string>,
): Promise<void> {
  const git = kernel.services.git.repository(number);
  const [collision] = await findCaseCollisions(git, updates);
  if (collision !== undefined) throw new Failure('invalid', collision);
  // Others are only compared.
  const moved = updates.filter(({ from, to }) => from !== to);
  const push = await beginPush(kernel, actor, number, moved);
  try {
    await updateRefs(git, updates);
    passCheckpoint('moved references');
  } finally {
    await endPush(kernel, push, actor.caller, fresh);
  }
}

interface PushActor {
  caller: KnownCaller;
  now: number;
}

/**
 * The row outlives a crash, and due work finishes what a dead server has left. Must be durable before git may move a
 * reference.
 */
export async function beginPush(
  kernel: Kernel,
  { caller, now }: PushActor,
  number: number,
  changes: readonly RefChange[],
): Promise<Push> {
  const push: Push = { id: newId(now), number, pusher: recordedAs(caller), begunAt: now, changes };
  const work = { id: recordPushId(push.id), kind: RECORD_PUSH, payload: JSON.stringify({ id: push.id }) };
  const due = { ...work, dueAt: now + FIRST_LOOK_MS };
  const version = await kernel.db.transaction().execute((tx) => insertPush(tx, push, due));
  // What the repository has before the first push that is recorded, nobody has pushed.
  if (version === 0) await recordPushes(kernel, number);
  return push;
}

/** Compares what the push was to change. Where that fails, due work does it later: the references have moved. */
export async function endPush(
  kernel: Kernel,
  push: Push,
  pusher: KnownCaller,
  fresh?: ReadonlySet<string>,
): Promise<void> {
  try {
    await recordPushes(kernel, push.number, { pusher, ended: push, ...(fresh && { fresh }) });
  } catch (error) {
    kernel.log.warn({ err: error, repository: push.number }, 'A push is to be recorded later');
  }
}

/** Looks again and again while the push may go on: nothing says that its server has died. */
export function recordPushHandler(kernel: Kernel): DueHandler {
  return async ({ id, kind, payload }) => {
    const { db, clock, identity } = kernel;
    const push = await findPush(db, (JSON.parse(payload) as { id: string }).id);
    if (push === undefined) return;
    const now = clock.now();
    const age = now - push.begunAt;
    const pusher = await identity.callerOf(db, push.pusher, now);
    const isOver = age > MAX_PUSH_MS;
    await recordPushes(kernel, push.number, { pusher, ...(isOver ? { ended: push } : { watched: push }) });
    if (isOver) {
      await removeStaleQuarantines(kernel.services.git.repository(push.number).folder, MAX_PUSH_MS);
      return;
    }
    const dueAt = now + Math.min(Math.max(age, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
    await db.transaction().execute(async (tx) => {
      if ((await findPush(tx, push.id)) !== undefined)
        await schedule(tx, { id, kind, payload, dueAt }, now, 'move');
    });
  };
}
