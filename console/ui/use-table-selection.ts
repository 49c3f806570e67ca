// Which rows are selected: one, all that are there, or with Shift all from the last one to this.
import { useCallback, useEffect, useRef } from 'react';
import type { TableProps } from './table-types.ts';

export interface TableSelecting {
  select: (index: number, isSelected: boolean, hasShift: boolean) => void;
  toggleAll: (isSelected: boolean) => void;
}

export function useTableSelection<Row>(table: TableProps<Row>): TableSelecting {
  // Rows are drawn again only when their data changed, so their functions read what holds now.
  const current = useRef(table);
  useEffect(() => {
    current.current = table;
  });
  const last = useRef<number>(undefined);
  const select = useCallback((index: number, isSelected: boolean, hasShift: boolean) => {
    const { rows, rowKey, selection } = current.current;
    if (selection === undefined) return;
    const from = hasShift ? (last.current ?? index) : index;
    last.current = index;
    const range = rows.slice(Math.min(from, index), Math.max(from, index) + 1);
    selection.onChange(changed(selection.selected, range.map(rowKey), isSelected));
  }, []);
  const toggleAll = useCallback((isSelected: boolean) => {
    const { selection } = current.current;
    selection?.onChange(changed(selection.selected, allKeys(current.current), isSelected));
  }, []);
  return { select, toggleAll };
}

export function allKeys<Row>({ rows, rowKey, selection }: TableProps<Row>): readonly string[] {
  return selection?.keys ?? rows.map(rowKey);
}

function changed(selected: ReadonlySet<string>, keys: readonly string[], isSelected: boolean): Set<string> {
  const next = new Set(selected);
  for (const key of keys) {
    if (isSelected) next.add(key);
    else next.delete(key);
  }
  return next;
}
