// Membership changes of a big segment, whose members are rows of their own: when they are allowed, and what they are, given the current members.
import { problem } from '../../kernel/schema/schema.ts';
import { Failure } from '../../kernel/failure.ts';
import { targetInBoth, type TargetType, type ImportMode, type Segment } from './segment.ts';
import type { FileRecord } from './imports/csv-file.ts';

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

interface BatchPlan extends Omit<MembershipPlan, 'remove'> {
  /** Members that are added, or move between included and excluded. */
  changed: number;
}

/**
 * The file decides whether a context is included or excluded; of several lines with the same key, the last one. In mode
 * `replace`, unchanged members are written, too, to mark them: unmarked ones are removed at the end.
 */
export function planBatch(now: TargetTypes, records: readonly FileRecord[], mode: ImportMode): BatchPlan {
  const then = new Map<string, TargetType>(records.map(({ key, type }) => [key, type]));
  const all = [...then].map(([key, type]) => ({ key, type }));
  const differing = all.filter(({ key, type }) => now.get(key) !== type);
  const change = (side: TargetType) =>
    differing.filter(({ type }) => type === side).length -
    differing.filter(({ key }) => now.get(key) === side).length;
  return {
    upsert: mode === 'replace' ? all : differing,
    included: change('included'),
    excluded: change('excluded'),
    changed: differing.length,
  };
}

export function requireBig(segment: Segment): Segment {
  if (segment.unbounded) return segment;
  throw new Failure('invalid', `The segment "${segment.key}" is no big segment: its targets stand in it`);
}

/**
 * While an import replaces all members, other membership changes are refused, because the import would overwrite them.
 */
export function requireUnlocked({ key, importing }: Segment): void {
  if (importing !== 'replace') return;
  throw new Failure('conflict', `An import replaces the members of "${key}": try again when it is complete`);
}
