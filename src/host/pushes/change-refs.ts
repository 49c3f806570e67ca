// The beginning of every push, and changes of references by calls of the API as a push: a crash at any point loses nothing of what follows.
import { Failure } from '../../kernel/failure.ts';
import { newId } from '../../kernel/id.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { recordedAs } from '../../kernel/identity/identity.ts';
import { schedule } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { foldCase } from '../../kernel/text/fold-case.ts';
import { readRefValues } from '../git/refs/list-refs.ts';
import { updateRefs, type RefUpdate } from '../git/refs/update-refs.ts';
import type { RefChange } from '../protection/check-ref-changes.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { Push } from './model.ts';
import { endPush, recordPushes, RECORD_PUSH, recordPushId } from './record-pushes.ts';
import { insertPush, readRefsVersion } from './store.ts';

/**
 * Refuses the names that a push may not have, too.
 *
 * @throws {RefUpdateRefused} where nothing was changed.
 */
export async function changeRefs(
  kernel: Kernel,
  actor: PushActor,
  { repository: { number } }: FoundRepository,
  updates: readonly RefUpdate[],
): Promise<void> {
  const git = kernel.services.git.repository(number);
  const [collision] = await findCaseCollisions(git, updates);
  if (collision !== undefined) throw new Failure('invalid', collision);
  const push = await beginPush(kernel, actor, number, updates);
  try {
    await updateRefs(git, updates);
  } finally {
    await endPush(kernel, push, actor.caller);
  }
}

/** Long after most pushes are over, and soon after a crash. */
const FIRST_LOOK_MS = 10_000;

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

/** A sentence for each new name that differs from another only in case: for many people both would be one file. */
export async function findCaseCollisions(
  git: Parameters<typeof readRefValues>[0],
  changes: readonly RefChange[],
): Promise<string[]> {
  const creates = changes.some(({ from, to }) => from === undefined && to !== undefined);
  return creates ? collisionsAmong(changes, (await readRefValues(git)).keys()) : [];
}

function collisionsAmong(changes: readonly RefChange[], existing: Iterable<string>): string[] {
  const deleted = new Set(changes.filter(({ to }) => to === undefined).map(({ name }) => name));
  const names = new Map<string, string>();
  for (const name of existing) if (!deleted.has(name)) names.set(foldCase(name), name);
  return changes.flatMap(({ name, from, to }) => {
    if (to === undefined || from !== undefined) return [];
    const other = names.get(foldCase(name));
    names.set(foldCase(name), name);
    if (other === undefined || other === name) return [];
    return [`${name} differs from ${other} only in upper and lower case.`];
  });
}
