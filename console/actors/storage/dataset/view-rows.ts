// The window of a long table: how high it is, how far it is scrolled, and which rows are in it.
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { measuresOf, ROW_HEIGHT, scrollTopOf, viewRows } from './row-window.ts';

const HEAD_HEIGHT = 36;

export function useViewRows(count: number, startRow: number) {
  const box = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const [height, setHeight] = useState(() => window.innerHeight * 0.6);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = () => setHeight(Math.max(ROW_HEIGHT, element.clientHeight - HEAD_HEIGHT));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const goTo = useCallback(
    (row: number) => {
      if (box.current !== null) box.current.scrollTop = scrollTopOf(row, { count, height });
    },
    [count, height],
  );
  // Once, when the page is opened at a row.
  const isPlaced = useRef(startRow === 0);
  useLayoutEffect(() => {
    if (isPlaced.current || box.current === null || count === 0) return;
    isPlaced.current = true;
    goTo(startRow);
  }, [count, goTo, startRow]);
  const rows = viewRows({ count, scrollTop, height });
  const { mostScroll, mostRow } = measuresOf({ count, height });
  const top = mostScroll === 0 ? 0 : Math.round((Math.min(scrollTop, mostScroll) / mostScroll) * mostRow);
  const fully = Math.max(1, Math.floor(height / ROW_HEIGHT));
  return {
    box,
    rows,
    /** The first and the last row that are wholly in view. */
    top,
    bottom: Math.min(count - 1, top + fully - 1),
    goTo,
    onScroll: (event: { currentTarget: HTMLDivElement }) => setScrollTop(event.currentTarget.scrollTop),
  };
}
