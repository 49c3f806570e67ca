// What runs use: how it is shown, and how it is added up.
import { DAY } from '../../actors/usage/model.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import type { UsedRun } from './store-runs.ts';

const HOUR = 60 * 60 * 1000;
const USUAL_DAYS = 30;
const MAX_DAYS = 90;
const GIGABYTE_MBYTES = 1024;

export const USED = {
  runs: Type.Integer(),
  failed: Type.Integer({ description: 'Those that have failed or timed out' }),
  durationMs: Type.Integer({ description: 'Of all of them together' }),
  computeUnits: Type.Number({ description: 'Gigabytes of their memory times hours' }),
};

const UsedSums = Type.Object(USED);
export type Used = Static<typeof UsedSums>;

export const UsageQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_DAYS,
      description: `Whole days in UTC, today among them; ${USUAL_DAYS} when not given`,
    }),
  ),
});

/** The beginning of the first of the days. */
export function firstDayOf({ days = USUAL_DAYS }: Static<typeof UsageQuery>, now: number): number {
  return (Math.floor(now / DAY) - days + 1) * DAY;
}

export const nothingUsed = (): Used => ({ runs: 0, failed: 0, durationMs: 0, computeUnits: 0 });

export function addRun(used: Used, { status, startedAt, finishedAt, memoryMbytes }: UsedRun, now: number) {
  const durationMs = Math.max(0, (finishedAt ?? now) - startedAt);
  used.runs += 1;
  if (status === 'FAILED' || status === 'TIMED-OUT') used.failed += 1;
  used.durationMs += durationMs;
  used.computeUnits += (memoryMbytes / GIGABYTE_MBYTES) * (durationMs / HOUR);
}

/** What is there for the key, or what is made for it. */
export function shareOf<Key, Part>(parts: Map<Key, Part>, key: Key, make: () => Part): Part {
  const known = parts.get(key);
  if (known !== undefined) return known;
  const made = make();
  parts.set(key, made);
  return made;
}
