// The types of an evaluation: compiled flags and segments, the state of one run with its limits, and the result. ADR 0023.
import type { Json } from '../feature-flags/flag.ts';
import { USER, type Context, type ContextPart } from './context.ts';
import type { FlagData, SegmentData } from './data.ts';
import type { CompiledClause } from './clause.ts';
import type { Steps } from './pattern/step.ts';
import type { PreparedOutcome } from './outcome.ts';
import { type Pattern, MAX_TEXT } from './pattern/pattern.ts';
import type { SemVer } from './operators.ts';
import type { CompiledServe } from './serve.ts';
import type { EvaluationTrace } from './trace.ts';

type BigSegments = { bigSegmentsStatus?: 'HEALTHY' };

export type Reason = (
  | { kind: 'OFF' | 'TARGET_MATCH' }
  | { kind: 'FALLTHROUGH'; inExperiment?: true }
  | { kind: 'RULE_MATCH'; ruleIndex: number; ruleId: string; inExperiment?: true }
  | { kind: 'PREREQUISITE_FAILED'; prerequisiteKey: string }
  | { kind: 'ERROR'; errorKind: 'MALFORMED_FLAG' }
) &
  BigSegments;

/** Shared by all contexts that get it: it must not be changed. */
export interface EvaluationResult {
  /** Null when no variation is served. */
  readonly value: Json;
  readonly variationIndex?: number;
  readonly reason: Reason;
  /** The direct prerequisites that were evaluated, in order. */
  readonly prerequisites: readonly string[];
  /** The limits that were exceeded, as bits of `Notice`; absent when there was none. */
  readonly limits?: number;
}

/** Compiled patterns by their sources; undefined for an invalid pattern. */
export type Patterns = ReadonlyMap<string, Pattern | undefined>;

/** The last value of a flag or segment: others may refer to it many times in one run. */
interface Memo<T> {
  value: T | undefined;
  /** The run that the value is of. Contexts of earlier runs must not be kept in memory, so that it is a number. */
  runId: number;
  /** As bits of `Notice`. */
  notices: number;
}

export interface CompiledFlag extends Memo<PreparedOutcome> {
  readonly data: FlagData;
  readonly isOn: boolean;
  /** Whether each audience may see it. */
  readonly server: true;
  readonly usingMobileKey: boolean;
  readonly usingEnvironmentId: boolean;
  /** The patterns of its rules, which its next version may have, too; absent when it has none. */
  readonly patterns: Patterns | undefined;
  /** Evaluated in this order, unless it is off. */
  readonly prerequisites: readonly CompiledPrerequisite[];
  readonly targets: readonly CompiledTargets[];
  readonly rules: readonly CompiledRule[];
  readonly fallthrough: CompiledServe;
  readonly off: PreparedOutcome;
  readonly malformed: PreparedOutcome;
  evaluate(run: EvaluationRun): EvaluationResult;
  /** The version of its results for clients. Delivery sets it before the environment is in use. */
  resultVersion: number;
  /** The beginnings of the JSON of outcomes, without a variation and by variation. Delivery fills it in. */
  readonly heads: (string | undefined)[];
}

/** Its outcomes are created at their first use. */
export interface CompiledPrerequisite {
  readonly key: string;
  readonly variation: number;
  whenMissing: PreparedOutcome | undefined;
  whenFailed: PreparedOutcome | undefined;
  whenMalformed: PreparedOutcome | undefined;
}

/** All targets of one kind of context. */
export interface CompiledTargets {
  readonly contextKind: string;
  readonly byKey: ReadonlyMap<string, CompiledTarget>;
}

export interface CompiledTarget {
  /** Of several targets that have the context, the one with the lowest number applies. */
  readonly order: number;
  readonly outcome: PreparedOutcome;
}

interface CompiledRule {
  readonly clauses: readonly CompiledClause[];
  readonly serve: CompiledServe;
}

/** Whether a context is in a segment, and why: its own key is listed, or a rule matches. */
export const Membership = { none: 0, byKey: 1, byRule: 2, malformed: 3 } as const;
export type Membership = (typeof Membership)[keyof typeof Membership];

