// Whether a change to a segment must have been approved before.
import { Failure } from '../../kernel/failure.ts';
import type { Call } from '../../kernel/route.ts';
import { BYPASS, mayBypass } from '../bypass.ts';
import type { Environment } from '../projects/project.ts';
import type { Segment } from './segment.ts';

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
