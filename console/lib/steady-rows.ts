// Rows that appear in a list while somebody reads it are counted, and shown when they ask for them: nothing moves under the pointer.
import { useState } from 'react';

interface Accepted {
  list: string;
  pages: number;
  ids: ReadonlySet<string>;
}

export interface SteadyList<Row> {
  /** Names the list with its filter: another one is shown as it is. */
  list: string;
  rows: readonly Row[];
  /** How many pages were read: those of a further page belong to the list. */
  pages: number;
  idOf: (row: Row) => string;
}

export function useSteadyList<Row>({ list, rows, pages, idOf }: SteadyList<Row>) {
  const [accepted, setAccepted] = useState<Accepted>();
  const isOther = accepted === undefined || accepted.list !== list || accepted.pages < pages;
  if (pages > 0 && isOther) setAccepted({ list, pages, ids: new Set(rows.map(idOf)) });
  const shown = isOther ? [...rows] : rows.filter((row) => accepted.ids.has(idOf(row)));
  return {
    shown,
    newCount: rows.length - shown.length,
    showAll: () => setAccepted(undefined),
  };
}
