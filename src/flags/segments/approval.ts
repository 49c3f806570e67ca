// Decides whether a change to a segment needs approval.
import { Failure } from '../../kernel/failure.ts';
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import { BYPASS, BYPASS_SEGMENT, mayBypass } from '../policy/policy-rules.ts';
import type { Environment } from '../projects/project.ts';
import type { Segment } from './segment.ts';

/** For this caller. `resource` is the segment's specifier. */
export function segmentNeedsApproval(
  { caller }: Pick<ChangeActor, 'caller'>,
  environment: Environment,
  segment: Segment,
  resource: string,
): boolean {
  if (!segmentApprovalIsRequired(environment, segment)) return false;
  return ![BYPASS_SEGMENT, BYPASS].some((action) => mayBypass(caller, resource, action));
}

/** For callers who may not bypass it. */
export function segmentApprovalIsRequired(
  { resourceApprovalSettings }: Environment,
  { tags }: Pick<Segment, 'tags'>,
): boolean {
  const { required = false, requiredApprovalTags = [] } = resourceApprovalSettings?.segment ?? {};
  return required || requiredApprovalTags.some((tag) => tags.includes(tag));
}

export function requireSegmentApproval(...asked: Parameters<typeof segmentNeedsApproval>): void {
  if (!segmentNeedsApproval(...asked)) return;
  const [, , , resource] = asked;
  throw new Failure('approval-required', 'The change cannot be made directly: approval is required', {
    access: { action: BYPASS_SEGMENT, resource },
  });
}
