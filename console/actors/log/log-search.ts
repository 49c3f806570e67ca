// Lines that fit a search or a level. What comes later is looked at when it comes, and never too much at once.
import { useEffect, useRef, useState } from 'react';
import type { LogBook } from './log-book.ts';
import { LEVELS, plainText, type LogLevel } from './log-line.ts';
import type { LogSnapshot } from './log-reader.ts';

/** So many lines take a few milliseconds. */
const SLICE = 10_000;

export interface LogMatches {
  /** In order. */
  numbers: readonly number[];
  /** Whether all lines were looked at. */
  isDone: boolean;
}

type Test = (book: LogBook, number: number) => boolean;

export function textTest(query: string): Test | undefined {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return undefined;
  return (book, number) =>
    plainText(book.line(number) ?? '')
      .toLowerCase()
      .includes(wanted);
}

/** Lines of this level and graver ones. */
export function levelTest(least: LogLevel | undefined): Test | undefined {
  if (least === undefined) return undefined;
  const from = LEVELS.indexOf(least);
  return (book, number) => LEVELS.indexOf(book.level(number)) >= from;
}

interface Scan {
  key: string;
  /** The next line to look at. */
  next: number;
  numbers: number[];
}

/** Undefined where nothing is searched. `key` names the test. */
export function useMatches(
  book: LogBook,
  { first, last }: LogSnapshot,
  key: string,
  test: Test | undefined,
): LogMatches | undefined {
  const scan = useRef<Scan>({ key: '', next: 1, numbers: [] });
  const tester = useRef(test);
  const [matches, setMatches] = useState<LogMatches & { key: string }>();
  useEffect(() => {
    tester.current = test;
  });
  const isOn = test !== undefined;
  useEffect(() => {
    if (!isOn) return undefined;
    if (scan.current.key !== key) scan.current = { key, next: first, numbers: [] };
    const own = scan.current;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const step = () => {
      own.next = Math.max(own.next, first);
      const end = Math.min(own.next + SLICE, last + 1);
      for (; own.next < end; own.next += 1) {
        if (tester.current?.(book, own.next) === true) own.numbers.push(own.next);
      }
      const isDone = own.next > last;
      setMatches({ key, isDone, numbers: own.numbers.filter((number) => number >= first) });
      if (!isDone) timer = setTimeout(step);
    };
    step();
    return () => clearTimeout(timer);
  }, [book, key, isOn, first, last]);
  if (!isOn) return undefined;
  return matches?.key === key ? matches : { numbers: [], isDone: false };
}
