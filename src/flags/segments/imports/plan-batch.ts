// Plans the membership changes of a batch of records, given the current members.
import type { MembershipPlan, TargetTypes } from '../membership.ts';
import type { ImportMode, TargetType } from '../segment.ts';
import type { FileRecord } from './csv-file.ts';

export interface BatchPlan extends Omit<MembershipPlan, 'remove'> {
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
