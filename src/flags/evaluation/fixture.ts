// Flags, segments and environments for tests of the evaluation.
import type { ClauseData, FlagData, SegmentData } from './data.ts';
import { readContext } from './context.ts';
import { compileFlag } from './flag.ts';
import { compilePattern } from './pattern/pattern.ts';
import { beginRun, type EvaluationEnvironment, type EvaluationResult, type EvaluationRun } from './run.ts';
import { compileSegment } from './segment.ts';

/** On; everyone is served the first of three variations: `a`, `b`, `c`. Off serves `c`. */
export function newFlagData(members: Partial<FlagData> = {}): FlagData {
  return {
    key: 'flag',
    version: 1,
    on: true,
    prerequisites: [],
    targets: [],
    contextTargets: [],
    rules: [],
    fallthrough: { variation: 0 },
    offVariation: 2,
    variations: ['a', 'b', 'c'],
    clientSide: false,
    clientSideAvailability: { usingMobileKey: false, usingEnvironmentId: false },
    salt: 'salt',
    trackEvents: false,
    trackEventsFallthrough: false,
    debugEventsUntilDate: null,
    deleted: false,
    ...members,
  };
}

export function newSegmentData(members: Partial<SegmentData> = {}): SegmentData {
  return {
    key: 'segment',
    version: 1,
    included: [],
    excluded: [],
    includedContexts: [],
    excludedContexts: [],
    salt: 'salt',
    rules: [],
    unbounded: false,
    deleted: false,
    ...members,
  };
}

export function newClause(members: Partial<ClauseData> = {}): ClauseData {
  return { attribute: 'key', op: 'in', values: [], negate: false, contextKind: 'user', ...members };
}

/** A run for this context in an environment with these flags and segments. */
export function newRun(
  given: unknown,
  flags: readonly FlagData[],
  segments: readonly SegmentData[] = [],
  bigSegmentInclusion: EvaluationEnvironment['bigSegmentInclusion'] = () => undefined,
): EvaluationRun {
  const clauses = [...flags, ...segments].flatMap(({ rules }) =>
    rules.flatMap((rule: { clauses: ClauseData[] }) => rule.clauses),
  );
  const sources = new Set(
    clauses
      .filter(({ op }) => op === 'matches')
      .flatMap(({ values }) => values)
      .filter((value) => typeof value === 'string'),
  );
  const patterns = new Map(Array.from(sources, (source) => [source, compilePattern(source)]));
  return beginRun(readContext(given), {
    flags: new Map(flags.map((flag) => [flag.key, compileFlag(flag, patterns)])),
    segments: new Map(segments.map((segment) => [segment.key, compileSegment(segment, patterns)])),
    bigSegmentInclusion,
  });
}

/** The result of the first flag for this context. */
export function evaluateFirst(
  given: unknown,
  flags: FlagData[],
  segments: SegmentData[] = [],
  bigSegmentInclusion: EvaluationEnvironment['bigSegmentInclusion'] = () => undefined,
): EvaluationResult {
  const run = newRun(given, flags, segments, bigSegmentInclusion);
  return run.environment.flags.get(flags[0]!.key)!.evaluate(run);
}
