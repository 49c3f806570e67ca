// Refuses a change that a policy denies in one of the environments it affects.
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
