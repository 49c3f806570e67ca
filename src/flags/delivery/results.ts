// What browsers and mobile apps get: not the flags, but what each of them comes to for one context.
import type { Context } from '../evaluation/context.ts';
import type { FlagData } from '../evaluation/data.ts';
import type { Environment, Reason } from '../evaluation/run.ts';
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

export interface Asking {
  audience: Audience;
  context: Context;
  withReasons: boolean;
}

/** By the keys of the flags. */
export function evaluateAll(
  environment: Environment,
  revision: number,
  { audience, context, withReasons }: Asking,
): Record<string, FlagResult> {
  const isSeen = (key: string) => environment.flags.get(key)?.data.clientSideAvailability[audience] === true;
  const entries: [string, FlagResult][] = [];
  for (const [key, { data, evaluate }] of environment.flags) {
    if (!data.clientSideAvailability[audience]) continue;
    const { value, variationIndex, reason, prerequisites } = evaluate(context, environment);
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
  }
  return Object.fromEntries(entries);
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
