// Whether a change to a segment must have been approved before.
import { Failure } from '../../kernel/failure.ts';
import { rolePolicies } from '../../kernel/identity/policy.ts';
import type { Call } from '../../kernel/route.ts';
import type { Environment } from '../projects/project.ts';
import type { Segment } from './segment.ts';

const BYPASS = 'bypassRequiredApproval';

/** `resource` is the segment. Clients know this failure by its status and words. */
export function demandApproval(
  { caller }: Pick<Call, 'caller'>,
  { resourceApprovalSettings }: Environment,
  { tags }: Segment,
  resource: string,
): void {
  const { required = false, requiredApprovalTags = [] } = resourceApprovalSettings?.segment ?? {};
  if (!required && !requiredApprovalTags.some((tag) => tags.includes(tag))) return;
  if (mayBypass(caller, resource)) return;
  throw new Failure('forbidden', 'The change cannot be made directly: approval is required', {
    access: { action: BYPASS, resource },
  });
}

/** As with flags, base roles that may do everything are not meant: approval would be required of nobody. */
function mayBypass({ grants }: Call['caller'], resource: string): boolean {
  const base = new Set(Object.values(rolePolicies));
  const allows = (group: (typeof grants)[number]) => group.some((policy) => policy.allows(BYPASS, resource));
  return (
    grants.every(allows) &&
    grants.flat().some((policy) => !base.has(policy) && policy.allows(BYPASS, resource))
  );
}
