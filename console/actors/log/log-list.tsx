// The lines of a log in a region that scrolls: only those near its window are drawn. It stays at the end while it follows.
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { announce } from '../../ui/announce.ts';
import { classNames } from '../../ui/class-names.ts';
import { formatCount } from '../../ui/format.ts';
import type { LineRange } from '../../lib/parse-range.ts';
import { LogGapView, LogLineView, OmittedView } from './log-line-view.tsx';
import type { HrefOfPlace } from './places.ts';
import type { LogReader, LogSnapshot } from './log-reader.ts';
import { layOutRows, type LogRows } from './log-rows.ts';
import { LOG_WORDS } from './log-words.ts';

/** Rows beyond the edges, so that scrolling shows no gap. */
const OVERSCAN = 20;
/** So near to the end it counts as there. */
const NEAR_END = 8;
/** More often would not be listened to. */
const ANNOUNCE_MS = 5000;

export interface LogListProps {
  reader: LogReader;
  snapshot: LogSnapshot;
  /** The lines that a filter leaves; undefined for all. */
  shown: readonly number[] | undefined;
  isWrapped: boolean;
  isFollowing: boolean;
  onFollowing: (isFollowing: boolean) => void;
  query: string;
  /** The line of the hit that one is at. */
  hit: number | undefined;
  range: LineRange | undefined;
  notes?: ReadonlyMap<number, string> | undefined;
  hrefOfPlace?: HrefOfPlace | undefined;
}

export function LogList(props: LogListProps) {
  const { reader, snapshot, shown, isWrapped, isFollowing, onFollowing, query, hit, range } = props;
  const { notes, hrefOfPlace } = props;
  const { book } = reader;
  const { last, version } = snapshot;
  const box = useRef<HTMLOListElement>(null);
  const { height, columns } = useBoxSize(box, book.hasLevels);
  const [top, setTop] = useState(0);
  const lastTop = useRef(0);
  const rows = useMemo(
    () => layOutRows(book, shown, isWrapped ? columns : undefined),
    // The book is always the same; its version says that it has changed.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [book, version, shown, isWrapped, columns],
  );
  const moveTo = (next: number) => {
    const element = box.current;
    if (element === null) return;
    element.scrollTop = next;
    lastTop.current = element.scrollTop;
    setTop(element.scrollTop);
  };
  useLayoutEffect(() => {
    if (isFollowing && box.current !== null) moveTo(box.current.scrollHeight);
  }, [rows, isFollowing, height]);
  useJump({ line: hit ?? range?.from, rows, last, height, box, moveTo, onFollowing });
  useAnnouncement(last, box);
  const onScroll = () => {
    const element = box.current;
    if (element === null) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_END;
    if (scrollTop < lastTop.current && !isAtEnd) onFollowing(false);
    else if (isAtEnd && scrollTop > lastTop.current) onFollowing(true);
    lastTop.current = scrollTop;
    setTop(scrollTop);
  };
  const begin = Math.max(0, Math.min(rows.indexAtTop(top), rows.count - 1) - OVERSCAN);
  const end = Math.min(rows.count, rows.indexAtTop(top + height) + 1 + OVERSCAN);
  useWanted({ reader, rows, begin, end, version });
  return (
    <ol
      ref={box}
      className={classNames('log__l', isWrapped && 'log__l--wrap', !book.hasLevels && 'log__l--plain')}
      // What scrolls must be reachable by the keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-label={LOG_WORDS.lines}
      onScroll={onScroll}
    >
      <Space height={rows.topOf(begin)} />
      {Array.from({ length: Math.max(0, end - begin) }, (_, offset) => {
        const row = rows.rowAt(begin + offset);
        if (row === undefined) return null;
        if (row.kind === 'gap') return <LogGapView key={`gap ${row.gap.after}`} gap={row.gap} />;
        if (row.kind === 'omitted') return <OmittedView key="omitted" omitted={row.omitted} />;
        const { number } = row;
        return (
          <LogLineView
            key={number}
            number={number}
            line={book.line(number)}
            total={last}
            query={query}
            isPointedAt={range !== undefined && number >= range.from && number <= range.to}
            isCurrentHit={number === hit}
            hasLevels={book.hasLevels}
            note={notes?.get(number)}
            hrefOfPlace={hrefOfPlace}
          />
        );
      })}
      <Space height={rows.topOf(rows.count) - rows.topOf(end)} />
    </ol>
  );
}

function Space({ height }: { height: number }) {
  if (height <= 0) return null;
  return <li className="log__space" aria-hidden="true" style={{ height: `${height}px` }} />;
}

interface WantedRows {
  reader: LogReader;
  rows: LogRows;
  begin: number;
  end: number;
  version: number;
}

/** Lines that are looked at are read where they are not there. */
function useWanted({ reader, rows, begin, end, version }: WantedRows): void {
  useEffect(() => {
    const first = firstLine(rows, begin, end, 1);
    const last = firstLine(rows, end - 1, begin - 1, -1);
    if (first !== undefined && last !== undefined) reader.want(first, last);
  }, [reader, rows, begin, end, version]);
}

function firstLine(rows: LogRows, from: number, to: number, step: 1 | -1): number | undefined {
  for (let index = from; index !== to; index += step) {
    const row = rows.rowAt(index);
    if (row?.kind === 'line') return row.number;
  }
  return undefined;
}

interface Jump {
  line: number | undefined;
  rows: LogRows;
  last: number;
  height: number;
  box: RefObject<HTMLOListElement | null>;
  moveTo: (top: number) => void;
  onFollowing: (isFollowing: boolean) => void;
}

/** Scrolls to a line once it is there, unless it is seen already. */
function useJump({ line, rows, last, height, box, moveTo, onFollowing }: Jump): void {
  const isThere = line !== undefined && line <= last && height > 0;
  useLayoutEffect(() => {
    const element = box.current;
    if (!isThere || line === undefined || element === null) return;
    const lineTop = rows.topOf(rows.indexOf(line));
    const isSeen = lineTop >= element.scrollTop && lineTop < element.scrollTop + element.clientHeight - 24;
    onFollowing(false);
    if (!isSeen) moveTo(lineTop - height / 2);
    // Only another line is a reason to move; lines that come are not.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [line, isThere]);
}

/** While the lines have the focus, how many came is read aloud. */
function useAnnouncement(last: number, box: RefObject<HTMLElement | null>): void {
  const said = useRef({ last, at: 0 });
  useEffect(() => {
    const isRead = document.activeElement === box.current;
    const now = Date.now();
    if (!isRead) said.current.last = last;
    else if (last > said.current.last && now - said.current.at > ANNOUNCE_MS) {
      announce(LOG_WORDS.newLines(formatCount(last - said.current.last)));
      said.current = { last, at: now };
    }
  }, [last, box]);
}

/** How high the region is, and how many characters fit into a row of text. */
function useBoxSize(box: RefObject<HTMLElement | null>, hasLevels: boolean) {
  const [size, setSize] = useState({ height: 0, columns: 80 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = () => {
      const text = element.querySelector('.log__x');
      const width = text?.clientWidth || text?.getBoundingClientRect().width || element.clientWidth - 240;
      const columns = Math.max(20, Math.floor(width / characterWidth(element)));
      setSize((present) =>
        present.height === element.clientHeight && present.columns === columns
          ? present
          : { height: element.clientHeight, columns },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, hasLevels]);
  return size;
}

function characterWidth(element: HTMLElement): number {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return 7.2;
  context.font = getComputedStyle(element).font;
  return context.measureText('0').width || 7.2;
}
