// The rules for every flag, however it was created or changed.
import { isLarge } from '../../kernel/json/stringify.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { MAX_CLAUSES } from '../clauses.ts';
import { USER } from '../evaluation/context.ts';
import { normalizeTags } from '../fields.ts';
import type { Flag, FlagConfig, Rule, Serve, Target, Variation } from './flag.ts';

export const WHOLE = 100_000;

/** These limits bound the size of a flag. */
const MAX_VARIATIONS = 200;
export const MAX_FLAG_RULES = 1000;
export const MAX_PREREQUISITES = 100;
/** In one environment, over all variations and context kinds. */
export const MAX_FLAG_TARGETS = 15_000;
const MAX_TAGS = 1000;
const MAX_PROPERTIES = 100;
/** Keys and elements in the values of all variations: every operation on the flag walks through them. */
const MAX_VALUES = 10_000;
/** Characters of JSON, for the flag without configurations and for each configuration. */
const MAX_TEXT = 2 * 1024 * 1024;

export function kindOf({ variations }: Pick<Flag, 'variations'>): 'boolean' | 'multivariate' {
  const isBoolean = variations.length === 2 && variations.every(({ value }) => typeof value === 'boolean');
  return isBoolean ? 'boolean' : 'multivariate';
}

/** The configuration of a new flag, or of a flag in a new environment. */
export function newConfig(
  { defaults, version }: Pick<Flag, 'defaults' | 'version'>,
  { on = false, trackEvents }: { on?: boolean; trackEvents: boolean },
  newHex: () => string,
  now: number,
): FlagConfig {
  return {
    on,
    salt: newHex(),
    sel: newHex(),
    lastModified: now,
    version,
    targets: [],
    contextTargets: [],
    rules: [],
    fallthrough: { variation: defaults.onVariation },
    offVariation: defaults.offVariation,
    prerequisites: [],
    trackEvents,
    trackEventsFallthrough: false,
  };
}

/** The indexes of the variations that can be served. */
export function servedBy({ variation, rollout }: Serve): number[] {
  if (rollout === undefined) return variation === undefined ? [] : [variation];
  return rollout.variations.map((weighted) => weighted.variation);
}

/** The indexes of all variations that a configuration refers to. */
export function usedBy(config: FlagConfig): Set<number> {
  return new Set([
    ...config.rules.flatMap(servedBy),
    ...servedBy(config.fallthrough),
    ...[...config.targets, ...config.contextTargets].map(({ variation }) => variation),
    ...(config.offVariation === undefined ? [] : [config.offVariation]),
  ]);
}

/**
 * Normalizes a flag. Users are in `targets`; for each such list, `contextTargets` has an empty list of the same variation:
 * without it, SDKs would evaluate the other context kinds only.
 */
export function normalizeFlag(flag: Flag): Flag {
  const environments = Object.entries(flag.environments).map(([key, config]) => [
    key,
    normalizeConfig(config),
  ]);
  return {
    ...flag,
    tags: normalizeTags(flag.tags),
    // The older field for the same.
    includeInSnippet: flag.clientSideAvailability.usingEnvironmentId,
    environments: Object.fromEntries(environments) as Flag['environments'],
  };
}

function normalizeConfig(config: FlagConfig): FlagConfig {
  const lists = new Map<string, Target>();
  const add = ({ contextKind, variation, values }: Target) => {
    const name = `${contextKind}\n${variation}`;
    const known = lists.get(name);
    const all = known === undefined ? values : [...known.values, ...values];
    lists.set(name, { values: [...new Set(all)], variation, contextKind });
  };
  // `contextTargets` first, because SDKs evaluate its lists in order.
  for (const target of config.contextTargets) add(target);
  for (const target of config.targets) add({ ...target, contextKind: target.contextKind || USER });
  const filled = [...lists.values()].filter(({ values }) => values.length > 0);
  const targets = filled.filter(isOfUsers);
  const contextTargets = filled.map((target) => (isOfUsers(target) ? { ...target, values: [] } : target));
  const isTidy = areEqual(targets, config.targets) && areEqual(contextTargets, config.contextTargets);
  return isTidy ? config : { ...config, targets, contextTargets };
}

