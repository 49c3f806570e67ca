// The types of an evaluation: compiled flags and segments, the state of one run with its limits, and the result.
import type { Json } from '../feature-flags/flag.ts';
import type { Context } from './context.ts';
import type { FlagData, SegmentData } from './data.ts';
import type { Steps } from './pattern/match.ts';
import type { Pattern } from './pattern/pattern.ts';

type BigSegments = { bigSegmentsStatus?: 'HEALTHY' };

export type Reason = (
  | { kind: 'OFF' | 'TARGET_MATCH' }
  | { kind: 'FALLTHROUGH'; inExperiment?: true }
  | { kind: 'RULE_MATCH'; ruleIndex: number; ruleId: string; inExperiment?: true }
  | { kind: 'PREREQUISITE_FAILED'; prerequisiteKey: string }
  | { kind: 'ERROR'; errorKind: 'MALFORMED_FLAG' }
) &
  BigSegments;

export interface EvaluationResult {
  /** Null when no variation is served. */
  value: Json;
  variationIndex?: number;
  reason: Reason;
  /** The direct prerequisites that were evaluated, in order. */
  prerequisites: readonly string[];
  /** The limits that were exceeded, as bits of `Notice`; absent when there was none. */
  limits?: number;
}

/** Compiled patterns by their sources; undefined for an invalid pattern. */
export type Patterns = ReadonlyMap<string, Pattern | undefined>;

export interface CompiledFlag {
  readonly data: FlagData;
  /** The patterns of its rules, which its next version may have, too; absent when it has none. */
  readonly patterns: Patterns | undefined;
  evaluate(run: EvaluationRun): EvaluationResult;
  /** The same as a prerequisite of another evaluation; throws Malformed. */
  decide(run: EvaluationRun, trail: Trail | undefined): EvaluationResult;
}

/** Why a context is in a segment: its own key is listed, or a rule matches. */
export type SegmentMatch = 'key' | 'rule';

export interface CompiledSegment {
  readonly data: SegmentData;
  readonly patterns: Patterns | undefined;
  /** Undefined when the context is not in the segment. */
  locate(run: EvaluationRun, trail?: Trail): SegmentMatch | undefined;
  contains: Matcher;
}

export interface EvaluationEnvironment {
  readonly flags: ReadonlyMap<string, CompiledFlag>;
  readonly segments: ReadonlyMap<string, CompiledSegment>;
  /** True when the context is included in this big segment, false when it is excluded, undefined when it is neither. */
  bigSegmentInclusion(segmentKey: string): boolean | undefined;
}

/** Events on the way to a result, as bits. A cached result is stored with its bits. */
export const Notice = {
  bigSegment: 1,
  /** A pattern was too large. */
  largePattern: 2,
  /** A text was too long for patterns. */
  longText: 4,
  /** No steps were left for patterns or lists. */
  noSteps: 8,
} as const;

export const LIMITS = Notice.largePattern | Notice.longText | Notice.noSteps;

/** A cached result, and the notices on the way to it. */
interface Cached<T> {
  value: T;
  notices: number;
}

/** The state of the evaluation of any number of flags and segments for one context. */
export interface EvaluationRun {
  readonly context: Context;
  readonly environment: EvaluationEnvironment;
  /** The steps that the current flag or segment may still spend on patterns and lists. */
  readonly steps: Steps;
  /** The same for the whole run. */
  totalSteps: number;
  notices: number;
  /** How many comparisons have exceeded a limit so far. */
  exceeded: number;
  /** Cached results by key: a flag or segment that others refer to many times is evaluated once. */
  readonly segmentMatches: Map<string, Cached<SegmentMatch | undefined>>;
  readonly variations: Map<string, Cached<number | undefined>>;
}

/**
 * A step takes some 20 ns on a slow machine, so all patterns of a run together block the server for 20 ms at most. Steps are
 * counted and not timed, so that results do not depend on the load of the server.
 */
const MAX_STEPS = 1_000_000;

/** One flag cannot use up the steps of the others, and each flag keeps enough for ordinary patterns. */
const MAX_STEPS_OF_ONE = 250_000;
const MIN_STEPS_OF_ONE = 500;

export function beginRun(context: Context, environment: EvaluationEnvironment): EvaluationRun {
  return {
    context,
    environment,
    steps: { left: 0 },
    totalSteps: MAX_STEPS,
    notices: 0,
    exceeded: 0,
    segmentMatches: new Map(),
    variations: new Map(),
  };
}

/** Evaluates one flag or segment of the run, within its share of the steps. */
export function evaluateOne<T>(run: EvaluationRun, evaluate: () => T): T {
  const share = Math.max(Math.min(run.totalSteps, MAX_STEPS_OF_ONE), MIN_STEPS_OF_ONE);
  run.steps.left = share;
  run.notices = 0;
  try {
    return evaluate();
  } finally {
    run.totalSteps = Math.max(run.totalSteps - share + Math.max(run.steps.left, 0), 0);
  }
}

export type Meter = Pick<EvaluationRun, 'steps' | 'notices' | 'exceeded'>;

/** Returns false when too few steps are left: then the comparison does not match. */
export function spendSteps(meter: Meter, cost: number): boolean {
  meter.steps.left -= cost;
  if (meter.steps.left >= 0) return true;
  meter.steps.left = 0;
  return exceedLimit(meter, Notice.noSteps);
}

/** A comparison that exceeds a limit does not match. */
export function exceedLimit(meter: Meter, limit: number): false {
  meter.notices |= limit;
  meter.exceeded += 1;
  return false;
}

/** Computes a value once per run. */
export function computeOnce<T>(
  run: EvaluationRun,
  known: Map<string, Cached<T>>,
  key: string,
  find: () => T,
): T {
  const found = known.get(key);
  if (found !== undefined) {
    run.notices |= found.notices;
    return found.value;
  }
  const { notices } = run;
  run.notices = 0;
  try {
    const value = find();
    known.set(key, { value, notices: run.notices });
    return value;
  } finally {
    run.notices |= notices;
  }
}

/** The chain of flags or segments being evaluated, innermost first, to detect cycles. */
export interface Trail {
  readonly key: string;
  readonly outer: Trail | undefined;
  readonly length: number;
}

/** Longer chains could overflow the stack. */
const MAX_TRAIL = 500;

export type Matcher = (run: EvaluationRun, trail?: Trail) => boolean;

/** The flag or a segment is malformed and cannot be evaluated. */
export class Malformed extends Error {}

/** Adds the key to the chain. Throws Malformed for a cycle. */
export function extendTrail(key: string, trail: Trail | undefined): Trail {
  for (let step = trail; step !== undefined; step = step.outer) {
    if (step.key === key) throw new Malformed(`${key} leads back to itself`);
  }
  const length = (trail?.length ?? 0) + 1;
  if (length > MAX_TRAIL) throw new Malformed(`the way to ${key} is too long`);
  return { key, outer: trail, length };
}
