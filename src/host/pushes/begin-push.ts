// The beginning of a push: a row that outlives a crash, and due work that finishes what a dead server has left.
import { schedule } from '../../kernel/jobs/due-store.ts';
import { newId } from '../../kernel/id.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { recordedAs } from '../../kernel/identity/identity.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { RefChange } from '../protection/check-ref-changes.ts';
import type { Push } from './model.ts';
import { insertPush, readRefsVersion } from './store.ts';
import { recordPushes, RECORD_PUSH, recordPushId } from './record-pushes.ts';

/** Long after most pushes are over, and soon after a crash. */
const FIRST_LOOK_MS = 10_000;

export interface PushActor {
  caller: KnownCaller;
  now: number;
}

/** Must be durable before git may move a reference. */
export async function beginPush(
  kernel: Kernel,
  { caller, now }: PushActor,
  number: number,
  changes: readonly RefChange[],
): Promise<Push> {
  const push: Push = { id: newId(now), number, pusher: recordedAs(caller), begunAt: now, changes };
  const version = await kernel.db.transaction().execute(async (tx) => {
    await insertPush(tx, push);
    const work = { id: recordPushId(push.id), kind: RECORD_PUSH, payload: JSON.stringify({ id: push.id }) };
    await schedule(tx, { ...work, dueAt: now + FIRST_LOOK_MS }, now);
    return await readRefsVersion(tx, number);
  });
  // What the repository has before the first push that is recorded, nobody has pushed.
  if (version === 0) await recordPushes(kernel, number);
  return push;
}
