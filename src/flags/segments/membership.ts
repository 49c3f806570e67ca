// Plans membership changes of a big segment, given the current members.
import { problem } from '../../kernel/schema/schema.ts';
import { targetInBoth } from './targets.ts';
import type { TargetType } from './segment.ts';

/** Steps are applied in order. */
export interface MembershipStep {
  does: 'add' | 'remove';
  type: TargetType;
  values: readonly string[];
}

/** Whether the members that a change names are included or excluded. */
export type TargetTypes = ReadonlyMap<string, TargetType>;

export interface MembershipPlan {
  /** Members that are added, or move between included and excluded. */
  upsert: { key: string; type: TargetType }[];
  remove: string[];
  /** The differences of the two counts. */
  included: number;
  excluded: number;
}

export function keysOfSteps(steps: readonly MembershipStep[]): string[] {
  return [...new Set(steps.flatMap(({ values }) => values))];
}

/** The plan contains only net differences. `kind` is for error messages. */
export function planMembership(
  now: TargetTypes,
  steps: readonly MembershipStep[],
  kind: string,
): MembershipPlan {
  const then = new Map(now);
  for (const { does, type, values } of steps) {
    for (const key of values) {
      // A lone surrogate would be stored as another key.
      if (!key.isWellFormed()) throw problem('values', 'must be whole characters');
      const current = then.get(key);
      if (does === 'remove' && current === type) then.delete(key);
      if (does === 'remove' || current === type) continue;
      if (current !== undefined) throw targetInBoth(kind, key);
      then.set(key, type);
    }
  }
  const upsert = [...then]
    .filter(([key, type]) => now.get(key) !== type)
    .map(([key, type]) => ({ key, type }));
  const remove = [...now.keys()].filter((key) => !then.has(key));
  const change = (type: TargetType) => countOf(then, type) - countOf(now, type);
  return { upsert, remove, included: change('included'), excluded: change('excluded') };
}

function countOf(targetTypes: TargetTypes, type: TargetType): number {
  let count = 0;
  for (const each of targetTypes.values()) if (each === type) count += 1;
  return count;
}
