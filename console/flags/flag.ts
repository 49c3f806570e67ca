// A flag as the flags API has it, and what it serves, in words.
import type { FeatureFlag, FeatureFlagConfig, Variation as FlagVariation } from '../api/types/flags.ts';
import type { IconName } from '../ui/icon.tsx';
import { FLAG_TYPES, type FlagType } from './words.ts';

export type Variation = FlagVariation & { _id: string };

export type FlagConfig = FeatureFlagConfig;

/** The version counts all changes; it is sent as `If-Match` of the next. */
export type Flag = Omit<FeatureFlag, 'variations'> & { variations: Variation[] };

export const TYPE_ICONS: Readonly<Record<FlagType, IconName>> = {
  boolean: 'bool',
  string: 'str',
  number: 'num',
  json: 'api',
};

/** All variations of a flag have the same. */
export function typeOf({ kind, variations }: Flag): FlagType {
  if (kind === 'boolean') return 'boolean';
  const type = typeof variations[0]?.value;
  return type === 'string' || type === 'number' ? type : 'json';
}

export function typeName(flag: Flag): string {
  return FLAG_TYPES[typeOf(flag)];
}

/** A name where it has one, else the value. */
export function variationText({ name, value }: Variation): string {
  if (name !== undefined && name !== '') return name;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const LETTERS = 'ABCDEF';

/** Six have a colour of their own; later ones share the last. */
export function letterOf(index: number): string {
  return LETTERS[index] ?? LETTERS.at(-1)!;
}

export interface Share {
  index: number;
  /** In percent; undefined where it is everybody. */
  percent?: number;
}

export interface Served {
  /** To those whom no rule and no target is about; empty where the flag has nothing to serve. */
  shares: Share[];
  rules: number;
  targets: number;
  prerequisites: number;
}

/** What the environment serves now: while it is off, one variation to everybody. */
export function servedIn({ on, _summary }: FlagConfig): Served {
  const all = Object.entries(_summary?.variations ?? {}).map(
    ([index, summary]) => [Number(index), summary] as const,
  );
  if (!on) return { shares: offShares(all), rules: 0, targets: 0, prerequisites: 0 };
  const sum = (count: (summary: VariationSummary) => number) =>
    all.reduce((total, [, summary]) => total + count(summary), 0);
  return {
    shares: onShares(all),
    rules: sum(({ rules }) => rules),
    targets: sum(({ targets, contextTargets }) => targets + contextTargets),
    prerequisites: _summary?.prerequisites ?? 0,
  };
}

type VariationSummary = NonNullable<FlagConfig['_summary']>['variations'][string];
type Summaries = readonly (readonly [index: number, summary: VariationSummary])[];

function offShares(all: Summaries): Share[] {
  return all.filter(([, { isOff }]) => isOff === true).map(([index]) => ({ index }));
}

function onShares(all: Summaries): Share[] {
  const whole = all.find(([, { isFallthrough }]) => isFallthrough === true);
  if (whole !== undefined) return [{ index: whole[0] }];
  return all.flatMap(([index, { rollout = 0 }]) => (rollout > 0 ? [{ index, percent: rollout / 1000 }] : []));
}

/** The variation of an environment while it is off; undefined where the code's own default is used. */
export function offVariation({ _summary }: FlagConfig): number | undefined {
  const found = Object.entries(_summary?.variations ?? {}).find(([, { isOff }]) => isOff === true);
  return found === undefined ? undefined : Number(found[0]);
}

export function personName(person: { email: string; firstName?: string; lastName?: string }): string {
  return [person.firstName, person.lastName].filter(Boolean).join(' ') || person.email;
}
