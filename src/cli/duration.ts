// Parses durations like 90m, 12h, 30d, 8w.
import { Failure } from '../kernel/failure.ts';

const MINUTE = 60_000;
const UNITS: Record<string, number> = {
  m: MINUTE,
  h: 60 * MINUTE,
  d: 24 * 60 * MINUTE,
  w: 7 * 24 * 60 * MINUTE,
};

/** In milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhdw])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) {
    throw new Failure('invalid', `"${text}" is not a span of time: write it like 90m, 12h, 30d or 8w.`);
  }
  return Number(count) * UNITS[unit]!;
}
