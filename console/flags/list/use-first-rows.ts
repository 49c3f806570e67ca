// The rows that fill the window are drawn first, the others bit by bit when the browser has nothing better to do.
import { useEffect, useState } from 'react';

const ROW_HEIGHT = 44;
/** What stands above the rows. */
const HEAD_HEIGHT = 240;
const STEP = 8;
/** Where the browser does not say that it is idle. */
const LATEST_MS = 1000;

export function useFirstRows<Row>(rows: Row[]): Row[] {
  const [count, setCount] = useState(() =>
    Math.max(STEP, Math.ceil((window.innerHeight - HEAD_HEIGHT) / ROW_HEIGHT)),
  );
  const hasMore = rows.length > count;
  useEffect(() => {
    if (!hasMore) return undefined;
    return whenIdle(() => setCount((present) => present + STEP));
  }, [hasMore, count]);
  return hasMore ? rows.slice(0, count) : rows;
}

/** Gives what calls it off. */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(work, LATEST_MS / 4);
    return () => clearTimeout(timer);
  }
  const id = requestIdleCallback(work, { timeout: LATEST_MS });
  return () => cancelIdleCallback(id);
}
