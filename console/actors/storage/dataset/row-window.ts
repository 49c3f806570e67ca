// Which rows of a long table are in its window. Browsers draw nothing higher than about 17 million pixels, so the bar of a longer
// table stands for more rows than it is high: what it points at is then found by proportion.

export const ROW_HEIGHT = 32;
const MOST_HEIGHT = 15_000_000;
/** Rows beyond the edges, so that scrolling shows no gap. */
const OVERSCAN = 8;

export interface ViewRows {
  first: number;
  last: number;
  /** The heights of what is not drawn. */
  before: number;
  after: number;
}

interface Position {
  count: number;
  scrollTop: number;
  /** Of the rows in the window. */
  height: number;
}

interface Measures {
  /** Of all rows, as they are drawn. */
  whole: number;
  mostScroll: number;
  /** The first row in view at the end. */
  mostRow: number;
}

export function measuresOf({ count, height }: Omit<Position, 'scrollTop'>): Measures {
  const whole = Math.min(count * ROW_HEIGHT, MOST_HEIGHT);
  return {
    whole,
    mostScroll: Math.max(0, whole - height),
    mostRow: Math.max(0, count - height / ROW_HEIGHT),
  };
}

export function viewRows(position: Position): ViewRows {
  const { count, height } = position;
  const { whole, mostScroll, mostRow } = measuresOf(position);
  const scrollTop = Math.min(position.scrollTop, mostScroll);
  const exact = mostScroll === 0 ? 0 : (scrollTop / mostScroll) * mostRow;
  // No more rows above than there is room for.
  const first = Math.max(0, Math.floor(exact) - OVERSCAN, Math.ceil(exact - scrollTop / ROW_HEIGHT));
  const before = Math.max(0, scrollTop - (exact - first) * ROW_HEIGHT);
  const last = Math.min(
    count - 1,
    Math.ceil(exact + height / ROW_HEIGHT) + OVERSCAN,
    first + Math.ceil((whole - before) / ROW_HEIGHT) - 1,
  );
  return { first, last, before, after: Math.max(0, whole - before - (last - first + 1) * ROW_HEIGHT) };
}

/** Where the bar must stand so that this row is the first in view. */
export function scrollTopOf(row: number, position: Omit<Position, 'scrollTop'>): number {
  const { mostScroll, mostRow } = measuresOf(position);
  return mostRow === 0 ? 0 : (Math.min(row, mostRow) / mostRow) * mostScroll;
}
