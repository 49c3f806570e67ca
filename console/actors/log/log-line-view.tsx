// One row of a log: number, time, level and text with its colours; or the mark of a gap.
import { Fragment, memo, useContext, type MouseEvent, type ReactNode } from 'react';
import { classNames } from '../../ui/class-names.ts';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { TextLink } from '../../ui/link.tsx';
import { TimeZoneContext } from '../../ui/time.tsx';
import { parseAnsi } from './ansi.ts';
import { hrefOfRange, pointAt } from '../../lib/line-range.ts';
import type { LineRange } from '../../lib/parse-range.ts';
import type { LogGap, OmittedLines } from './log-book.ts';
import { splitLevel, type LogLine } from './log-line.ts';
import { LOG_WORDS } from './log-words.ts';
import { splitPlaces, type HrefOfPlace } from './places.ts';

export interface LogLineViewProps {
  number: number;
  /** Undefined while it is read. */
  line: LogLine | undefined;
  /** How many lines there are, for screen readers. */
  total: number;
  /** What was searched for, in small letters. */
  query: string;
  isPointedAt: boolean;
  isCurrentHit: boolean;
  hasLevels: boolean;
  /** At the margin. */
  note?: string | undefined;
  hrefOfPlace?: HrefOfPlace | undefined;
}

export const LogLineView = memo(function LogLineView(props: LogLineViewProps) {
  const { number, line, total, query, isPointedAt, isCurrentHit, hasLevels } = props;
  const { note, hrefOfPlace } = props;
  const { at, level, text = '' } = line ?? {};
  const { word, rest } = splitLevel(text);
  const timeZone = useContext(TimeZoneContext);
  return (
    <li
      id={`L${number}`}
      aria-setsize={total}
      aria-posinset={number}
      className={classNames(
        level === 'WARN' && 'is-warn',
        level === 'ERROR' && 'is-err',
        isPointedAt && 'is-at',
        line === undefined && 'log__wait',
      )}
    >
      <a
        className="log__n"
        href={hrefOfRange({ from: number, to: number })}
        tabIndex={-1}
        aria-label={LOG_WORDS.line(formatCount(number))}
        onClick={(event) => onNumber(event, number)}
      >
        {number}
      </a>
      <time dateTime={at === undefined ? undefined : new Date(at).toISOString()}>
        {at === undefined ? '' : clockTime(at, timeZone)}
      </time>
      {hasLevels && (
        <b
          className={classNames(
            'lv',
            word !== undefined && level !== undefined && `lv-${level.toLowerCase()}`,
          )}
        >
          {word ?? ''}
        </b>
      )}
      <span className="log__x">
        {parseAnsi(rest).map((part, index) => (
          <span key={index} className={part.className}>
            {splitPlaces(part.text, hrefOfPlace).map(({ text: piece, href }, place) =>
              href === undefined ? (
                <Fragment key={place}>{markHits(piece, query, isCurrentHit)}</Fragment>
              ) : (
                <TextLink key={place} href={href}>
                  {markHits(piece, query, isCurrentHit)}
                </TextLink>
              ),
            )}
          </span>
        ))}
        {note !== undefined && <span className="log__s">{note}</span>}
      </span>
    </li>
  );
});

let lastPointed: number | undefined;

/** With Shift, all lines from the last one to this. */
function onNumber(event: MouseEvent, number: number): void {
  if (event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const from = event.shiftKey ? (lastPointed ?? number) : number;
  if (!event.shiftKey) lastPointed = number;
  const range: LineRange = { from: Math.min(from, number), to: Math.max(from, number) };
  pointAt(range);
}

function markHits(text: string, query: string, isCurrent: boolean): ReactNode {
  if (query === '') return text;
  const low = text.toLowerCase();
  // Some letters change their length with their case; then the places would not fit.
  if (low.length !== text.length || !low.includes(query)) return text;
  const parts: ReactNode[] = [];
  let done = 0;
  for (let at = low.indexOf(query); at !== -1; at = low.indexOf(query, done)) {
    parts.push(
      text.slice(done, at),
      <mark key={at} className={isCurrent ? 'is-cur' : undefined}>
        {text.slice(at, at + query.length)}
      </mark>,
    );
    done = at + query.length;
  }
  return [...parts, text.slice(done)];
}

// Making a format is slow.
const formats = new Map<string | undefined, Intl.DateTimeFormat>();

function clockTime(at: number, timeZone: string | undefined): string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      fractionalSecondDigits: 3,
      ...(timeZone !== undefined && { timeZone }),
    });
    formats.set(timeZone, format);
  }
  return format.format(at);
}

export function LogGapView({ gap: { at, isWhole } }: { gap: LogGap }) {
  const timeZone = useContext(TimeZoneContext);
  const time = clockTime(at, timeZone).slice(0, 8);
  return (
    <li className={classNames('log__gap', !isWhole && 'log__gap--broken')}>
      {isWhole ? LOG_WORDS.wholeGap(time) : LOG_WORDS.brokenGap(time)}
    </li>
  );
}

export function OmittedView({ omitted: { first, last, bytes } }: { omitted: OmittedLines }) {
  return (
    <li className="log__gap log__gap--broken">
      {last < first
        ? LOG_WORDS.omittedBytes(formatBytes(bytes))
        : LOG_WORDS.omitted(formatCount(last - first + 1))}
    </li>
  );
}
