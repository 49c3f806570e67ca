// The days of a calendar, and which of its runs overlap.
import { toInstant, toLocalText } from '../../lib/zoned-time.ts';
import type { ComingRuns } from './schedule-queries.ts';

const DAY = 24 * 60 * 60 * 1000;
const MINUTE = 60_000;
const DAYS = 7;

export interface CalendarDay {
  /** `2026-03-01`, in the zone. */
  date: string;
  from: number;
  to: number;
}

/** Seven days from today in the zone, or from so many weeks later. */
export function daysOf(now: number, zone: string, weeks: number): CalendarDay[] {
  const today = Date.parse(`${toLocalText(now, zone).slice(0, 10)}T00:00Z`);
  const startOf = (index: number) => new Date(today + index * DAY).toISOString().slice(0, 10);
  const first = weeks * DAYS;
  return Array.from({ length: DAYS }, (_, index) => {
    const date = startOf(first + index);
    return {
      date,
      from: toInstant(`${date}T00:00`, zone) ?? now,
      to: toInstant(`${startOf(first + index + 1)}T00:00`, zone) ?? now,
    };
  });
}

export interface CalendarRun {
  scheduleId: string;
  at: number;
  /** Ids of schedules whose runs are expected to go on at the same time. */
  overlaps: string[];
}

/** Sorted by time. A run is expected to take as long as the last one of its schedule, and a minute at least. */
export function calendarRuns(items: readonly ComingRuns[]): CalendarRun[] {
  const all = items
    .filter(({ isFrequent }) => !isFrequent)
    .flatMap(({ id, times, lastDurationMs = 0 }) =>
      times.map((at) => ({
        scheduleId: id,
        at,
        until: at + Math.max(lastDurationMs, MINUTE),
        overlaps: new Set<string>(),
      })),
    )
    .toSorted((a, b) => a.at - b.at);
  let going: typeof all = [];
  for (const run of all) {
    going = going.filter(({ until }) => until > run.at);
    for (const other of going) {
      other.overlaps.add(run.scheduleId);
      run.overlaps.add(other.scheduleId);
    }
    going.push(run);
  }
  return all.map(({ scheduleId, at, overlaps }) => ({ scheduleId, at, overlaps: [...overlaps] }));
}
