// The rows of a long table: those near the window, between two gaps as high as all the others.
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useState, type RefObject } from 'react';
import { TableRow } from './table-row.tsx';
import type { TableProps } from './table-types.ts';

/** A row with two lines; each row is measured when it is drawn. */
const estimatedHeight = 44;
/** Rows beyond the edges of the window, so that scrolling shows no gap. */
const overscan = 12;

export interface VirtualRowsProps {
  table: TableProps<unknown>;
  onSelect: (index: number, isSelected: boolean, hasShift: boolean) => void;
  element: RefObject<HTMLTableElement | null>;
  scrollTo: RefObject<((index: number) => void) | undefined>;
}

export default function VirtualRows({ table, onSelect, element, scrollTo }: VirtualRowsProps) {
  const { rows, rowKey, selection } = table;
  const scrollMargin = useTopOf(element);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => estimatedHeight,
    overscan,
    scrollMargin,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : rowKey(row);
    },
  });
  useEffect(() => {
    scrollTo.current = (index) => virtual.scrollToIndex(index, { align: 'center' });
    return () => {
      scrollTo.current = undefined;
    };
  }, [scrollTo, virtual]);

  const items = virtual.getVirtualItems();
  const before = (items[0]?.start ?? scrollMargin) - scrollMargin;
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? scrollMargin) - scrollMargin);
  return (
    <tbody role="rowgroup">
      <Gap height={before} />
      {items.map(({ index, key }) => {
        const row = rows[index];
        return row === undefined ? null : (
          <TableRow
            key={key}
            table={table}
            row={row}
            index={index}
            isSelected={selection?.selected.has(rowKey(row)) ?? false}
            onSelect={onSelect}
            measure={virtual.measureElement}
          />
        );
      })}
      <Gap height={after} />
    </tbody>
  );
}

function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr className="tb__gap" aria-hidden="true">
      <td style={{ height: `${height}px` }} />
    </tr>
  );
}

/** Where the body of the table begins on the page. */
function useTopOf(element: RefObject<HTMLTableElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      const body = element.current?.tBodies[0];
      if (body !== undefined) setTop(Math.round(body.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    // What stands above may grow or go.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return top;
}
