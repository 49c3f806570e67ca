// Times as the host reads and writes them.
import { problem } from '../kernel/schema/schema.ts';

/** Without milliseconds. */
export function isoSeconds(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Of a field with the format `date-time`, which has times that a clock here cannot show, such as leap seconds. */
export function parseTime(field: string, text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw problem(field, 'must be a time such as 2026-01-31T12:00:00Z');
  return time;
}
