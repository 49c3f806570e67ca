// The types of an evaluation: compiled flags and segments, the state of one run with its limits, and the result.
import type { Json } from '../feature-flags/flag.ts';
import type { Context } from './context.ts';
import type { FlagData, SegmentData } from './data.ts';
import type { Steps } from './pattern/pattern.ts';

type BigSegments = { bigSegmentsStatus?: 'HEALTHY' };

export type Reason = (
  | { kind: 'OFF' | 'TARGET_MATCH' }
  | { kind: 'FALLTHROUGH'; inExperiment?: true }
  | { kind: 'RULE_MATCH'; ruleIndex: number; ruleId: string; inExperiment?: true }
  | { kind: 'PREREQUISITE_FAILED'; prerequisiteKey: string }
  | { kind: 'ERROR'; errorKind: 'MALFORMED_FLAG' }
) &
  BigSegments;

export interface Result {
  /** Null when no variation is served. */
  value: Json;
  variationIndex?: number;
  reason: Reason;
  /** The direct prerequisites that were evaluated, in order. */
  prerequisites: readonly string[];
  /** The limits that were exceeded, as bits of `Notice`; absent when there was none. */
  limits?: number;
}

export interface CompiledFlag {
  readonly data: FlagData;
  evaluate(run: Run): Result;
  /** The same as a prerequisite of another evaluation; throws Malformed. */
  decide(run: Run, trail: Trail | undefined): Result;
}

/** Why a context is in a segment: its own key is listed, or a rule matches. */
export type Standing = 'key' | 'rule';

export interface CompiledSegment {
  readonly data: SegmentData;
  /** Undefined when the context is not in the segment. */
  locate(run: Run, trail?: Trail): Standing | undefined;
  contains: Matcher;
}

export interface Environment {
  readonly flags: ReadonlyMap<string, CompiledFlag>;
  readonly segments: ReadonlyMap<string, CompiledSegment>;
  /** True when the context is included in this big segment, false when it is excluded, undefined when it is neither. */
  standingIn(segmentKey: string): boolean | undefined;
}

/** Events on the way to a result, as bits. A cached result is stored with its bits. */
export const Met = {
  bigSegment: 1,
  /** A pattern was too large. */
  largePattern: 2,
  /** A text was too long for patterns. */
  longText: 4,
  /** No steps were left for patterns or lists. */
  noSteps: 8,
} as const;

export const LIMITS = Met.largePattern | Met.longText | Met.noSteps;

/** A cached result, and the notices on the way to it. */
interface Known<T> {
  value: T;
  met: number;
}

/** The state of the evaluation of any number of flags and segments for one context. */
export interface Run {
  readonly context: Context;
  readonly environment: Environment;
  /** The steps that the current flag or segment may still spend on patterns and lists. */
  readonly steps: Steps;
  /** The same for the whole run. */
  stepsInAll: number;
  met: number;
  /** How many comparisons have exceeded a limit so far. */
  givenUp: number;
  /** Cached results by key: a flag or segment that others refer to many times is evaluated once. */
  readonly standings: Map<string, Known<Standing | undefined>>;
  readonly variations: Map<string, Known<number | undefined>>;
}

/**
 * A step takes some 20 ns on a slow machine, so all patterns of a run together block the server for 20 ms at most. Steps are
 * counted and not timed, so that results do not depend on the load of the server.
 */
const MOST_STEPS = 1_000_000;

/** One flag cannot use up the steps of the others, and each flag keeps enough for ordinary patterns. */
const MOST_STEPS_OF_ONE = 250_000;
const LEAST_STEPS_OF_ONE = 500;

export function beginRun(context: Context, environment: Environment): Run {
  return {
    context,
    environment,
    steps: { left: 0 },
    stepsInAll: MOST_STEPS,
    met: 0,
    givenUp: 0,
    standings: new Map(),
    variations: new Map(),
  };
}

/** Evaluates one flag or segment of the run, within its share of the steps. */
export function evaluateOne<T>(run: Run, evaluate: () => T): T {
  const share = Math.max(Math.min(run.stepsInAll, MOST_STEPS_OF_ONE), LEAST_STEPS_OF_ONE);
  run.steps.left = share;
  run.met = 0;
  try {
    return evaluate();
  } finally {
    run.stepsInAll = Math.max(run.stepsInAll - share + Math.max(run.steps.left, 0), 0);
  }
}

export type Meter = Pick<Run, 'steps' | 'met' | 'givenUp'>;

/** Returns false when too few steps are left: then the comparison does not match. */
export function spend(meter: Meter, cost: number): boolean {
  meter.steps.left -= cost;
  if (meter.steps.left >= 0) return true;
  meter.steps.left = 0;
  return giveUp(meter, Met.noSteps);
}

/** A comparison that exceeds a limit does not match. */
export function giveUp(meter: Meter, limit: number): false {
  meter.met |= limit;
  meter.givenUp += 1;
  return false;
}

/** Computes a value once per run. */
export function findOnce<T>(run: Run, known: Map<string, Known<T>>, key: string, find: () => T): T {
  const found = known.get(key);
  if (found !== undefined) {
    run.met |= found.met;
    return found.value;
  }
  const { met } = run;
  run.met = 0;
  try {
    const value = find();
    known.set(key, { value, met: run.met });
    return value;
  } finally {
    run.met |= met;
  }
}

/** The chain of flags or segments being evaluated, innermost first, to detect cycles. */
export interface Trail {
  readonly key: string;
  readonly outer: Trail | undefined;
  readonly length: number;
}

/** Longer chains could overflow the stack. */
const LONGEST_TRAIL = 500;

export type Matcher = (run: Run, trail?: Trail) => boolean;

/** The flag or a segment is malformed and cannot be evaluated. */
export class Malformed extends Error {}

/** Adds the key to the chain. Throws Malformed for a cycle. */
export function stepOn(key: string, trail: Trail | undefined): Trail {
  for (let step = trail; step !== undefined; step = step.outer) {
    if (step.key === key) throw new Malformed(`${key} leads back to itself`);
  }
  const length = (trail?.length ?? 0) + 1;
  if (length > LONGEST_TRAIL) throw new Malformed(`the way to ${key} is too long`);
  return { key, outer: trail, length };
}
