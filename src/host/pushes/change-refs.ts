// Moves references for calls of the API: as a push does, so that a crash at any point loses nothing of what follows it.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { updateRefs, type RefUpdate } from '../git/update-refs.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { findCaseCollisions } from './case-collisions.ts';
import { beginPush, type PushActor } from './begin-push.ts';
import { endPush } from './record-pushes.ts';

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
