// Decides whether a caller may bypass a required approval.
import type { KnownCaller } from '../kernel/identity/caller.ts';
import { can } from '../kernel/identity/policy.ts';

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
