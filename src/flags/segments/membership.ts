// Who is in a big segment: what a change of it comes to, given who is in it now.
import { problem } from '../../kernel/schema.ts';
import { inBoth } from './targets.ts';
import type { TargetType } from './segment.ts';

/** In the order in which they are to happen. */
export interface MembershipStep {
  does: 'add' | 'remove';
  type: TargetType;
  values: readonly string[];
}

/** Where the members that a change speaks of stand. */
export type Standing = ReadonlyMap<string, TargetType>;

export interface MembershipPlan {
  /** Members that come, or go from one side to the other. */
  put: { key: string; type: TargetType }[];
  drop: string[];
  /** What it does to the two counts. */
  included: number;
  excluded: number;
}

export function keysOfSteps(steps: readonly MembershipStep[]): string[] {
  return [...new Set(steps.flatMap(({ values }) => values))];
}

/** Only what differs in the end is in the plan. `kind` is for the words of a failure. */
export function planMembership(
  now: Standing,
  steps: readonly MembershipStep[],
  kind: string,
): MembershipPlan {
  const then = new Map(now);
  for (const { does, type, values } of steps) {
    for (const key of values) {
      // Half a character would be kept as another key than it was.
      if (!key.isWellFormed()) throw problem('values', 'must be whole characters');
      const stands = then.get(key);
      if (does === 'remove' && stands === type) then.delete(key);
      if (does === 'remove' || stands === type) continue;
      if (stands !== undefined) throw inBoth(kind, key);
      then.set(key, type);
    }
  }
  const put = [...then].filter(([key, type]) => now.get(key) !== type).map(([key, type]) => ({ key, type }));
  const drop = [...now.keys()].filter((key) => !then.has(key));
  const change = (type: TargetType) => countOf(then, type) - countOf(now, type);
  return { put, drop, included: change('included'), excluded: change('excluded') };
}

function countOf(standing: Standing, type: TargetType): number {
  let count = 0;
  for (const each of standing.values()) if (each === type) count += 1;
  return count;
}
