// Compares two logs by their normalised lines: which lines only one of them has, and how often.
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { readPlainLines, type LineLevel } from './log-lines.ts';
import { normalizeText } from './normalize.ts';
import { openNumberedLog } from './read-lines.ts';
import type { LogReads } from './stored-log.ts';

/** Of one log, so many different lines are compared: a program may print any number. */
const MAX_DIFFERENT = 10_000;

export interface OneSidedLine {
  /** Normalised. */
  text: string;
  count: number;
  /** The number of the first such line, and the text as it was printed. */
  number: number;
  example: string;
  level?: LineLevel;
}

export interface LogComparison {
  /** Lines that only one of them has, the most severe and the most frequent first. */
  added: OneSidedLine[];
  missing: OneSidedLine[];
  /** How many different ones there are of each. */
  addedTotal: number;
  missingTotal: number;
  /** Whether one of them has more different lines than are compared. */
  isPartial: boolean;
}

const MAX_EXAMPLE = 500;
const SEVERITY: Record<LineLevel, number> = { ERROR: 3, WARN: 2, INFO: 1, DEBUG: 0 };

async function countNormalized(
  reads: LogReads,
  id: string,
  until: number,
): Promise<{ lines: Map<string, OneSidedLine>; isPartial: boolean }> {
  const lines = new Map<string, OneSidedLine>();
  const opened = await openNumberedLog(reads, id);
  if (opened === undefined) return { lines, isPartial: false };
  let isPartial = false;
  const slice = new TimeSlice();
  for await (const parsed of readPlainLines(reads, opened)) {
    for (const { number, plain, level } of parsed) {
      const text = normalizeText(plain);
      const known = lines.get(text);
      if (known !== undefined) known.count += 1;
      else if (lines.size >= MAX_DIFFERENT) isPartial = true;
      else if (text !== '')
        lines.set(text, {
          text,
          count: 1,
          number,
          example: plain.slice(0, MAX_EXAMPLE),
          ...(level !== undefined && { level }),
        });
      if (slice.isOver) await slice.yieldToEventLoop();
    }
    if (performance.now() > until) return { lines, isPartial: true };
  }
  return { lines, isPartial };
}

/** `most` lines of each side. `until` is in time of `performance.now`. */
export async function compareLogs(
  reads: LogReads,
  ids: { before: string; after: string },
  { most, until }: { most: number; until: number },
): Promise<LogComparison> {
  const before = await countNormalized(reads, ids.before, until);
  const after = await countNormalized(reads, ids.after, until);
  const added = onlyIn(after.lines, before.lines);
  const missing = onlyIn(before.lines, after.lines);
  return {
    added: added.slice(0, most),
    missing: missing.slice(0, most),
    addedTotal: added.length,
    missingTotal: missing.length,
    isPartial: before.isPartial || after.isPartial,
  };
}

function onlyIn(one: ReadonlyMap<string, OneSidedLine>, other: ReadonlyMap<string, unknown>): OneSidedLine[] {
  const severity = ({ level }: OneSidedLine) => (level === undefined ? 1 : SEVERITY[level]);
  return [...one.values()]
    .filter(({ text }) => !other.has(text))
    .sort((a, b) => severity(b) - severity(a) || b.count - a.count || a.number - b.number);
}
