// Who is in a big segment: what a change of it comes to, given who is in it now.
import { problem } from '../../kernel/schema.ts';
import { targetInBoth } from './targets.ts';
import type { TargetType } from './segment.ts';

/** In the order in which they are to happen. */
export interface MembershipStep {
  does: 'add' | 'remove';
  type: TargetType;
  values: readonly string[];
}

/** Where the members that a change speaks of stand. */
export type TargetTypes = ReadonlyMap<string, TargetType>;

export interface MembershipPlan {
  /** Members that come, or go from one side to the other. */
  upsert: { key: string; type: TargetType }[];
  remove: string[];
  /** What it does to the two counts. */
  included: number;
  excluded: number;
}

export function keysOfSteps(steps: readonly MembershipStep[]): string[] {
  return [...new Set(steps.flatMap(({ values }) => values))];
}

/** Only what differs in the end is in the plan. `kind` is for the words of a failure. */
export function planMembership(
  now: TargetTypes,
  steps: readonly MembershipStep[],
  kind: string,
): MembershipPlan {
  const then = new Map(now);
  for (const { does, type, values } of steps) {
    for (const key of values) {
      // Half a character would be kept as another key than it was.
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
