// Which changes of references the rules of a repository refuse: asked by every write, before the references are moved.
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { GitTarget } from '../git/git-target.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { RepositoryRole } from '../repositories/repository.ts';

/** Full names, such as `refs/heads/main`. Undefined where the reference is created or deleted. */
export interface RefChange {
  name: string;
  from: string | undefined;
  to: string | undefined;
}

export interface RefusedRef {
  name: string;
  /** Plain words for the pusher; several lines. */
  message: string;
}

/** Who changes references. Without the role, it is read where a rule asks for it. */
export interface Pusher {
  caller: KnownCaller;
  role?: RepositoryRole;
}

/** `git` reads the new objects too: during a push, with its `quarantine`. */
export async function checkRefChanges(
  _kernel: Kernel,
  _found: FoundRepository,
  _pusher: Pusher,
  _changes: readonly RefChange[],
  _git: GitTarget,
): Promise<RefusedRef[]> {
  return await Promise.resolve([]);
}
