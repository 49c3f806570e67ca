// What the history of a flag reads: entries of the audit log, and changes that are planned.
import { useInfiniteQuery, useQuery, type InfiniteData } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { path } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import type { ApiError } from '../../api/error.ts';
import { useChange, useRead } from '../../api/read.ts';
import type { FeatureFlagScheduledChange } from '../../api/types/flags.ts';
import type { Instruction } from '../save/instruction.ts';
import type { HistoryDetail, HistoryEntry } from './entry.ts';
import { flagVersionOf, isFlagChange, type FlagVersion } from './flag-version.ts';

interface EntryPage {
  items: HistoryEntry[];
  _links: { next?: unknown };
}

/** The most that the audit log gives at once. */
const PAGE = 20;
/** While a filter fits few, so many pages are read before somebody is asked. */
const PATIENT_PAGES = 10;

/** Of the flag in all environments. */
function specOf(project: string, flag: string): string {
  return `proj/${project}:env/*:flag/${flag}`;
}

/** All entries of the flag that were read, in all environments, and those of them that fit. */
export function useHistory(project: string, flag: string, fits: (entry: HistoryEntry) => boolean) {
  const spec = specOf(project, flag);
  const list = useInfiniteQuery<EntryPage, ApiError, InfiniteData<EntryPage, string | undefined>>({
    queryKey: ['flags', '/auditlog', { spec }, 'history'],
    queryFn: async ({ pageParam, signal }) => {
      const behind = pageParam as string | undefined;
      const query = { spec, limit: PAGE, behind };
      return (await send<EntryPage>({ api: 'flags', path: '/auditlog', query }, signal)).body;
    },
    initialPageParam: undefined,
    getNextPageParam: ({ items, _links }) => (_links.next === undefined ? undefined : items.at(-1)?._id),
    meta: { topics: ['flag'] },
  });
  const all = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  const rows = useMemo(() => all.filter(fits), [all, fits]);
  const [wanted, setWanted] = useState({ rows: PAGE, pages: PATIENT_PAGES });
  const read = list.data?.pages.length ?? 0;
  const { hasNextPage, isFetching, isError, fetchNextPage } = list;
  const isShort = rows.length < wanted.rows && read < wanted.pages;
  useEffect(() => {
    if (read > 0 && isShort && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [read, isShort, hasNextPage, isFetching, isError, fetchNextPage]);
  return {
    list,
    all,
    rows,
    readMore: () => setWanted({ rows: rows.length + PAGE, pages: read + PATIENT_PAGES }),
  };
}

export function useHistoryEntry(id: string | undefined) {
  return useRead<HistoryDetail>(
    { call: { api: 'flags', path: path`/auditlog/${id ?? ''}` } },
    { isEnabled: id !== undefined },
  );
}

/** Entries that have no version of the flag are passed over; more than these are not looked at. */
const MAX_LOOKS = 5;

export interface FlagAt {
  version: FlagVersion;
  /** The change that made it so. */
  entry: HistoryDetail;
}

/** The flag as it was at a time; null where the audit log does not have it. */
export function useFlagAt(project: string, flag: string, at: number | undefined) {
  const query = { spec: specOf(project, flag), before: (at ?? 0) + 1, limit: PAGE };
  return useQuery<FlagAt | null, ApiError>({
    queryKey: ['flags', '/auditlog', query, 'version'],
    queryFn: async ({ signal }) => {
      const { body } = await send<EntryPage>({ api: 'flags', path: '/auditlog', query }, signal);
      for (const { _id } of body.items.filter(isFlagChange).slice(0, MAX_LOOKS)) {
        const { body: entry } = await send<HistoryDetail>(
          { api: 'flags', path: path`/auditlog/${_id}` },
          signal,
        );
        const version = flagVersionOf(entry.currentVersion);
        if (version !== undefined) return { version, entry };
      }
      return null;
    },
    enabled: at !== undefined,
    // What was, stays.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export type ScheduledChange = Omit<FeatureFlagScheduledChange, 'instructions'> & {
  instructions: Instruction[];
};

function scheduledPath(project: string, flag: string, environment: string): string {
  return path`/projects/${project}/flags/${flag}/environments/${environment}/scheduled-changes`;
}

export function useScheduledChanges(project: string, flag: string, environment: string) {
  return useRead<{ items: ScheduledChange[] }>({
    call: { api: 'flags', path: scheduledPath(project, flag, environment) },
    topics: ['flag'],
  });
}

export function useCancel(project: string, flag: string, environment: string) {
  return useChange<string>(
    (id) => ({
      api: 'flags',
      method: 'DELETE',
      path: scheduledPath(project, flag, environment) + path`/${id}`,
    }),
    ['flag', 'activity', 'attention'],
  );
}
