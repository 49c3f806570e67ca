// Selects the outcome for a context: a fixed one, or that of its bucket in a rollout, by a stable hash.
import { WHOLE } from '../feature-flags/model.ts';
import { hashBucket, prepareHash, type HashPrefix } from './bucket-hash.ts';
import { USER, isKind, readAttribute, readReference, type AttributeReference } from './context.ts';
import type { FlagData, RolloutData, ServeData } from './data.ts';
import { newMalformed, newVariationOutcome, type PreparedOutcome } from './outcome.ts';
import { partOf, type EvaluationRun, type Reason } from './run.ts';

/** Hashed together with the value of a context: it differs per flag, so that buckets of different flags are independent. */
interface Salted {
  key: string;
  salt: string;
}

/** How the bucket of a context is computed. */
interface CompiledBucket {
  readonly contextKind: string;
  /** Undefined when it is invalid. */
  readonly reference: AttributeReference | undefined;
  readonly prefix: HashPrefix;
}

/** One for all, to have less memory to go through in an evaluation. */
const KEY: AttributeReference = { name: 'key', inner: [] };

/** `bucketBy` is the key unless given. */
export function compileBucket(
  { key, salt }: Salted,
  { contextKind, bucketBy, seed }: Pick<RolloutData, 'contextKind' | 'bucketBy' | 'seed'>,
): CompiledBucket {
  return {
    contextKind: contextKind ?? USER,
    reference: bucketBy ? readReference(bucketBy, !contextKind) : KEY,
    // SDKs treat a seed of 0 as none.
    prefix: prepareHash(`${seed === undefined || seed === 0 ? `${key}.${salt}` : seed}.`),
  };
}

/** In place of a bucket, which is from 0 to 1. Both count as 0. */
const NO_CONTEXT = -1;
export const NO_REFERENCE = -2;

/** A value that is neither text nor an integer has bucket 0. So has `kind`, which stands for the list of all kinds. */
export function findBucket({ contextKind, reference, prefix }: CompiledBucket, run: EvaluationRun): number {
  if (reference === undefined) return NO_REFERENCE;
  const part = partOf(run, contextKind);
  if (part === undefined) return NO_CONTEXT;
  const value = reference === KEY ? part.key : readAttribute(part, reference);
  if (typeof value === 'string') {
    if (isKind(reference)) return 0;
    run.steps.left -= value.length >> 4;
    return hashBucket(prefix, value);
  }
  return typeof value === 'number' && Number.isInteger(value) ? hashBucket(prefix, String(value)) : 0;
}

/** Outcomes by buckets. They are created at their first use: of many rules, few match anyone. */
interface CompiledRollout extends CompiledBucket {
  readonly isRollout: true;
  readonly data: RolloutData;
  /** The upper bound of each variation. */
  readonly bounds: readonly number[];
  readonly flag: FlagData;
  readonly reason: ServeReason;
  readonly prerequisites: readonly string[];
  /** By share: in the first half for contexts in an experiment, in the second for all others. */
  readonly outcomes: (PreparedOutcome | undefined)[];
}

export type CompiledServe = PreparedOutcome | CompiledRollout;

type ServeReason = Reason & { kind: 'FALLTHROUGH' | 'RULE_MATCH' };

export function compileServe(
  { variation, rollout }: ServeData,
  flag: FlagData,
  reason: ServeReason,
  prerequisites: readonly string[],
): CompiledServe {
  if (variation !== undefined) return newVariationOutcome(flag, variation, reason, prerequisites);
  if (rollout === undefined || rollout.variations.length === 0) return newMalformed(prerequisites);
  const { bucketBy: _, ...byKey } = rollout;
  const bucket = compileBucket(flag, rollout.kind === 'experiment' ? byKey : rollout);
  if (bucket.reference === undefined) return newMalformed(prerequisites);
  let sum = 0;
  return {
    isRollout: true,
    contextKind: bucket.contextKind,
    reference: bucket.reference,
    prefix: bucket.prefix,
    bounds: rollout.variations.map(({ weight }) => (sum += weight / WHOLE)),
    outcomes: [],
    data: rollout,
    flag,
    reason,
    prerequisites,
  };
}

export function chooseServed(served: CompiledServe, run: EvaluationRun): PreparedOutcome {
  if (!served.isRollout) return served;
  const { bounds, outcomes } = served;
  const bucket = findBucket(served, run);
  const place = Math.max(bucket, 0);
  let share = 0;
  while (share < bounds.length && place >= bounds[share]!) share += 1;
  // Rounding may leave the sum of the shares below 1: the last variation takes the rest, and asks for no context.
  const isRest = share === bounds.length;
  if (isRest) share -= 1;
  run.trace?.noteRollout({
    bucket,
    contextKind: served.contextKind,
    bucketBy: served.data.kind === 'experiment' ? 'key' : served.data.bucketBy || 'key',
    shares: served.data.variations,
    share,
  });
  const at = bucket === NO_CONTEXT && !isRest ? share + bounds.length : share;
  return (outcomes[at] ??= createOutcome(served, share, at === share));
}

function createOutcome(
  { data, flag, reason, prerequisites }: CompiledRollout,
  share: number,
  hasContext: boolean,
): PreparedOutcome {
  const { variation, untracked = false } = data.variations[share]!;
  const inExperiment = data.kind === 'experiment' && hasContext && !untracked;
  return newVariationOutcome(
    flag,
    variation,
    inExperiment ? { ...reason, inExperiment } : reason,
    prerequisites,
  );
}
