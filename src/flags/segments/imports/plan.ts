// What a piece of a file comes to, given who is in the segment now.
import type { MembershipPlan, Standing } from '../membership.ts';
import type { ImportMode, TargetType } from '../segment.ts';
import type { FileRecord } from './file.ts';

export interface PiecePlan extends Omit<MembershipPlan, 'drop'> {
  /** Members that come, or go from one side to the other. */
  changed: number;
}

/**
 * The file has the last word on which side a context stands, and its last line on that of the same key. To replace all, those
 * are put, too, who stand right already: what was not put goes in the end.
 */
export function planPiece(now: Standing, records: readonly FileRecord[], mode: ImportMode): PiecePlan {
  const then = new Map<string, TargetType>(records.map(({ key, type }) => [key, type]));
  const all = [...then].map(([key, type]) => ({ key, type }));
  const differing = all.filter(({ key, type }) => now.get(key) !== type);
  const change = (side: TargetType) =>
    differing.filter(({ type }) => type === side).length -
    differing.filter(({ key }) => now.get(key) === side).length;
  return {
    put: mode === 'replace' ? all : differing,
    included: change('included'),
    excluded: change('excluded'),
    changed: differing.length,
  };
}
