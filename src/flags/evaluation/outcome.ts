// The results that a flag may have, each prepared once for all contexts.
import type { FlagData } from './data.ts';
import type { EvaluationResult, Reason } from './run.ts';

/** One result of a flag, and what is derived from it at its first use. */
export interface PreparedOutcome {
  readonly isRollout: false;
  /** The whole JSON as delivery rendered it last, and the version and format of it. */
  text: string;
  textVersion: number;
  textFormat: number;
  readonly result: EvaluationResult;
  /** The same after big segments were asked. */
  afterBigSegments: PreparedOutcome | undefined;
  /** The JSON of the result, without and with the reason. Delivery fills them in. */
  json: OutcomeJson | undefined;
  jsonWithReason: OutcomeJson | undefined;
  /** With a reason that names no other flag. */
  jsonWithHiddenReason: OutcomeJson | undefined;
  /** The same in the words of OpenFeature, as a whole. */
  openFeatureJson: string | undefined;
  openFeatureJsonWithHiddenReason: string | undefined;
  /** For people who look: with the name that the flag had then, and the links. */
  shown: { readonly name: string; readonly json: string } | undefined;
}

/** The JSON before and after the version of the result. */
export interface OutcomeJson {
  readonly head: string;
  readonly tail: string;
}

function newOutcome(result: EvaluationResult): PreparedOutcome {
  return {
    isRollout: false,
    text: '',
    textVersion: -1,
    textFormat: -1,
    json: undefined,
    jsonWithReason: undefined,
    jsonWithHiddenReason: undefined,
    openFeatureJson: undefined,
    openFeatureJsonWithHiddenReason: undefined,
    shown: undefined,
    result,
    afterBigSegments: undefined,
  };
}

/** The outcome for a variation; malformed when the flag does not have it. */
export function newVariationOutcome(
  { variations }: Pick<FlagData, 'variations'>,
  index: number,
  reason: Reason,
  prerequisites: readonly string[],
): PreparedOutcome {
  const value = variations[index];
  if (value === undefined) return newMalformed(prerequisites);
  return newOutcome({ value, variationIndex: index, reason, prerequisites });
}

/** The outcome when no targeting applies. */
export function newOffOutcome(
  flag: Pick<FlagData, 'variations' | 'offVariation'>,
  reason: Reason,
  prerequisites: readonly string[],
): PreparedOutcome {
  return flag.offVariation === null
    ? newOutcome({ value: null, reason, prerequisites })
    : newVariationOutcome(flag, flag.offVariation, reason, prerequisites);
}

export function newMalformed(prerequisites: readonly string[]): PreparedOutcome {
  return newOutcome({ value: null, reason: { kind: 'ERROR', errorKind: 'MALFORMED_FLAG' }, prerequisites });
}

export function afterBigSegments(outcome: PreparedOutcome): PreparedOutcome {
  const { result } = outcome;
  const reason: Reason = { ...result.reason, bigSegmentsStatus: 'HEALTHY' };
  return (outcome.afterBigSegments ??= newOutcome({ ...result, reason }));
}
