// Evaluates all flags for browsers and mobile apps, which get values instead of flags.
import { TimeSlice } from '../../kernel/time-slice.ts';
import type { FlagData } from '../evaluation/data.ts';
import type { CompiledFlag, EvaluationRun, Reason } from '../evaluation/run.ts';
import type { Json } from '../feature-flags/flag.ts';
import { canSee, type Audience } from './audience.ts';

export interface FlagResult {
  value: Json;
  variation?: number;
  /** Rises whenever the value may have changed, including by a change of another flag or a segment. */
  version: number;
  flagVersion: number;
  trackEvents: boolean;
  trackReason?: true;
  debugEventsUntilDate?: number;
  reason?: ShownReason;
  /** The prerequisites that are visible to the same kind of key. */
  prerequisites?: string[];
}

/** Without the key of a prerequisite that the audience may not see. */
export type ShownReason = Reason | Pick<Reason, 'kind' | 'bigSegmentsStatus'>;

export interface EvaluationOptions {
  audience: Audience;
  withReasons: boolean;
}

export interface FlagResults {
  /** By flag key. */
  results: Record<string, FlagResult>;
  /** The keys of flags whose evaluation reached a limit, and these limits as bits. */
  limited: string[];
  limits: number;
}

/** With `keys`, only these. Yields to other calls between flags. */
export async function evaluateAll(
  run: EvaluationRun,
  revision: number,
  options: EvaluationOptions,
  keys?: ReadonlySet<string>,
): Promise<FlagResults> {
  const entries: [string, FlagResult][] = [];
  const limited: string[] = [];
  let allLimits = 0;
  const slice = new TimeSlice();
  for (const [key, flag] of run.environment.flags) {
    if (!canSee(options.audience, flag.data) || keys?.has(key) === false) continue;
    const { result, limits } = evaluateFlag(flag, run, revision, options);
    if (limits !== 0) limited.push(key);
    allLimits |= limits;
    entries.push([key, result]);
    if (slice.isOver) await slice.next();
  }
  return { results: Object.fromEntries(entries), limited, limits: allLimits };
}

/** The result of one flag, and the limits that its evaluation reached. */
export function evaluateFlag(
  { data, evaluate }: CompiledFlag,
  run: EvaluationRun,
  revision: number,
  { audience, withReasons }: EvaluationOptions,
): { result: FlagResult; limits: number } {
  const { flags } = run.environment;
  const { value, variationIndex, reason, prerequisites, limits = 0 } = evaluate(run);
  const isTracked = tracksReason(data, reason);
  const seen = prerequisites.filter((key) => flags.has(key) && canSee(audience, flags.get(key)!.data));
  const result = {
    value,
    ...(variationIndex !== undefined && { variation: variationIndex }),
    version: revision,
    flagVersion: data.version,
    trackEvents: data.trackEvents || isTracked,
    ...(isTracked && { trackReason: true as const }),
    ...(data.debugEventsUntilDate !== null && { debugEventsUntilDate: data.debugEventsUntilDate }),
    ...((withReasons || isTracked) && {
      reason: namesHiddenFlag(reason, run, audience) ? hideFlag(reason) : reason,
    }),
    ...(seen.length > 0 && { prerequisites: seen }),
  };
  return { result, limits };
}

/** A prerequisite that fails may be one that this kind of key must not know of. */
export function namesHiddenFlag(reason: Reason, { environment }: EvaluationRun, audience: Audience): boolean {
  if (reason.kind !== 'PREREQUISITE_FAILED' || audience === 'server') return false;
  const prerequisite = environment.flags.get(reason.prerequisiteKey);
  return prerequisite === undefined || !canSee(audience, prerequisite.data);
}

export function hideFlag({ kind, bigSegmentsStatus }: Reason): ShownReason {
  return { kind, ...(bigSegmentsStatus !== undefined && { bigSegmentsStatus }) };
}

/** Whether the SDK has to send a full event, with the reason, for this evaluation. */
export function tracksReason({ rules, trackEventsFallthrough }: FlagData, reason: Reason): boolean {
  switch (reason.kind) {
    case 'FALLTHROUGH':
      return trackEventsFallthrough || reason.inExperiment === true;
    case 'RULE_MATCH':
      return rules[reason.ruleIndex]?.trackEvents === true || reason.inExperiment === true;
    default:
      return false;
  }
}
