// The keys of a table: `j` and `k` move, `x` selects, with Shift a range. Enter opens by itself, for what has the
// focus is a link. Of several tables the one with the focus listens, else the first.
import type { RefObject } from 'react';
import { useKeys } from './keys.ts';
import type { TableSelection } from './table-types.ts';

export interface TableKeysOptions<Row> {
  element: RefObject<HTMLTableElement | null>;
  rows: Row[];
  rowKey: (row: Row) => string;
  /** Brings a row into the window that is not drawn now. */
  scrollTo: RefObject<((index: number) => void) | undefined>;
  selection: TableSelection | undefined;
  select: (index: number, isSelected: boolean, hasShift: boolean) => void;
}

/** As many frames as a row may need to be drawn after it was scrolled to. */
const drawingFrames = 10;

export function useTableKeys<Row>(options: TableKeysOptions<Row>): void {
  const { element, rows, rowKey, scrollTo, selection, select } = options;

  const move = (step: number) => {
    const table = element.current;
    if (table === null || !isListening(table)) return false;
    const at = focusedIndex(table);
    const next = at === undefined ? 0 : Math.max(0, Math.min(at + step, rows.length - 1));
    if (focusRow(table, next)) return true;
    scrollTo.current?.(next);
    focusWhenDrawn(table, next, drawingFrames);
    return true;
  };
  const toggle = (hasShift: boolean) => {
    const table = element.current;
    if (table === null || selection === undefined || !isListening(table)) return false;
    const at = focusedIndex(table);
    const row = at === undefined ? undefined : rows[at];
    if (at === undefined || row === undefined) return false;
    select(at, hasShift || !selection.selected.has(rowKey(row)), hasShift);
    return true;
  };

  useKeys(
    { j: () => move(1), k: () => move(-1), x: () => toggle(false), X: () => toggle(true) },
    { isOn: rows.length > 0 },
  );
}

function isListening(table: HTMLElement): boolean {
  const focused = document.activeElement?.closest('[data-has-keys]');
  return table === (focused ?? document.querySelector('[data-has-keys]'));
}

function focusedIndex(table: HTMLElement): number | undefined {
  const row = document.activeElement?.closest<HTMLElement>('tr[data-index]');
  return row instanceof HTMLElement && table.contains(row) ? Number(row.dataset['index']) : undefined;
}

/** False where the row is not drawn. */
function focusRow(table: HTMLElement, index: number): boolean {
  const row = table.querySelector<HTMLElement>(`tr[data-index="${index}"]`);
  if (row === null) return false;
  (row.querySelector<HTMLElement>('.tb__link') ?? row).focus();
  return true;
}

function focusWhenDrawn(table: HTMLElement, index: number, frames: number): void {
  requestAnimationFrame(() => {
    if (!focusRow(table, index) && frames > 0) focusWhenDrawn(table, index, frames - 1);
  });
}
