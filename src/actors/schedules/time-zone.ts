// Time zones: what the wall clock shows at a moment, and at which moments it shows a time.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import { problem } from '../../kernel/schema/schema.ts';

/** Times of the wall clock are written as if they were in UTC. */
export interface WallTime {
  /** One moment, or two where clocks are set back; none where they are set forward. */
  moments: number[];
  /** Where there is none or two: the moment when the clocks are set. */
  changeAt?: number;
}

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
/** Offsets go from -12 to +14 hours; a day more, because a zone can move across the date line. */
const EAST_MS = 15 * HOUR_MS;
const WEST_MS = 13 * HOUR_MS;

/** A formatter takes tens of kilobytes, and there are some 600 zones. */
const formatters = new BoundedCache<string, Intl.DateTimeFormat>({ max: 50 });

/** Throws unless it is the name of a zone in the IANA database. */
export function checkTimeZone(zone: string): void {
  if (/^[A-Za-z][\w+/-]{0,63}$/.test(zone)) {
    try {
      formatterOf(zone);
      return;
    } catch {
      // The zone is unknown.
    }
  }
  const shown = zone.length > 64 ? `${zone.slice(0, 64)}…` : zone;
  throw problem(
    'timezone',
    `"${shown}" is no time zone: use a name of the IANA database, such as Europe/Prague or UTC`,
  );
}

export function wallTimeAt(zone: string, moment: number): number {
  return moment + offsetAt(zone, moment);
}

export function momentsOf(zone: string, wall: number): WallTime {
  const [from, to] = [wall - EAST_MS, wall + WEST_MS];
  const before = offsetAt(zone, from);
  const after = offsetAt(zone, to);
  if (before === after) return { moments: [wall - before] };
  const moments = [wall - before, wall - after].filter((moment) => wallTimeAt(zone, moment) === wall);
  return moments.length === 1 ? { moments } : { moments, changeAt: findChange(zone, from, to) };
}

/** The first moment of the new offset. */
function findChange(zone: string, from: number, to: number): number {
  const before = offsetAt(zone, from);
  let [last, first] = [from, to];
  while (first - last > SECOND_MS) {
    const middle = Math.floor((last + first) / 2 / SECOND_MS) * SECOND_MS;
    if (offsetAt(zone, middle) === before) last = middle;
    else first = middle;
  }
  return first;
}

function offsetAt(zone: string, moment: number): number {
  if (zone === 'UTC') return 0;
  // "11/16/2026, 07:05:09"
  const [month, day, year, hour, minute, second] = formatterOf(zone)
    .format(moment)
    .match(/\d+/g)!
    .map(Number);
  const wall = Date.UTC(year!, month! - 1, day, hour, minute, second);
  return wall - Math.floor(moment / SECOND_MS) * SECOND_MS;
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const key = zone.toLowerCase();
  let formatter = formatters.get(key);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formatters.set(key, formatter);
  }
  return formatter;
}
