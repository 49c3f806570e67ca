// The environments that the list has columns for: what the address says, else what somebody chose, else the first ones.
import { useCallback, useEffect, useMemo } from 'react';
import { useOwnTable } from '../../app/table-preferences.ts';
import type { SearchState } from '../../lib/search-state.ts';
import { lastColumns, rememberColumns } from '../last-place.ts';
import { useEnvironments, type Environment } from '../queries.ts';
import { MAX_COLUMNS } from './columns-popover.tsx';

/** More columns than these are asked for. */
const USUAL = 3;

export function listName(project: string): string {
  return `flags/${project}`;
}

export function useShownEnvironments(project: string, { get, set }: SearchState) {
  const environments = useEnvironments(project);
  const { table, save } = useOwnTable(listName(project));
  const known = environments.data?.items;
  const asked = get('env')?.split(',');
  const preferred = table?.columns;
  const isKnown = known !== undefined && (asked !== undefined || table !== undefined);
  const text = isKnown
    ? (existing(asked, known) ?? existing(preferred, known) ?? usual(known)).join(',')
    : (asked ?? lastColumns(project))?.join(',');
  const keys = useMemo(() => text?.split(',').filter((key) => key !== ''), [text]);
  const shown = useMemo(
    () => (keys ?? []).flatMap((key) => known?.find((one) => one.key === key) ?? []),
    [keys, known],
  );
  useEffect(() => {
    if (isKnown && keys !== undefined) rememberColumns(project, keys);
  }, [isKnown, keys, project]);
  const choose = useCallback(
    (next: string[]) => {
      set({ env: next.join(',') });
      save(() => ({ columns: next }));
    },
    [set, save],
  );
  return {
    known,
    /** In the order of their columns; before they are known, as they were the last time. */
    keys,
    shown,
    choose,
    error: environments.error,
    isKnown,
    refetch: environments.refetch,
  };
}

function existing(keys: readonly string[] | undefined, known: readonly Environment[]): string[] | undefined {
  const found = [...new Set(keys)].filter((key) => known.some((one) => one.key === key));
  return found.length === 0 ? undefined : found.slice(0, MAX_COLUMNS);
}

/** The critical ones first: what is on there matters most. */
function usual(known: readonly Environment[]): string[] {
  return known
    .toSorted((one, other) => Number(other.critical) - Number(one.critical))
    .slice(0, USUAL)
    .map(({ key }) => key);
}
