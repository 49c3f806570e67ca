// Cron expressions: checks those that callers send, and finds when a schedule fires next, with the rules for hours that are skipped or doubled when clocks are changed.
import { Cron } from 'croner';
import { Failure } from '../../kernel/failure.ts';
import { momentsOf, wallTimeAt } from './time-zone.ts';

const SECOND_MS = 1000;

/**
 * The first moment after `after`. A schedule that names hours fires once for a time that clocks skip, right after it, and
 * once for a time that they show twice, at the first. One for every hour fires in every hour that passes: nothing is
 * skipped there, and a doubled hour is two hours.
 */
export function nextFiring(expression: string, zone: string, after: number): number | undefined {
  const pattern = parseCron(expression);
  const start = Math.floor(after / SECOND_MS) * SECOND_MS;
  const wall = wallTimeAt(zone, start);
  const now = momentsOf(zone, wall);
  const isSecondPass = now.moments.length === 2 && start >= now.changeAt!;
  if (!pattern.isEveryHour) {
    // Times of the second pass have fired in the first.
    const from = isSecondPass ? lastWallBefore(zone, now.changeAt!) : wall;
    const next = nextWallTime(pattern, from);
    return next === undefined ? undefined : onceAt(zone, next);
  }
  const next = nextWallTime(pattern, wall);
  if (next === undefined) return undefined;
  const found = momentsOf(zone, next);
  if (isSecondPass) return found.moments.at(-1)!;
  if (now.moments.length === 2 && found.moments.length === 1) {
    // The rest of the first pass has no more; the second pass may have some.
    const begin = wallTimeAt(zone, now.changeAt!) - SECOND_MS;
    return momentsOf(zone, nextWallTime(pattern, begin)!).moments.at(-1)!;
  }
  if (found.moments.length > 0) return found.moments[0];
  const afterGap = nextWallTime(pattern, wallTimeAt(zone, found.changeAt!) - SECOND_MS);
  return afterGap === undefined ? undefined : momentsOf(zone, afterGap).moments[0];
}

function onceAt(zone: string, wall: number): number {
  const { moments, changeAt } = momentsOf(zone, wall);
  return moments[0] ?? changeAt!;
}

/** What the clocks show in the last second before they are set. */
function lastWallBefore(zone: string, changeAt: number): number {
  return wallTimeAt(zone, changeAt - SECOND_MS);
}

interface CronPattern {
  /** Second, minute, hour, day of the month, month, day of the week. */
  fields: readonly string[];
  /** It names no hours: it fires in each, also when clocks are changed. */
  isEveryHour: boolean;
}

const SHORTCUTS = new Map(
  Object.entries({
    '@yearly': '0 0 1 1 *',
    '@annually': '0 0 1 1 *',
    '@monthly': '0 0 1 * *',
    '@weekly': '0 0 * * 0',
    '@daily': '0 0 * * *',
    '@midnight': '0 0 * * *',
    '@hourly': '0 * * * *',
  }),
);

export const MAX_CRON_LENGTH = 200;
const MIN_INTERVAL_MS = 10_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/**
 * How far the search goes: a leap day is at most eight years away. Without the limit some expressions that never fire hold
 * the event loop for most of a second, because the search goes through thousands of years.
 */
const SEARCHED_YEARS = 8;

/** Throws unless the expression is valid, fires in the next years, and never more often than every ten seconds. */
export function checkCron(text: string, now: number): void {
  const pattern = parseCron(text);
  const first = nextWallTime(pattern, now);
  if (first === undefined) throw invalid(text, `fires in none of the next ${SEARCHED_YEARS} years`);
  if (isTooFrequent(pattern, first)) throw invalid(text, 'fires more often than every 10 seconds');
}

/** Second, minute, hour, day of the month, month, day of the week. */
export function fieldsOfCron(text: string): readonly string[] {
  return parseCron(text).fields;
}

