// The columns of the items of a dataset. The first page says which fields there are, and of what type; the address which of them are
// shown, or else what somebody chose for the datasets of this Actor.
import { useMemo } from 'react';
import { useOwnTable } from '../../../app/table-preferences.ts';
import type { SearchState } from '../../../lib/search-state.ts';
import type { Dataset } from '../storage.ts';
import { describeFields, fieldsOf, readColumns, usualColumns, writeColumns } from './fields.ts';
import { useItemPage } from './items.ts';

export type Columns = ReturnType<typeof useColumns>;

/** What the server keeps: names of fields may be longer, and more. */
const LONGEST_NAME = 100;
const MOST_NAMES = 100;

const NO_NAMES: readonly string[] = [];
const NO_WIDTHS: Readonly<Record<string, number>> = {};

/** Each run has datasets of its own: those of one Actor are alike. */
function tableOf({ id, name, actId }: Dataset): string {
  return `dataset/${name === null ? (actId ?? id) : id}`;
}

export function useColumns(dataset: Dataset, search: SearchState) {
  const { items, isPending } = useItemPage(dataset, 0);
  const { table, save } = useOwnTable(tableOf(dataset));
  const names = useMemo(() => fieldsOf(dataset.fields, items), [dataset.fields, items]);
  const text = search.get('fields');
  const { pinned = NO_NAMES, widths = NO_WIDTHS } = table ?? {};
  const kept = table?.columns;
  const shown = useMemo(() => {
    const known = kept?.filter((name) => names.includes(name)) ?? [];
    const all = readColumns(text, names) ?? (known.length > 0 ? known : usualColumns(names));
    return [...all.filter((name) => pinned.includes(name)), ...all.filter((name) => !pinned.includes(name))];
  }, [text, names, kept, pinned]);
  const described = useMemo(() => describeFields(shown, items), [shown, items]);
  const shownPinned = useMemo(() => shown.filter((name) => pinned.includes(name)), [shown, pinned]);
  return {
    names,
    shown,
    described,
    pinned: shownPinned,
    widths,
    isRead: !isPending && table !== undefined,
    /** Undefined: the usual ones. */
    choose: (next: readonly string[] | undefined) => {
      search.set({ fields: next === undefined ? undefined : writeColumns(next) });
      save(() => ({ columns: next === undefined || !areKept(next) ? undefined : [...next] }));
    },
    pin: (name: string, isPinned: boolean) => {
      if (areKept([name]))
        save(({ pinned: present = [] }) => {
          const others = present.filter((one) => one !== name && names.includes(one));
          return { pinned: isPinned ? [...others, name] : others };
        });
    },
    /** Undefined: as wide as usual. */
    setWidth: (name: string, width: number | undefined) => {
      if (areKept([name]))
        save(({ widths: present = {} }) => {
          const others = Object.entries(present).filter(([one]) => one !== name);
          const newest = others.slice(1 - MOST_NAMES);
          return { widths: { ...Object.fromEntries(newest), ...(width !== undefined && { [name]: width }) } };
        });
    },
  };
}

function areKept(names: readonly string[]): boolean {
  return names.length <= MOST_NAMES && names.every((name) => name.length <= LONGEST_NAME);
}
