// Which instructions bring a flag back to an earlier version, in one environment or as a whole, or why that cannot be done.
import { stableJson } from '../../ui/stable-json.ts';
import { variationText } from '../flag.ts';
import type { Instruction } from '../save/instruction.ts';
import type { FlagDetail } from '../settings/flag-detail.ts';
import { targetingOf, type Serve, type Targeting, type TargetingConfig } from '../targeting/targeting.ts';
import { toInstructions } from '../targeting/to-instructions.ts';
import { isServedAnywhere } from '../variations/variation-uses.ts';
import type { FlagVersion } from './flag-version.ts';
import { HISTORY } from './history-words.ts';
import { detailInstructions } from './restore-details.ts';
import { restoreVariations, type VariationSet } from './restore-variations.ts';

const WORDS = HISTORY.revert;

export interface RestorePlan {
  instructions: readonly Instruction[];
  /** Why there is nothing to do. */
  reason?: string | undefined;
  /** What of the earlier version is not brought back. */
  missing?: string | undefined;
}

/** Ids of the variations of other flags, by the key of the flag. */
export type VariationIds = ReadonlyMap<string, readonly string[]>;

interface EarlierConfig extends TargetingConfig {
  on: boolean;
}

const idsOf = (version: FlagVersion) => (version['variations'] as { _id: string }[]).map(({ _id }) => _id);

const configIn = (version: FlagVersion, environment: string) =>
  version.environments[environment] as unknown as EarlierConfig | undefined;

/** As a whole: what a change made of the earlier version, as the later one has it, is taken back. */
export function restoreWhole(
  present: FlagVersion,
  { earlier, later }: { earlier: FlagVersion; later: FlagVersion },
): RestorePlan {
  const details = detailInstructions(present, earlier, later);
  const variations = haveSameVariations(earlier, later) ? undefined : variationPlan(present, earlier);
  const instructions = [...details, ...(variations?.instructions ?? [])];
  const stuck = variations?.stuck ?? [];
  const missing = stuck.length === 0 ? undefined : WORDS.stuck(stuck.map(variationText).join(', '));
  return {
    instructions,
    missing,
    reason: instructions.length > 0 ? undefined : (missing ?? WORDS.sameWhole),
  };
}

const setOf = (version: FlagVersion) => version as unknown as VariationSet;

function haveSameVariations(one: FlagVersion, other: FlagVersion): boolean {
  const textOf = (version: FlagVersion) => stableJson([version['variations'], version['defaults']]);
  return textOf(one) === textOf(other);
}

function variationPlan(present: FlagVersion, earlier: FlagVersion) {
  const flag = present as unknown as FlagDetail;
  return restoreVariations(setOf(present), setOf(earlier), (index) => isServedAnywhere(flag, index));
}

/** The flags whose variations have to be known to bring their prerequisites back. */
export function neededFlags(present: FlagVersion, earlier: FlagVersion, environment: string): string[] {
  const known = new Map(
    configIn(present, environment)?.prerequisites.map(({ key, variation }) => [key, variation]),
  );
  const wanted = configIn(earlier, environment)?.prerequisites ?? [];
  return wanted.filter(({ key, variation }) => known.get(key) !== variation).map(({ key }) => key);
}

export function restoreIn(
  present: FlagVersion,
  earlier: FlagVersion,
  environment: string,
  others: VariationIds = new Map(),
): RestorePlan {
  const [now, then] = [configIn(present, environment), configIn(earlier, environment)];
  if (now === undefined || then === undefined) return { instructions: [], reason: WORDS.gone(environment) };
  const ids = idsOf(present);
  const places = idsOf(earlier).map((id) => ids.indexOf(id));
  const wanted = moveVariations(targetingOf(then), places);
  if (wanted === undefined) return { instructions: [], reason: WORDS.noVariation };
  const prerequisites = wanted.prerequisites.map((one) => {
    const variationId = others.get(one.key)?.[one.variation];
    return { ...one, ...(variationId !== undefined && { variationId }) };
  });
  const instructions = [
    ...(now.on === then.on ? [] : [{ kind: then.on ? 'turnFlagOn' : 'turnFlagOff' }]),
    ...toInstructions(targetingOf(now), { ...wanted, prerequisites }, ids),
  ];
  const missing =
    wanted.offVariation === undefined && now.offVariation !== undefined ? WORDS.offVariation : undefined;
  return {
    instructions,
    missing,
    reason: instructions.length > 0 ? undefined : (missing ?? WORDS.same(environment)),
  };
}

/** Variations are named by their place, which may be another one now. Undefined where one is gone that was served. */
function moveVariations(targeting: Targeting, places: readonly number[]): Targeting | undefined {
  let isWhole = true;
  const move = (index: number): number => {
    const place = places[index] ?? -1;
    if (place === -1) isWhole = false;
    return place;
  };
  const moveServe = ({ variation, rollout }: Serve): Serve => ({
    ...(variation !== undefined && { variation: move(variation) }),
    ...(rollout !== undefined && {
      rollout: {
        ...rollout,
        variations: rollout.variations
          // What nobody was served may be gone.
          .filter(({ weight }) => weight > 0)
          .map((one) => ({ ...one, variation: move(one.variation) })),
      },
    }),
  });
  const { offVariation } = targeting;
  const moved: Targeting = {
    ...targeting,
    targets: targeting.targets.map((target) => ({ ...target, variation: move(target.variation) })),
    rules: targeting.rules.map(({ variation, rollout, ...rule }) => ({
      ...rule,
      ...moveServe({
        ...(variation !== undefined && { variation }),
        ...(rollout !== undefined && { rollout }),
      }),
    })),
    fallthrough: moveServe(targeting.fallthrough),
    ...(offVariation !== undefined && { offVariation: move(offVariation) }),
  };
  return isWhole ? moved : undefined;
}
