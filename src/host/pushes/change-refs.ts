// Moves references for calls of the API: as a push does, so that a crash at any point loses nothing of what follows it.
import type { Kernel } from '../../kernel/kernel.ts';
import { updateRefs, type RefUpdate } from '../git/update-refs.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { beginPush, type PushActor } from './begin-push.ts';
import { endPush } from './record-pushes.ts';

/** @throws {RefUpdateRefused} where nothing was changed. */
export async function changeRefs(
  kernel: Kernel,
  actor: PushActor,
  { repository: { number } }: FoundRepository,
  updates: readonly RefUpdate[],
): Promise<void> {
  const push = await beginPush(kernel, actor, number, updates);
  try {
    await updateRefs(kernel.services.git.repository(number), updates);
  } finally {
    await endPush(kernel, push, actor.caller);
  }
}
