// What browsers and mobile apps get: not the flags, but what each of them comes to for one context.
import { TimeSlice } from '../../kernel/time-slice.ts';
import type { FlagData } from '../evaluation/data.ts';
import type { Reason, EvaluationRun } from '../evaluation/run.ts';
import type { Json } from '../feature-flags/flag.ts';

/** Which flags a key may see. */
export type Audience = keyof FlagData['clientSideAvailability'];

export interface FlagResult {
  value: Json;
  variation?: number;
  /** Rises whenever the value may have changed, be it by another flag or a segment. */
  version: number;
  flagVersion: number;
  trackEvents: boolean;
  trackReason?: true;
  debugEventsUntilDate?: number;
  reason?: Reason;
  /** The flags it needs that the same key may see. */
  prerequisites?: string[];
}

export interface EvaluationOptions {
  audience: Audience;
  withReasons: boolean;
}

export interface FlagResults {
  /** By the keys of the flags. */
  results: Record<string, FlagResult>;
  /** The keys of flags for which comparisons were given up, and the limits that did it. */
  limited: string[];
  limits: number;
}

/** However many flags there are, other calls get their turn meanwhile. */
export async function evaluateAll(
  run: EvaluationRun,
  revision: number,
  { audience, withReasons }: EvaluationOptions,
): Promise<FlagResults> {
  const { flags } = run.environment;
  const isSeen = (key: string) => flags.get(key)?.data.clientSideAvailability[audience] === true;
  const entries: [string, FlagResult][] = [];
  const limited: string[] = [];
  let allLimits = 0;
  const slice = new TimeSlice();
  for (const [key, { data, evaluate }] of flags) {
    if (!data.clientSideAvailability[audience]) continue;
    const { value, variationIndex, reason, prerequisites, limits = 0 } = evaluate(run);
    if (limits !== 0) limited.push(key);
    allLimits |= limits;
    const isTracked = tracksReason(data, reason);
    const seen = prerequisites.filter(isSeen);
    entries.push([
      key,
      {
        value,
        ...(variationIndex !== undefined && { variation: variationIndex }),
        version: revision,
        flagVersion: data.version,
        trackEvents: data.trackEvents || isTracked,
        ...(isTracked && { trackReason: true }),
        ...(data.debugEventsUntilDate !== null && { debugEventsUntilDate: data.debugEventsUntilDate }),
        ...((withReasons || isTracked) && { reason }),
        ...(seen.length > 0 && { prerequisites: seen }),
      },
    ]);
    if (slice.isOver) await slice.next();
  }
  return { results: Object.fromEntries(entries), limited, limits: allLimits };
}

/** Whether the event of such an evaluation has to be sent whole, with its reason. */
function tracksReason({ rules, trackEventsFallthrough }: FlagData, reason: Reason): boolean {
  switch (reason.kind) {
    case 'FALLTHROUGH':
      return trackEventsFallthrough || reason.inExperiment === true;
    case 'RULE_MATCH':
      return rules[reason.ruleIndex]?.trackEvents === true || reason.inExperiment === true;
    default:
      return false;
  }
}
