// The rows of a log: lines and the marks between them, and where each is in the scrolled region.
import type { LogBook, LogGap, OmittedLines } from './log-book.ts';
import { plainText } from './log-line.ts';

const ROW_HEIGHT = 20;

export type LogRow =
  | { kind: 'line'; number: number }
  | { kind: 'gap'; gap: LogGap }
  | { kind: 'omitted'; omitted: OmittedLines };

export interface LogRows {
  count: number;
  rowAt: (index: number) => LogRow | undefined;
  /** The row of a line, or of the next one that is shown. */
  indexOf: (number: number) => number;
  topOf: (index: number) => number;
  indexAtTop: (top: number) => number;
}

/** `shown` are the lines that a filter leaves; `columns` how many characters a row has where long lines are wrapped. */
export function layOutRows(
  book: LogBook,
  shown: readonly number[] | undefined,
  columns: number | undefined,
): LogRows {
  const rows = shown === undefined ? allRows(book) : filteredRows(shown);
  const heights = columns === undefined ? evenHeights() : wrappedHeights(book, rows, columns);
  return { ...rows, ...heights };
}

type RowOrder = Pick<LogRows, 'count' | 'rowAt' | 'indexOf'>;

function filteredRows(shown: readonly number[]): RowOrder {
  return {
    count: shown.length,
    rowAt: (index) => {
      const number = shown[index];
      return number === undefined ? undefined : { kind: 'line', number };
    },
    indexOf: (number) => firstIndex(shown.length, (index) => shown[index]! >= number),
  };
}

/** Lines that follow each other, and a mark behind them. */
interface Stretch {
  /** The index of its first row. */
  start: number;
  from: number;
  to: number;
  mark?: LogRow;
}

function allRows(book: LogBook): RowOrder {
  const stretches = stretchesOf(book);
  const { start, from, to } = stretches.at(-1)!;
  return {
    count: start + to - from + 1,
    rowAt: (index) => {
      const stretch = stretches.findLast((one) => one.start <= index)!;
      const number = stretch.from + index - stretch.start;
      return number > stretch.to ? stretch.mark : { kind: 'line', number };
    },
    indexOf: (number) => {
      const stretch = stretches.find((one) => one.to >= number) ?? stretches.at(-1)!;
      return stretch.start + Math.max(0, number - stretch.from);
    },
  };
}

function stretchesOf({ gaps, omitted, last }: LogBook): Stretch[] {
  const marks: { after: number; next: number; mark: LogRow }[] = gaps.map((gap) => ({
    after: gap.after,
    next: gap.after + 1,
    mark: { kind: 'gap', gap },
  }));
  if (omitted !== undefined)
    marks.push({
      after: omitted.first - 1,
      next: Math.max(omitted.first, omitted.last + 1),
      mark: { kind: 'omitted', omitted },
    });
  const stretches: Stretch[] = [];
  let start = 0;
  let from = 1;
  for (const { after, next, mark } of marks.toSorted((one, other) => one.after - other.after)) {
    // A mark within what was left out stands behind it.
    const to = Math.max(after, from - 1);
    stretches.push({ start, from, to, mark });
    start += to - from + 2;
    from = Math.max(next, from);
  }
  return [...stretches, { start, from, to: Math.max(last, from - 1) }];
}

function evenHeights(): Pick<LogRows, 'topOf' | 'indexAtTop'> {
  return {
    topOf: (index) => index * ROW_HEIGHT,
    indexAtTop: (top) => Math.floor(Math.max(0, top) / ROW_HEIGHT),
  };
}

/** All characters are equally wide, so the rows of a line can be counted without drawing it. */
function wrappedHeights(
  book: LogBook,
  { count, rowAt }: RowOrder,
  columns: number,
): Pick<LogRows, 'topOf' | 'indexAtTop'> {
  const tops = new Float64Array(count + 1);
  for (let index = 0; index < count; index += 1) {
    const row = rowAt(index);
    const line = row?.kind === 'line' ? book.line(row.number) : undefined;
    const length = line === undefined ? 0 : plainText(line).length;
    tops[index + 1] = tops[index]! + Math.max(1, Math.ceil(length / columns)) * ROW_HEIGHT;
  }
  return {
    topOf: (index) => tops[Math.min(index, count)]!,
    indexAtTop: (top) => firstIndex(count, (index) => tops[index + 1]! > top),
  };
}

/** Binary search: the first index for which the test holds; `count` where it holds for none. */
function firstIndex(count: number, test: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
