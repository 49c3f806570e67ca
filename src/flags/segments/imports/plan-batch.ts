// What a piece of a file comes to, given who is in the segment now.
import type { MembershipPlan, TargetTypes } from '../membership.ts';
import type { ImportMode, TargetType } from '../segment.ts';
import type { FileRecord } from './csv-file.ts';

export interface BatchPlan extends Omit<MembershipPlan, 'remove'> {
  /** Members that come, or go from one side to the other. */
  changed: number;
}

/**
 * The file has the last word on which side a context stands, and its last line on that of the same key. To replace all, those
 * are put, too, who stand right already: what was not put goes in the end.
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
