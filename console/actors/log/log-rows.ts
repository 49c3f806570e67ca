// The rows of a log: lines and the marks between them, and where each is in the scrolled region.
import type { LogBook, LogGap } from './log-book.ts';
import { plainText } from './log-line.ts';

export const ROW_HEIGHT = 20;

export type LogRow = { kind: 'line'; number: number } | { kind: 'gap'; gap: LogGap };

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
  { first, last }: { first: number; last: number },
  shown: readonly number[] | undefined,
  columns: number | undefined,
): LogRows {
  const rows = shown === undefined ? allRows(book, first, last) : filteredRows(shown);
  return columns === undefined
    ? { ...rows, ...evenHeights() }
    : { ...rows, ...wrappedHeights(book, rows, columns) };
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

function allRows(book: LogBook, first: number, last: number): RowOrder {
  const gaps = book.gaps.filter(({ after }) => after >= first);
  // A mark stands below the line that it names.
  const places = gaps.map(({ after }, index) => after - first + 1 + index);
  const marksBefore = (index: number) => places.filter((place) => place < index).length;
  return {
    count: Math.max(0, last - first + 1) + gaps.length,
    rowAt: (index) => {
      const gap = gaps[places.indexOf(index)];
      if (gap !== undefined) return { kind: 'gap', gap };
      const number = first + index - marksBefore(index);
      return number > last ? undefined : { kind: 'line', number };
    },
    indexOf: (number) => Math.max(0, number - first) + gaps.filter(({ after }) => after < number).length,
  };
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
    const length = row?.kind === 'line' ? plainText(book.line(row.number) ?? '').length : 0;
    tops[index + 1] = tops[index]! + Math.max(1, Math.ceil(length / columns)) * ROW_HEIGHT;
  }
  return {
    topOf: (index) => tops[Math.min(index, count)]!,
    indexAtTop: (top) =>
      Math.max(
        0,
        firstIndex(count, (index) => tops[index + 1]! > top),
      ),
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
