// What comparing and copying environments reads and writes.
import { path, type Call } from '../../api/call.ts';
import { useChange, usePages, useRead } from '../../api/read.ts';

/** A part of the configuration that is not the same. */
export interface DifferingPart {
  part: string;
  /** What the copy would do, in words. */
  sentences: string[];
}

export interface DifferingFlag {
  key: string;
  name: string;
  parts: DifferingPart[];
}

export function useComparison(project: string, from: string, to: string) {
  return usePages<DifferingFlag>({
    call: { api: 'signalbox', path: path`/projects/${project}/compare`, query: { from, to } },
    topics: ['flag'],
  });
}

export const MAX_FLAGS = 100;
export const MAX_TARGETS = 10;

export interface CopyPlan {
  from: string;
  to: readonly string[];
  flags: readonly { key: string; parts: readonly string[] }[];
}

/** What happens, or would happen, to one flag in one environment. */
export interface CopyItem {
  key: string;
  environmentKey: string;
  isChanged: boolean;
  sentences: string[];
  /** Why it is not changed. */
  reason?: string;
}

export function copyCall(project: string, plan: CopyPlan, isDryRun: boolean, comment = ''): Call {
  return {
    api: 'signalbox',
    method: 'POST',
    path: path`/projects/${project}/copy`,
    body: { ...plan, isDryRun, ...(comment !== '' && { comment }) },
  };
}

/** Nothing is written. */
export function useDryRun(project: string, plan: CopyPlan, comment: string) {
  return useRead<{ items: CopyItem[] }>(
    { call: copyCall(project, plan, true, comment), topics: ['flag', 'env'] },
    { keepsPrevious: true },
  );
}

export function useCopy(project: string, plan: CopyPlan) {
  return useChange<string, { items: CopyItem[] }>(
    (comment) => copyCall(project, plan, false, comment),
    ['flag', 'activity'],
  );
}
