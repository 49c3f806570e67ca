// All flags and segments of an environment as functions that know each other.
import type { FlagData, SegmentData } from './data.ts';
import { compileFlag } from './flag.ts';
import type { Environment } from './run.ts';
import { compileSegment } from './segment.ts';

/** Who is in big segments is not part of it: that is asked for each context. */
export function compileEnvironment(
  flags: Iterable<FlagData>,
  segments: Iterable<SegmentData>,
): Omit<Environment, 'standingIn'> {
  return {
    flags: new Map(Array.from(flags, (flag) => [flag.key, compileFlag(flag)])),
    segments: new Map(Array.from(segments, (segment) => [segment.key, compileSegment(segment)])),
  };
}
