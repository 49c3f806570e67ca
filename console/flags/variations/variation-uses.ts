// Where a variation is served: it cannot be removed from there without thinking.
import type { Flag, FlagConfig } from '../flag.ts';
import { VARIATION_WORDS as WORDS } from './variations-words.ts';

/** A line for each environment. */
export function usesOf({ environments = {}, defaults }: Flag, index: number): string[] {
  const places = Object.entries(environments).flatMap(([key, config]) => {
    const uses = usesIn(config, index);
    return uses.length === 0 ? [] : [`${key}: ${uses.join(', ')}`];
  });
  const isDefault = defaults !== undefined && Object.values(defaults).includes(index);
  return isDefault ? [...places, WORDS.defaultUse] : places;
}

/** In some environment, for somebody. */
export function isServedAnywhere({ environments = {} }: Flag, index: number): boolean {
  return Object.values(environments).some((config) => usesIn(config, index).length > 0);
}

function usesIn(config: FlagConfig, index: number): string[] {
  const { fallthrough, rules = [], targets = [], contextTargets = [], offVariation } = config;
  const isServed = (serve: FlagConfig['fallthrough']) =>
    serve?.variation === index ||
    (serve?.rollout?.variations.some(({ variation, weight }) => variation === index && weight > 0) ?? false);
  const ruleCount = rules.filter(isServed).length;
  const targetCount = [...targets, ...contextTargets]
    .filter(({ variation }) => variation === index)
    .reduce((sum, { values }) => sum + values.length, 0);
  return [
    ...(isServed(fallthrough) ? [WORDS.defaultRule] : []),
    ...(ruleCount > 0 ? [WORDS.rules(ruleCount)] : []),
    ...(targetCount > 0 ? [WORDS.targets(targetCount)] : []),
    ...(offVariation === index ? [WORDS.whenOff] : []),
  ];
}
