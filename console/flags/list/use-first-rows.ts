// The rows that fill the window are drawn first, the others of the first page bit by bit when the browser is idle.
import { useEffect, useState } from 'react';

const ROW_HEIGHT = 44;
/** What stands above the rows. */
const HEAD_HEIGHT = 240;
const STEP = 12;
/** Those of further pages were asked for, and are drawn at once. */
const MAX_GROWING = 50;
/** Where the browser does not say that it is idle. */
const LATEST_MS = 500;

export function useFirstRows<Row>(rows: Row[]): Row[] {
  const [count, setCount] = useState(() =>
    Math.max(STEP, Math.ceil((window.innerHeight - HEAD_HEIGHT) / ROW_HEIGHT)),
  );
  const isGrowing = count < Math.min(rows.length, MAX_GROWING);
  useEffect(() => {
    if (!isGrowing) return undefined;
    return whenIdle(() => setCount((present) => present + STEP));
  }, [isGrowing, count]);
  return isGrowing ? rows.slice(0, count) : rows;
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