export interface CompiledSegment extends Memo<Membership> {
  readonly data: SegmentData;
  readonly patterns: Patterns | undefined;
  locate(run: EvaluationRun, trail?: Trail): Membership;
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

/** The state of the evaluation of any number of flags and segments for one context. */
export interface EvaluationRun {
  readonly id: number;
  readonly context: Context;
  /** The part of the context that most rules are about. */
  readonly user: ContextPart | undefined;
  readonly environment: EvaluationEnvironment;
  /** The steps that the current flag or segment may still spend on patterns and lists. */
  readonly steps: Steps;
  /** The same for the whole run. */
  totalSteps: number;
  notices: number;
  /** How many comparisons have exceeded a limit so far. */
  exceeded: number;
  /** Whether the clause that was evaluated last is malformed. It counts as a match then. */
  isMalformed: boolean;
  /** How many references of the current flag or segment have led back to one on the way. */
  cycles: number;
  /** The semantic versions among the attributes, by their texts: many rules ask for the same. */
  versions: Map<string, SemVer | undefined> | undefined;
  /** Gets every step, for people who ask why; absent otherwise. */
  readonly trace: EvaluationTrace | undefined;
}

/**
 * A step takes some 20 ns on a slow machine, so all patterns of a run together block the server for 20 ms at most. Steps are
 * counted and not timed, so that results do not depend on the load of the server.
 */
const MAX_STEPS = 1_000_000;

/** One flag cannot use up the steps of the others, and each flag keeps enough for ordinary patterns. */
const MAX_STEPS_OF_ONE = 250_000;
const MIN_STEPS_OF_ONE = 500;

let runs = 0;

export function beginRun(
  context: Context,
  environment: EvaluationEnvironment,
  trace?: EvaluationTrace,
): EvaluationRun {
  runs += 1;
  return {
    id: runs,
    context,
    user: context.parts.get(USER),
    environment,
    steps: { left: 0 },
    totalSteps: MAX_STEPS,
    notices: 0,
    exceeded: 0,
    isMalformed: false,
    cycles: 0,
    versions: undefined,
    trace,
  };
}

export function partOf(run: EvaluationRun, kind: string): ContextPart | undefined {
  return kind === USER ? run.user : run.context.parts.get(kind);
}

/** Begins with one flag or segment of the run; returns its share of the steps. */
export function beginShare(run: EvaluationRun): number {
  const share = Math.max(Math.min(run.totalSteps, MAX_STEPS_OF_ONE), MIN_STEPS_OF_ONE);
  run.steps.left = share;
  run.notices = 0;
  run.cycles = 0;
  return share;
}

export function endShare(run: EvaluationRun, share: number): void {
  run.totalSteps = Math.max(run.totalSteps - share + Math.max(run.steps.left, 0), 0);
}

export type Meter = Pick<EvaluationRun, 'steps' | 'notices' | 'exceeded' | 'versions'>;

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

/** The value that was computed before in this run. Its notices are added. */
export function recall<T>(run: EvaluationRun, memo: Memo<T>): T | undefined {
  if (memo.runId !== run.id) return undefined;
  run.notices |= memo.notices;
  return memo.value;
}

/** The notices and cycles before a value was computed. */
export type Before = Pick<EvaluationRun, 'notices' | 'cycles'>;

/** To be called before a value is computed that will be remembered: its notices are counted from zero. */
export function beginValue(run: EvaluationRun): Before {
  const { notices, cycles } = run;
  run.notices = 0;
  return { notices, cycles };
}

/** Remembers the value, unless a cycle may have affected it: then it depends on where the cycle was entered. */
export function remember<T>(run: EvaluationRun, memo: Memo<T>, value: T, before: Before): T {
  if (run.cycles === before.cycles) {
    memo.value = value;
    memo.notices = run.notices;
    memo.runId = run.id;
  }
  run.notices |= before.notices;
  return value;
}

/** The chain of flags or segments being evaluated, innermost first, to detect cycles. */
export interface Trail {
  readonly key: string;
  readonly outer: Trail | undefined;
  readonly length: number;
}

/** Longer chains could overflow the stack. */
const MAX_TRAIL = 500;
/** Parts of a cycle are evaluated again on every way to them, of which there may be very many. */
const MAX_CYCLES = 100;

/** Sets `isMalformed`. */
export type Matcher = (run: EvaluationRun, trail?: Trail) => boolean;

/** Adds the key to the chain. Undefined when it is there already, or when the chain is too long. */
export function extendTrail(run: EvaluationRun, key: string, trail: Trail | undefined): Trail | undefined {
  const length = (trail?.length ?? 0) + 1;
  let isNew = length <= MAX_TRAIL && run.cycles <= MAX_CYCLES;
  for (let step = trail; isNew && step !== undefined; step = step.outer) isNew = step.key !== key;
  if (isNew) return { key, outer: trail, length };
  run.cycles += 1;
  return undefined;
}

/** The effect of each limit. */
const WARNINGS: [limit: number, text: string][] = [
  [Notice.largePattern, 'A pattern is too large to be tried: it matched nothing.'],
  [Notice.longText, `A text is longer than ${MAX_TEXT} characters: no pattern was tried on it.`],
  [
    Notice.noSteps,
    'Patterns and lists took more steps than one evaluation has: those that were left matched nothing.',
  ],
];

/** For results of comparisons that exceeded a limit. */
export function warningsOf(limits: number): string[] {
  return WARNINGS.filter(([limit]) => (limits & limit) !== 0).map(([, text]) => text);
}
