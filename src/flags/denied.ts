// Refuses a change that a policy denies in one of the environments it affects, or that would end such a denial.
import { Failure } from '../kernel/failure.ts';
import type { KnownCaller } from '../kernel/identity/caller.ts';
import { isDenied } from '../kernel/identity/policy.ts';

/**
 * For a change that affects an environment indirectly, such as deleting its project: a caller who may do it elsewhere
 * may still be denied it there.
 */
export function refuseIfDenied(
  caller: KnownCaller | undefined,
  action: string,
  { name }: { name: string },
  resource: string,
): void {
  if (caller === undefined || !isDenied(caller, action, resource)) return;
  throw new Failure('denied', `You are denied ${action} in ${name}: on ${resource}.`, {
    access: { action, resource },
  });
}

/**
 * For a change of tags: policies name resources by them, and a caller who is denied what has a tag could otherwise remove the
 * tag first. The resource is given as it is before the change and after it.
 */
export function refuseIfLifted(
  caller: KnownCaller | undefined,
  actions: readonly string[],
  { name }: { name: string },
  before: string,
  after: string,
): void {
  if (caller === undefined || before === after) return;
  const lifted = actions.find(
    (action) => isDenied(caller, action, before) && !isDenied(caller, action, after),
  );
  if (lifted === undefined) return;
  throw new Failure('denied', `You are denied ${lifted} in ${name}, and these tags would allow it.`, {
    access: { action: 'updateTags', resource: before },
  });
}