function isOfUsers({ contextKind }: Target): boolean {
  return contextKind === USER;
}

/** Throws `invalid` for the first rule that the flag breaks. References to other flags are not checked here. */
export function validateFlag(flag: Flag): void {
  validateVariations(flag.variations);
  atMost('tags', flag.tags, MAX_TAGS);
  atMost('customProperties', Object.keys(flag.customProperties), MAX_PROPERTIES);
  for (const name of ['onVariation', 'offVariation'] as const)
    checkIndex(flag, flag.defaults[name], `defaults.${name}`);
  if (flag.maintainerId !== undefined && flag.maintainerTeamKey !== undefined)
    throw problem('maintainerId', 'cannot be given together with maintainerTeamKey');
  for (const [key, config] of Object.entries(flag.environments))
    validateConfig(flag, config, `environments.${key}`);
}

/** Checked first, because all other checks walk through the values. A flag that had too many before may keep them. */
export function checkValues(variations: readonly Variation[], before: readonly Variation[] = []): void {
  if (variations === before || !isLarge(variations, MAX_VALUES)) return;
  if (isLarge(before, MAX_VALUES) && areEqual(variations, before)) return;
  throw problem('variations', `cannot have more than ${MAX_VALUES} keys and elements in their values`);
}

/** A flag that was too large before may only shrink. */
export function validateSize(before: Flag, after: Flag): void {
  const check = (old: unknown, now: unknown, what: string) => {
    const size = JSON.stringify(now).length;
    if (size <= MAX_TEXT || size <= JSON.stringify(old).length) return;
    throw problem(what, `cannot have more than ${MAX_TEXT} characters`);
  };
  for (const [key, config] of Object.entries(after.environments)) {
    const old = before.environments[key];
    if (old !== config) check(old, config, `environments.${key}`);
  }
  check({ ...before, environments: {} }, { ...after, environments: {} }, 'The flag');
}

function validateVariations(variations: readonly Variation[]): void {
  if (variations.length < 2) throw problem('variations', 'must be two or more');
  atMost('variations', variations, MAX_VARIATIONS);
  // Equal values have JSON of the same length, whatever the order of their members.
  const byLength = new Map<number, unknown[]>();
  for (const [index, { value }] of variations.entries()) {
    const { length } = JSON.stringify(value ?? null);
    const others = byLength.get(length) ?? [];
    if (others.some((other) => areEqual(other, value)))
      throw problem(`variations.${index}.value`, 'must differ from that of every other variation');
    byLength.set(length, [...others, value]);
  }
}

function validateConfig(flag: Flag, config: FlagConfig, at: string): void {
  if (config.offVariation !== undefined) checkIndex(flag, config.offVariation, `${at}.offVariation`);
  validateServe(flag, config.fallthrough, `${at}.fallthrough`);
  atMost(`${at}.rules`, config.rules, MAX_FLAG_RULES);
  for (const [index, rule] of config.rules.entries()) validateRule(flag, rule, `${at}.rules.${index}`);
  validateTargets(flag, [...config.targets, ...config.contextTargets], at);
  validatePrerequisites(flag, config, at);
}

function validateRule(flag: Flag, rule: Rule, at: string): void {
  if (rule.clauses.length === 0)
    throw problem(`${at}.clauses`, 'must not be empty: the rule would match everyone');
  atMost(`${at}.clauses`, rule.clauses, MAX_CLAUSES);
  validateServe(flag, rule, at);
}

