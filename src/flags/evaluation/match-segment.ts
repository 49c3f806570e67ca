// Evaluates the membership of a context in a segment, without a flag.
import { beginShare, endShare, Membership, type CompiledSegment, type EvaluationRun } from './run.ts';

/** Why a context is in a segment: its own key is listed, or a rule matches. */
export type SegmentMatch = 'key' | 'rule';

/** Undefined when the context is not a member. A malformed segment has no members. */
export function matchSegment(segment: CompiledSegment, run: EvaluationRun): SegmentMatch | undefined {
  const share = beginShare(run);
  const membership = segment.locate(run);
  endShare(run, share);
  if (membership === Membership.byKey) return 'key';
  return membership === Membership.byRule ? 'rule' : undefined;
}
