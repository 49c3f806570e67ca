// Selects the variation for a context: a fixed one, or that of its bucket in a rollout, by a stable hash.
import { hash } from 'node:crypto';
import type { Json } from '../feature-flags/flag.ts';
import { WHOLE } from '../feature-flags/model.ts';
import { USER } from './context.ts';
import type { RolloutData, ServeData } from './data.ts';
import { readAttribute, readReference, type AttributeReference } from './reference.ts';
import { Malformed, type EvaluationRun } from './run.ts';

export interface ServedVariation {
  variation: number;
  inExperiment: boolean;
}

export type CompiledServe = (run: EvaluationRun) => ServedVariation;

/** Hashed together with the value of a context: it differs per flag, so that buckets of different flags are independent. */
interface Salted {
  key: string;
  salt: string;
}

const DIGITS = 15;
const HIGHEST = Number.parseInt('f'.repeat(DIGITS), 16);

/** From 0 to 1. A value that is neither text nor an integer has bucket 0. */
export function bucketOf(prefix: string, value: Json | undefined): number {
  if (typeof value !== 'string' && (typeof value !== 'number' || !Number.isInteger(value))) return 0;
  const digest = hash('sha1', `${prefix}.${value}`, 'hex');
  return Number.parseInt(digest.slice(0, DIGITS), 16) / HIGHEST;
}

/** The bucket of a context. Undefined when it has no part of this kind; `bucketBy` is the key unless given. */
export function compileBucket(
  { key, salt }: Salted,
  { contextKind, bucketBy, seed }: Pick<RolloutData, 'contextKind' | 'bucketBy' | 'seed'>,
): (run: EvaluationRun) => number | undefined {
  const reference: AttributeReference | undefined = bucketBy
    ? readReference(bucketBy, contextKind === undefined)
    : ['key'];
  // SDKs treat a seed of 0 as none.
  const prefix = seed === undefined || seed === 0 ? `${key}.${salt}` : String(seed);
  return ({ context, steps }) => {
    if (reference === undefined) throw new Malformed(`"${bucketBy}" refers to no attribute`);
    const part = context.parts.get(contextKind ?? USER);
    if (part === undefined) return undefined;
    const value = readAttribute(part, reference);
    if (typeof value === 'string') steps.left -= value.length >> 4;
    return bucketOf(prefix, value);
  };
}

export function compileServe({ variation, rollout }: ServeData, salted: Salted): CompiledServe {
  if (variation !== undefined) {
    const choice = { variation, inExperiment: false };
    return () => choice;
  }
  if (rollout === undefined || rollout.variations.length === 0) {
    return () => {
      throw new Malformed('there is nothing to serve');
    };
  }
  return compileRollout(rollout, salted);
}

function compileRollout(rollout: RolloutData, salted: Salted): CompiledServe {
  const isExperiment = rollout.kind === 'experiment';
  const { bucketBy: _, ...byKey } = rollout;
  const placeOf = compileBucket(salted, isExperiment ? byKey : rollout);
  let sum = 0;
  const shares = rollout.variations.map(({ variation, weight, untracked = false }) => {
    sum += weight / WHOLE;
    return { upTo: sum, variation, isTracked: isExperiment && !untracked };
  });
  return (run) => {
    const place = placeOf(run);
    // Rounding may leave the sum of the shares below 1: the last variation takes the rest.
    const { variation, isTracked } = shares.find(({ upTo }) => (place ?? 0) < upTo) ?? shares.at(-1)!;
    return { variation, inExperiment: isTracked && place !== undefined };
  };
}