function validateServe(flag: Flag, { variation, rollout }: Serve, at: string): void {
  if ((variation === undefined) === (rollout === undefined))
    throw problem(at, 'must have either a variation or a rollout');
  if (variation !== undefined) checkIndex(flag, variation, `${at}.variation`);
  if (rollout === undefined) return;
  let sum = 0;
  for (const [index, weighted] of rollout.variations.entries()) {
    checkIndex(flag, weighted.variation, `${at}.rollout.variations.${index}.variation`);
    const { weight } = weighted;
    if (!Number.isInteger(weight) || weight < 0 || weight > WHOLE)
      throw problem(`${at}.rollout.variations.${index}.weight`, `must be an integer from 0 to ${WHOLE}`);
    sum += weight;
  }
  if (sum !== WHOLE)
    throw problem(`${at}.rollout`, `must have weights that make ${WHOLE} together, not ${sum}`);
}

function validateTargets(flag: Flag, targets: readonly Target[], at: string): void {
  let count = 0;
  const homes = new Map<string, Map<string, number>>();
  for (const { contextKind, variation, values } of targets) {
    checkIndex(flag, variation, `${at}.targets`);
    count += values.length;
    const home = homes.get(contextKind) ?? new Map<string, number>();
    homes.set(contextKind, home);
    for (const key of values) {
      if ((home.get(key) ?? variation) !== variation)
        throw problem(`${at}.targets`, `cannot have the ${contextKind} "${shorten(key)}" in two variations`);
      home.set(key, variation);
    }
  }
  if (count > MAX_FLAG_TARGETS) throw problem(`${at}.targets`, `can have at most ${MAX_FLAG_TARGETS} keys`);
}

function validatePrerequisites({ key }: Flag, { prerequisites }: FlagConfig, at: string): void {
  atMost(`${at}.prerequisites`, prerequisites, MAX_PREREQUISITES);
  const seen = new Set<string>();
  for (const needed of prerequisites) {
    if (needed.key === key) throw problem(`${at}.prerequisites`, 'cannot name the flag itself');
    if (seen.has(needed.key)) throw problem(`${at}.prerequisites`, `cannot name "${needed.key}" twice`);
    seen.add(needed.key);
  }
}

function checkIndex({ variations }: Flag, index: number, at: string): void {
  if (Number.isInteger(index) && index >= 0 && index < variations.length) return;
  throw problem(at, `must be the index of a variation, from 0 to ${variations.length - 1}, not ${index}`);
}

function atMost(field: string, list: readonly unknown[], most: number): void {
  if (list.length > most) throw problem(field, `can be at most ${most}`);
}

export interface VariationSummary {
  rules: number;
  nullRules: number;
  targets: number;
  contextTargets: number;
  /** Everyone else gets it; where they are split, `rollout` says so instead. */
  isFallthrough?: true;
  isOff?: true;
  /** Its weight among everyone else. */
  rollout?: number;
  bucketBy?: string;
}

export interface ConfigSummary {
  prerequisites: number;
  /** By index; unused variations are absent. */
  variations: Record<string, VariationSummary>;
}

/** How often the configuration refers to each variation. */
export function summarize(config: FlagConfig): ConfigSummary {
  const variations: Record<string, VariationSummary> = {};
  const at = (index: number) =>
    (variations[index] ??= { rules: 0, nullRules: 0, targets: 0, contextTargets: 0 });
  for (const rule of config.rules) {
    for (const index of new Set(servedBy(rule))) {
      if (rule.clauses.length === 0) at(index).nullRules += 1;
      else at(index).rules += 1;
    }
  }
  for (const { variation, values } of config.targets) at(variation).targets += values.length;
  for (const { variation, values } of config.contextTargets) at(variation).contextTargets += values.length;
  const { variation: served, rollout } = config.fallthrough;
  if (served !== undefined && rollout === undefined) at(served).isFallthrough = true;
  for (const { variation, weight } of rollout?.variations ?? []) {
    at(variation).rollout = (at(variation).rollout ?? 0) + weight;
    if (rollout?.bucketBy !== undefined) at(variation).bucketBy = rollout.bucketBy;
  }
  if (config.offVariation !== undefined) at(config.offVariation).isOff = true;
  return { prerequisites: config.prerequisites.length, variations };
}
