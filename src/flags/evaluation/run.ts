// What evaluating is made of: the compiled parts of an environment, what one evaluation carries along, and its result.
import type { Json } from '../feature-flags/flag.ts';
import type { Context } from './context.ts';
import type { FlagData, SegmentData } from './data.ts';

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
}

export interface CompiledFlag {
  readonly data: FlagData;
  evaluate(context: Context, environment: Environment): Result;
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

export interface Run {
  readonly context: Context;
  readonly environment: Environment;
  hasAskedBigSegment: boolean;
  /** What was found out on the way, by key: things that name each other many times over are looked at once. */
  readonly standings: Map<string, Standing | undefined>;
  readonly variations: Map<string, number | undefined>;
}

export function beginRun(context: Context, environment: Environment): Run {
  return { context, environment, hasAskedBigSegment: false, standings: new Map(), variations: new Map() };
}

/** The way to where an evaluation is, innermost first: what is on it already leads in a circle. */
export interface Trail {
  readonly key: string;
  readonly outer: Trail | undefined;
}

export type Matcher = (run: Run, trail?: Trail) => boolean;

/** The flag or a segment cannot be evaluated as it is. */
export class Malformed extends Error {}

/** The trail with one more step. */
export function stepOn(key: string, trail: Trail | undefined): Trail {
  for (let step = trail; step !== undefined; step = step.outer) {
    if (step.key === key) throw new Malformed(`${key} leads back to itself`);
  }
  return { key, outer: trail };
}
