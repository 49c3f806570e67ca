// Remembers the list that a page was opened from: `[` and `]` go to its previous and its next item.
import { useEffect, useRef, type RefObject } from 'react';
import { rememberList } from './list-neighbours.ts';

/** Remembers the rows of a table whose link is followed. */
export function useListWalk<Row>(
  table: RefObject<HTMLTableElement | null>,
  { rows, rowHref }: { rows: readonly Row[]; rowHref?: ((row: Row) => string) | undefined },
): void {
  const list = useRef({ rows, rowHref });
  useEffect(() => {
    list.current = { rows, rowHref };
  });
  const isShown = rows.length > 0;
  useEffect(() => {
    const { current: element } = table;
    if (element === null) return undefined;
    const onClick = ({ target }: MouseEvent) => {
      const { rows: present, rowHref: hrefOf } = list.current;
      if (hrefOf === undefined || !(target instanceof Element) || target.closest('.tb__link') === null)
        return;
      rememberList(present.map(hrefOf));
    };
    element.addEventListener('click', onClick, { capture: true });
    return () => element.removeEventListener('click', onClick, { capture: true });
  }, [table, isShown]);
}
