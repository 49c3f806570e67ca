// Numbers, sizes, spans of time and dates, as they are written everywhere in the console. Digits are grouped as
// the browser's language does it; dates are written in the language of the console.
import { words } from './words.ts';

const grouped = new Intl.NumberFormat();
const oneDecimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const twoDecimals = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

const kibi = 1024;
const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
/** Up to here times are relative, beyond it absolute. */
const relativeSpan = 7 * day;

/** `1,284`; with `isShort` `1.84 M`, with `isEstimate` `≈ 1,284`. */
export function formatCount(count: number, { isShort = false, isEstimate = false } = {}): string {
  const text = isShort ? short(count) : grouped.format(count);
  return isEstimate ? `≈ ${text}` : text;
}

function short(count: number): string {
  const size = Math.abs(count);
  if (size >= 1e9) return `${twoDecimals.format(count / 1e9)} G`;
  if (size >= 1e6) return `${twoDecimals.format(count / 1e6)} M`;
  return size >= 1e4 ? `${oneDecimal.format(count / 1e3)} k` : grouped.format(count);
}

/** In binary units: `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (Math.abs(size) >= kibi && unit < byteUnits.length - 1) {
    size /= kibi;
    unit += 1;
  }
  return `${oneDecimal.format(size)} ${byteUnits[unit]}`;
}

/** The two largest parts of a span: `1 m 04 s`, `3 h 12 m`, `850 ms`. */
export function formatDuration(milliseconds: number): string {
  const span = Math.max(0, milliseconds);
  if (span < second) return `${Math.round(span)} ms`;
  if (span < 10 * second) return `${oneDecimal.format(span / second)} s`;
  const seconds = Math.round(span / second);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${pad(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} m`;
  const hours = Math.round(minutes / 60);
  return `${grouped.format(Math.floor(hours / 24))} d ${pad(hours % 24)} h`;
}

function pad(count: number): string {
  return String(count).padStart(2, '0');
}

/** `4 m ago`, `in 6 d`; undefined where the time is too far from now to be said so. */
export function formatRelative(at: number, now: number): string | undefined {
  const span = Math.abs(now - at);
  if (span > relativeSpan) return undefined;
  if (span < 5 * second) return words.justNow;
  // What is a moment less than six days ahead is still "in 6 d".
  return at <= now ? words.ago(largestPart(span)) : words.ahead(largestPart(span * 1.01));
}

function largestPart(span: number): string {
  if (span < minute) return `${Math.floor(span / second)} s`;
  if (span < hour) return `${Math.floor(span / minute)} m`;
  return span < day ? `${Math.floor(span / hour)} h` : `${Math.floor(span / day)} d`;
}

/** `2 Mar, 14:02`; the year only where it is another than this one. */
export function formatAbsolute(at: number, now: number, timeZone: string | undefined): string {
  const year = formatDate(at, { year: 'numeric' }, timeZone);
  const isThisYear = year === formatDate(now, { year: 'numeric' }, timeZone);
  const date = formatDate(at, { day: 'numeric', month: 'short' }, timeZone);
  const time = formatDate(at, { hour: '2-digit', minute: '2-digit' }, timeZone);
  return isThisYear ? `${date}, ${time}` : `${date} ${year}, ${time}`;
}

/** The exact time in the chosen zone and in UTC, one line each. */
export function formatExact(at: number, timeZone: string | undefined): string {
  const here = formatDate(
    at,
    {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'short',
    },
    timeZone,
  );
  return `${here}\n${new Date(at).toISOString().replace('T', ' ').replace('Z', ' UTC')}`;
}

// Making a format is slow, and a table has hundreds of times.
const formats = new Map<string, Intl.DateTimeFormat>();

function formatDate(at: number, options: Intl.DateTimeFormatOptions, timeZone: string | undefined): string {
  const key = `${timeZone} ${Object.keys(options).join()}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', timeZone === undefined ? options : { ...options, timeZone });
    formats.set(key, format);
  }
  return format.format(at);
}