/** Five fields, six with seconds in front, or a shortcut such as `@daily`. */
function parseCron(text: string): CronPattern {
  if (text.length > MAX_CRON_LENGTH) {
    throw invalid(`${text.slice(0, 40)}…`, `has more than ${MAX_CRON_LENGTH} characters`);
  }
  const shortcut = SHORTCUTS.get(text.trim().toLowerCase());
  if (shortcut === undefined && text.trim().startsWith('@')) {
    throw invalid(text, `must be one of ${[...SHORTCUTS.keys()].join(', ')}, or have five or six fields`);
  }
  const fields = (shortcut ?? text).trim().split(/[ \t]+/);
  if (fields.length === 5) fields.unshift('0');
  if (fields.length !== 6 || !fields.every((field) => /^[\dA-Za-z*?,/#+-]+$/.test(field))) {
    throw invalid(
      text,
      'must have five fields (minute, hour, day of the month, month, day of the week), or six with seconds in front',
    );
  }
  if (!isReadable(fields)) throw invalid(text, describeWrong(fields));
  return { fields, isEveryHour: /^(?:[*?]|\*\/1|0-23)$/.test(fields[2]!) };
}

const FIELDS = ['second', 'minute', 'hour', 'day of the month', 'month', 'day of the week'];

function isReadable(fields: readonly string[]): boolean {
  try {
    searchOf(fields, 0);
    return true;
  } catch {
    return false;
  }
}

/** Names the first field that is wrong by itself: the library counts days and months from zero in its messages. */
function describeWrong(fields: readonly string[]): string {
  const wrong = fields.findIndex(
    (field, index) => !isReadable(FIELDS.map((_, other) => (other === index ? field : '*'))),
  );
  return wrong === -1 ? 'is not valid' : `has no valid ${FIELDS[wrong]}: "${fields[wrong]}"`;
}

/** Times of the wall clock are written as if they were in UTC. */
function nextWallTime({ fields }: CronPattern, after: number): number | undefined {
  return searchOf(fields, after).nextRun(new Date(after))?.getTime();
}

/** Without a time zone: the search knows nothing of clock changes. */
function searchOf(fields: readonly string[], after: number): Cron {
  const year = new Date(after).getUTCFullYear();
  return new Cron(`${fields.join(' ')} ${year}-${year + SEARCHED_YEARS}`, { utcOffset: 0, mode: '7-part' });
}

/** Every minute that fires has the same seconds, and every hour the same minutes. */
function isTooFrequent({ fields }: CronPattern, first: number): boolean {
  const minute = Math.floor(first / MINUTE_MS) * MINUTE_MS;
  // Six seconds of a minute can be ten seconds apart, not seven.
  const seconds = timesWithin(fields, minute, MINUTE_MS, 7);
  if (hasCloserThan(seconds, MIN_INTERVAL_MS)) return true;
  const wrap = MINUTE_MS + seconds[0]! - seconds.at(-1)!;
  if (wrap >= MIN_INTERVAL_MS) return false;
  const hour = Math.floor(first / HOUR_MS) * HOUR_MS;
  const minutes = timesWithin(['0', ...fields.slice(1)], hour, HOUR_MS, 60);
  const isLastAndFirst = minutes[0] === 0 && minutes.at(-1) === HOUR_MS - MINUTE_MS;
  return isLastAndFirst || hasCloserThan(minutes, 2 * MINUTE_MS);
}

function timesWithin(fields: readonly string[], start: number, length: number, most: number): number[] {
  const runs = searchOf(fields, start).nextRuns(most, new Date(start - 1000));
  return runs.map((run) => run.getTime() - start).filter((time) => time < length);
}

function hasCloserThan(times: readonly number[], interval: number): boolean {
  return times.some((time, index) => index > 0 && time - times[index - 1]! < interval);
}

function invalid(text: string, problem: string): Failure {
  return new Failure('invalid', `The cron expression "${text}" ${problem}.`, {
    code: 'cron-expression-invalid',
  });
}
