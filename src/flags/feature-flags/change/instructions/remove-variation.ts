// Removes a variation from a flag. Configurations refer to variations by index, so the indexes behind it are lowered.
import { problem } from '../../../../kernel/schema/schema.ts';
import type { Flag, FlagConfig, Serve } from '../../flag.ts';
import { mergeTargets, splitTargets } from './target-list.ts';

export function removeVariation(flag: Flag, gone: number): Flag {
  const { onVariation, offVariation } = flag.defaults;
  if (onVariation === gone || offVariation === gone)
    throw problem('variationId', 'names a variation that new environments would serve');
  for (const [key, config] of Object.entries(flag.environments)) {
    if (isServed(config, gone)) throw problem('variationId', `names a variation in use in "${key}"`);
  }
  const environments = Object.entries(flag.environments).map(([key, config]) => [key, moveUp(config, gone)]);
  return {
    ...flag,
    variations: flag.variations.toSpliced(gone, 1),
    defaults: { onVariation: move(onVariation, gone), offVariation: move(offVariation, gone) },
    environments: Object.fromEntries(environments) as Flag['environments'],
  };
}

function move(index: number, gone: number): number {
  return index > gone ? index - 1 : index;
}

/** A share of zero serves nobody. */
function isServed(config: FlagConfig, index: number): boolean {
  const isServedBy = ({ variation, rollout }: Serve) =>
    variation === index ||
    rollout?.variations.some((share) => share.variation === index && share.weight > 0) === true;
  return (
    config.offVariation === index ||
    [config.fallthrough, ...config.rules].some(isServedBy) ||
    mergeTargets(config).some(({ variation }) => variation === index)
  );
}

function moveUp(config: FlagConfig, gone: number): FlagConfig {
  const targets = mergeTargets(config).map((target) => ({
    ...target,
    variation: move(target.variation, gone),
  }));
  return {
    ...config,
    ...splitTargets(targets),
    rules: config.rules.map((rule) => moveServed(rule, gone)),
    fallthrough: moveServed(config.fallthrough, gone),
    ...(config.offVariation !== undefined && { offVariation: move(config.offVariation, gone) }),
  };
}

function moveServed<Served extends Serve>(serve: Served, gone: number): Served {
  const { variation, rollout } = serve;
  if (rollout === undefined) return { ...serve, variation: move(variation!, gone) };
  const variations = rollout.variations
    .filter((share) => share.variation !== gone)
    .map((share) => ({ ...share, variation: move(share.variation, gone) }));
  return { ...serve, rollout: { ...rollout, variations } };
}
