// What a result shows to browsers and mobile apps, which get values instead of flags.
import type { FlagData } from '../evaluation/data.ts';
import type { EvaluationRun, Reason } from '../evaluation/run.ts';
import { canSee, type Audience } from './audience.ts';

/** Without the key of a prerequisite that the audience may not see. */
export type ShownReason = Reason | Pick<Reason, 'kind' | 'bigSegmentsStatus'>;

export interface EvaluationOptions {
  audience: Audience;
  withReasons: boolean;
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
