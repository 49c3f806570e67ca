// Evaluates the membership of a context in a segment, without a flag.
import {
  evaluateOne,
  Malformed,
  type CompiledSegment,
  type EvaluationRun,
  type SegmentMatch,
} from './run.ts';

/** Undefined when the context is not a member. A malformed segment has no members. */
export function matchSegment({ locate }: CompiledSegment, run: EvaluationRun): SegmentMatch | undefined {
  try {
    return evaluateOne(run, () => locate(run));
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
