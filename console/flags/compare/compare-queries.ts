// What comparing and copying environments reads and writes.
import { useEffect, useMemo } from 'react';
import { path, type Call } from '../../api/call.ts';
import { useChange, usePages, useRead } from '../../api/read.ts';
import type { FlagCopyReply, FlagDifferences } from '../../api/types/signalbox.ts';

const ROWS_AT_ONCE = 25;
/** Where few flags differ, so many pages are read before somebody is asked. */
const PATIENT_PAGES = 20;

export function useComparison(project: string, from: string, to: string) {
  const list = usePages<FlagDifferences>({
    call: {
      api: 'signalbox',
      path: path`/projects/${project}/compare`,
      query: { from, to, limit: ROWS_AT_ONCE },
    },
    topics: ['flag'],
  });
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = list;
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const read = data?.pages.length ?? 0;
  const isShort = rows.length < ROWS_AT_ONCE && read < PATIENT_PAGES;
  useEffect(() => {
    if (read > 0 && isShort && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [read, isShort, hasNextPage, isFetching, isError, fetchNextPage]);
  return { list, rows, isSearching: hasNextPage && isShort };
}

export const MAX_FLAGS = 100;
export const MAX_TARGETS = 10;

export interface CopyPlan {
  from: string;
  to: readonly string[];
  /** With the versions that were compared: what was changed since is not copied over. */
  flags: readonly { key: string; parts: readonly string[]; version: number }[];
  /** Copies even where a planned change could then no longer be made. */
  ignoreConflicts?: boolean;
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
  return useRead<FlagCopyReply>(
    { call: copyCall(project, plan, true, comment), topics: ['flag', 'env'] },
    { keepsPrevious: true },
  );
}

export function useCopy(project: string, plan: CopyPlan) {
  return useChange<string, FlagCopyReply>(
    (comment) => copyCall(project, plan, false, comment),
    ['flag', 'activity'],
  );
}
