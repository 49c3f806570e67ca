// What policies say of a change beyond plain permissions: who may bypass a required approval, and whom a denial in an affected environment stops.
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { can, isDenied } from '../../kernel/identity/policy.ts';
import { Failure } from '../../kernel/failure.ts';

export const BYPASS = 'bypassRequiredApproval';
/** The same permission for segments only. */
export const BYPASS_SEGMENT = 'bypassRequiredSegmentApproval';

/**
 * An allow-all base role does not count: otherwise no administrator would ever need approval. The permission has to
 * come from a custom role, or from the statements of a service token. Statements of a personal token do not count,
 * because its owner writes them.
 */
export function mayBypass(
  caller: KnownCaller | undefined,
  resource: string,
  action: string = BYPASS,
): boolean {
  if (caller === undefined || !can(caller, action, resource)) return false;
  const { grants, token } = caller;
  const given = token === undefined || token.isService ? grants : grants.slice(0, -1);
  return given.flat().some((policy) => policy.baseRole === undefined && policy.allows(action, resource));
}

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
