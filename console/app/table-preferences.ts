// How somebody wants a table: its columns, how wide they are, and which stay in view. Kept on the server with their other choices.
import { useCallback } from 'react';
import type { Preferences } from '../api/types/signalbox.ts';
import { savePreferences, useKnownPreferences } from './me.ts';

export type TablePreferences = NonNullable<Preferences['tables']>[string];

/** Of one kind of table: those that were changed last. */
const MOST_KEPT = 40;

type TablePatch = { [Name in keyof TablePreferences]: TablePreferences[Name] | undefined };

export interface OwnTable {
  /** Undefined while it is read. */
  table: TablePreferences | undefined;
  /** What is undefined is taken back. */
  save: (change: (present: TablePreferences) => TablePatch) => void;
}

/** The name begins with the kind of the table and a slash. */
export function useOwnTable(name: string): OwnTable {
  const preferences = useKnownPreferences();
  const save = useCallback<OwnTable['save']>(
    (change) =>
      savePreferences(({ tables = {} }) => {
        const { [name]: present = NOTHING, ...others } = tables;
        const joined = Object.entries({ ...present, ...change(present) });
        const table = Object.fromEntries(joined.filter(([, value]) => value !== undefined));
        return { tables: { ...withoutOldest(others, name), [name]: table } };
      }),
    [name],
  );
  return { table: preferences && (preferences.tables?.[name] ?? NOTHING), save };
}

const NOTHING: TablePreferences = {};

/** Those that were changed last stand last. */
function withoutOldest(
  tables: Readonly<Record<string, TablePreferences>>,
  name: string,
): Record<string, TablePreferences> {
  const kind = name.slice(0, name.indexOf('/') + 1);
  const names = Object.keys(tables);
  const alike = names.filter((one) => one.startsWith(kind));
  const dropped = new Set(alike.slice(0, Math.max(0, alike.length - MOST_KEPT + 1)));
  return Object.fromEntries(names.filter((one) => !dropped.has(one)).map((one) => [one, tables[one]!]));
}
