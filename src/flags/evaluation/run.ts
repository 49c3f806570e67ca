// What evaluating is made of: the compiled parts of an environment, what one evaluation carries along, and its result.
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
  /** Null where there is no variation to serve. */
  value: Json;
  variationIndex?: number;
  reason: Reason;
  /** The flags that this one needs itself, as far as they were looked at, in that order. */
  prerequisites: readonly string[];
  /** The limits for which comparisons were given up, as bits of `Met`; absent where none was. */
  limits?: number;
}

export interface CompiledFlag {
  readonly data: FlagData;
  evaluate(run: Run): Result;
  /** The same as a part of another evaluation; throws Malformed. */
  decide(run: Run, trail: Trail | undefined): Result;
}

/** In a segment: by its own key, or by a rule. */
export type Standing = 'key' | 'rule';

export interface CompiledSegment {
  readonly data: SegmentData;
  /** What brings the context in; undefined for who is not in. */
  locate(run: Run, trail?: Trail): Standing | undefined;
  contains: Matcher;
}

export interface Environment {
  readonly flags: ReadonlyMap<string, CompiledFlag>;
  readonly segments: ReadonlyMap<string, CompiledSegment>;
  /** Whether the context is in this big segment (true), kept out of it (false), or neither. */
  standingIn(segmentKey: string): boolean | undefined;
}

/** What was met on the way to a result, as bits: whoever takes over a result that is known takes them over, too. */
export const Met = {
  bigSegment: 1,
  /** A pattern was too large to be tried. */
  largePattern: 2,
  /** A text was too long for patterns to be tried on it. */
  longText: 4,
  /** There were no steps left to go on with patterns or lists. */
  noSteps: 8,
} as const;

export const LIMITS = Met.largePattern | Met.longText | Met.noSteps;

/** Something that was found out, and what was met on the way. */
interface Known<T> {
  value: T;
  met: number;
}

/** One context, for which any number of flags and segments of an environment are evaluated. */
export interface Run {
  readonly context: Context;
  readonly environment: Environment;
  /** What the flag or segment that is being evaluated may still spend on patterns and lists. */
  readonly steps: Steps;
  /** The same for the whole run. */
  stepsInAll: number;
  met: number;
  /** How many comparisons were given up for a limit so far. */
  givenUp: number;
  /** What was found out on the way, by key: things that name each other many times over are looked at once. */
  readonly standings: Map<string, Known<Standing | undefined>>;
  readonly variations: Map<string, Known<number | undefined>>;
}

/**
 * A step takes some 20 ns on a slow machine, so that all patterns of a run together hold up the server for 20 ms at most.
 * They are counted, not timed: what a context gets does not depend on how busy the server is.
 */
const MOST_STEPS = 1_000_000;

/** One flag alone cannot use up what the others need, and many cannot take from one what its ordinary patterns need. */
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

/** False where too little is left: then the comparison is given up. */
export function spend(meter: Meter, cost: number): boolean {
  meter.steps.left -= cost;
  if (meter.steps.left >= 0) return true;
  meter.steps.left = 0;
  return giveUp(meter, Met.noSteps);
}

/** What cannot be found out within the limits does not match. */
export function giveUp(meter: Meter, limit: number): false {
  meter.met |= limit;
  meter.givenUp += 1;
  return false;
}

/** Finds something out, once in a run. */
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

/** The way to where an evaluation is, innermost first: what is on it already leads in a circle. */
export interface Trail {
  readonly key: string;
  readonly outer: Trail | undefined;
  readonly length: number;
}

/** Longer ways would overflow the stack; nobody needs them. */
const LONGEST_TRAIL = 500;

export type Matcher = (run: Run, trail?: Trail) => boolean;

/** The flag or a segment cannot be evaluated as it is. */
export class Malformed extends Error {}

/** The trail with one more step. */
export function stepOn(key: string, trail: Trail | undefined): Trail {
  for (let step = trail; step !== undefined; step = step.outer) {
    if (step.key === key) throw new Malformed(`${key} leads back to itself`);
  }
  const length = (trail?.length ?? 0) + 1;
  if (length > LONGEST_TRAIL) throw new Malformed(`the way to ${key} is too long`);
  return { key, outer: trail, length };
}
