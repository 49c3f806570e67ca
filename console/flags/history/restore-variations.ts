// Instructions that give a flag back the variations it had, and their defaults. One that was removed comes back at the end.
import { stableJson } from '../../ui/stable-json.ts';
import type { Variation } from '../flag.ts';
import type { Instruction } from '../save/instruction.ts';

export interface VariationSet {
  variations: readonly Variation[];
  defaults?: { onVariation: number; offVariation: number };
}

export interface VariationPlan {
  instructions: Instruction[];
  /** Those that came later and are still served, or have a value that is needed. */
  stuck: Variation[];
}

interface Step {
  /** The variation that the step is about. */
  variation: Variation;
  /** Of what is there; undefined for one that is added. */
  id?: string;
  /** Undefined for one that goes. */
  wanted?: Variation;
}

/** No two may have the same value at any time, so that steps wait for the value that they need. */
export function restoreVariations(
  now: VariationSet,
  earlier: VariationSet,
  isServed: (index: number) => boolean,
): VariationPlan {
  const held = new Map(now.variations.map(({ _id, value }) => [_id, stableJson(value)]));
  const instructions: Instruction[] = [];
  const served = new Set(now.variations.flatMap(({ _id }, index) => (isServed(index) ? [_id] : [])));
  const defaults = defaultStep(now, earlier);
  let present = defaultValues(now);
  let hasDefaults = defaults === undefined;
  const run = (step: Step): boolean => {
    const { id, wanted } = step;
    const others = new Set([...held].filter(([other]) => other !== id).map(([, value]) => value));
    if (wanted === undefined) {
      if (served.has(id!) || present.has(held.get(id!)!)) return false;
      held.delete(id!);
      instructions.push({ kind: 'removeVariation', variationId: id });
      return true;
    }
    if (others.has(stableJson(wanted.value))) return false;
    const before = held.get(id ?? '');
    held.set(id ?? wanted._id, stableJson(wanted.value));
    if (before !== undefined && present.delete(before)) present.add(stableJson(wanted.value));
    instructions.push(instructionOf(step));
    return true;
  };
  let left = stepsOf(now, earlier);
  for (;;) {
    const waiting = left.filter((step) => !run(step));
    const values = new Set(held.values());
    const canDefault = !hasDefaults && [...defaultValues(earlier)].every((value) => values.has(value));
    if (canDefault) {
      instructions.push(defaults!);
      present = defaultValues(earlier);
      hasDefaults = true;
    } else if (waiting.length === left.length)
      return { instructions, stuck: waiting.map(({ variation }) => variation) };
    left = waiting;
  }
}

function stepsOf(now: VariationSet, earlier: VariationSet): Step[] {
  const present = new Map(now.variations.map((variation) => [variation._id, variation]));
  const wanted = new Map(earlier.variations.map((variation) => [variation._id, variation]));
  // One that was removed and made anew by hand is the same for those who get it.
  const made = new Map(
    now.variations.filter(({ _id }) => !wanted.has(_id)).map((one) => [stableJson(one.value), one]),
  );
  const back: Step[] = earlier.variations.flatMap((variation) => {
    const own = present.get(variation._id) ?? made.get(stableJson(variation.value));
    if (own === undefined) return [{ variation, wanted: variation }];
    made.delete(stableJson(own.value));
    return isSame(own, variation) ? [] : [{ variation: own, id: own._id, wanted: variation }];
  });
  const gone = [...made.values()].map((variation) => ({ variation, id: variation._id }));
  return [...back, ...gone];
}

function isSame(one: Variation, other: Variation): boolean {
  const textOf = ({ value, name = '', description = '' }: Variation) =>
    stableJson([value, name, description]);
  return textOf(one) === textOf(other);
}

function instructionOf({ id, wanted, variation }: Step): Instruction {
  const { value, name = '', description = '' } = wanted!;
  if (id === undefined)
    return {
      kind: 'addVariation',
      value,
      ...(name !== '' && { name }),
      ...(description !== '' && { description }),
    };
  return {
    kind: 'updateVariation',
    variationId: id,
    ...(stableJson(value) !== stableJson(variation.value) && { value }),
    ...(name !== (variation.name ?? '') && { name }),
    ...(description !== (variation.description ?? '') && { description }),
  };
}

function valuesOf({ variations, defaults }: VariationSet): unknown[] {
  if (defaults === undefined) return [];
  return [variations[defaults.onVariation]?.value, variations[defaults.offVariation]?.value];
}

function defaultValues(set: VariationSet): Set<string> {
  return new Set(valuesOf(set).map((value) => stableJson(value)));
}

/** Undefined where new environments serve by default what they did. */
function defaultStep(now: VariationSet, earlier: VariationSet): Instruction | undefined {
  const idsOf = ({ variations, defaults }: VariationSet) =>
    defaults && [variations[defaults.onVariation]?._id, variations[defaults.offVariation]?._id].join(' ');
  if (earlier.defaults === undefined || idsOf(now) === idsOf(earlier)) return undefined;
  const [onVariationValue, offVariationValue] = valuesOf(earlier);
  return { kind: 'updateDefaultVariation', onVariationValue, offVariationValue };
}
