// Whether somebody may go past an approval that is required.
import type { KnownCaller } from '../kernel/identity/caller.ts';
import { can } from '../kernel/identity/policy.ts';

export const BYPASS = 'bypassRequiredApproval';
/** The same of segments alone. */
export const BYPASS_SEGMENT = 'bypassRequiredSegmentApproval';

/**
 * Base roles that may do everything are not meant: if they were, approval would be required of nobody. It takes a custom
 * role, or a service token whose own statements allow it. What a personal token says of itself does not count: its owner
 * writes it as they like.
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
