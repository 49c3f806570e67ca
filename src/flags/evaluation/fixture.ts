// Flags, segments and environments for tests of evaluating.
import type { ClauseData, FlagData, SegmentData } from './data.ts';
import { compileEnvironment } from './environment.ts';
import { readContext } from './context.ts';
import type { Environment, Result } from './run.ts';

/** On, and everyone gets the first of three variations: `a`, `b`, `c`. Off is `c`. */
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

/** What the first of the flags gives this context. */
export function evaluateFirst(
  given: unknown,
  flags: FlagData[],
  segments: SegmentData[] = [],
  standingIn: Environment['standingIn'] = () => undefined,
): Result {
  const environment = { ...compileEnvironment(flags, segments), standingIn };
  return environment.flags.get(flags[0]!.key)!.evaluate(readContext(given), environment);
}
