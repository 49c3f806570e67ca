// The steps of a build by its log: the lines in which the server says what it does, and the first line that looks like an error.
import { readPlainLines, type LineReading } from './log-lines.ts';
import type { NumberedLog } from './read-lines.ts';

const STEP = /^ACTOR: /;
/** As compilers, package managers and interpreters write it. */
const ERROR = /(?:^|[^\w-])(?:[A-Z]\w*Error|Error|error|ERROR|ERR!|FATAL|fatal|Traceback)(?=[\s:!\]]|$)/;
const NONE = /\b(?:0|no) errors?\b/i;

export interface LogStep {
  number: number;
  durationMs?: number;
}

export interface LogSteps {
  steps: LogStep[];
  firstError: number | null;
}

/** `until` is in time of `performance.now`. */
export async function readSteps(
  reading: LineReading,
  opened: NumberedLog,
  { most, until }: { most: number; until: number },
): Promise<LogSteps> {
  const found: LogSteps = { steps: [], firstError: null };
  let begun: number | undefined;
  for await (const parsed of readPlainLines(reading, opened)) {
    for (const { number, at, plain } of parsed) {
      if (STEP.test(plain)) {
        const last = found.steps.at(-1);
        if (last !== undefined && last.durationMs === undefined && at !== undefined && begun !== undefined)
          last.durationMs = Math.max(0, at - begun);
        begun = at;
        if (found.steps.length < most) found.steps.push({ number });
      } else if (found.firstError === null && ERROR.test(plain) && !NONE.test(plain)) {
        found.firstError = number;
      }
    }
    if (performance.now() > until) break;
  }
  return found;
}
