// Pages of a log by the numbers of lines, with times and levels, and a search for a text in it.
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { countLines } from './line-index.ts';
import { AnsiStripper, type LogMask } from './log-filters.ts';
import { STAMP_BYTES } from './model.ts';
import { readLineBatches, type NumberedLog } from './read-lines.ts';
import type { LogReads } from './stored-log.ts';

export const LINE_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
export type LineLevel = (typeof LINE_LEVELS)[number];

export interface NumberedLine {
  /** The first line of a log is number one. Lines that were cut out are counted. */
  number: number;
  at?: number;
  level?: LineLevel;
  /** Without the time, with ANSI escape sequences. */
  text: string;
}

const ESCAPE = String.fromCharCode(0x1b);

/** As crawlers print it: first, or after the name of a logger in brackets. */
const LEVEL = /^\s*(?:\[[\w.:-]{1,80}\]\s+)?(DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b/;
const OTHER_NAMES: Record<string, LineLevel> = { WARNING: 'WARN', CRITICAL: 'ERROR', FATAL: 'ERROR' };
/** No level stands behind this. */
const LEVEL_WITHIN = 200;

export function levelOf(plain: string): LineLevel | undefined {
  const word = LEVEL.exec(plain.slice(0, LEVEL_WITHIN))?.[1];
  return word === undefined ? undefined : (OTHER_NAMES[word] ?? (word as LineLevel));
}

export function withoutEscapes(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return Buffer.from(new AnsiStripper().strip(Buffer.from(text))).toString();
}

const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z $/;

interface ParsedLine extends NumberedLine {
  plain: string;
}

/** A line that is indented continues the one before it, such as a stack trace, and has its level. */
class LineParser {
  #level: LineLevel | undefined;

  parse(number: number, line: string): ParsedLine {
    const stamp = line.slice(0, STAMP_BYTES);
    const isStamped = STAMP.test(stamp);
    const text = isStamped ? line.slice(STAMP_BYTES) : line;
    const plain = withoutEscapes(text);
    const isContinued = /^[ \t]/.test(plain);
    const level = levelOf(plain) ?? (isContinued ? this.#level : undefined);
    this.#level = level;
    return {
      number,
      ...(isStamped && { at: Date.parse(stamp.trim()) }),
      ...(level !== undefined && { level }),
      text,
      plain,
    };
  }

  skipGap(): void {
    this.#level = undefined;
  }
}

/** Who reads, as far as it decides what they get. */
export interface LineReading extends LogReads {
  mask?: LogMask | undefined;
}

/** Lines from this number on or a little before it, in small steps between which other calls get their turn. */
async function* parsedLines(
  reading: LineReading,
  opened: NumberedLog,
  from: number,
  mayHave: (text: string) => boolean = () => true,
): AsyncGenerator<ParsedLine[]> {
  const parser = new LineParser();
  const slice = new TimeSlice();
  let expected: number | undefined;
  for await (const { first, content } of readLineBatches(reading, opened, from - 1)) {
    if (expected !== undefined && first !== expected) parser.skipGap();
    const text = Buffer.from(reading.mask === undefined ? content : reading.mask.mask(content)).toString();
    expected = first + countLines(content);
    let parsed: ParsedLine[] = [];
    if (mayHave(text)) {
      const lines = text.split('\n');
      lines.pop();
      for (const [index, line] of lines.entries()) {
        parsed.push(parser.parse(first + index + 1, line));
        if (!slice.isOver) continue;
        yield parsed;
        parsed = [];
        await slice.yieldToEventLoop();
      }
    }
    yield parsed;
    if (slice.isOver) await slice.yieldToEventLoop();
  }
}

export interface LinesWanted {
  /** The number of the first line. */
  from: number;
  /** Of the last line; the end of the log where it is not given. */
  to?: number | undefined;
  limit: number;
  levels?: ReadonlySet<LineLevel> | undefined;
  /** Whether the last ones of the range are wanted, and not the first ones. */
  isTail: boolean;
  /** In time of `performance.now`. */
  until: number;
}

/** How many characters of lines a page has at most, give or take a line. */
const PAGE_LENGTH = 2 * 1024 * 1024;

export interface LinePage {
  lines: NumberedLine[];
  /** Up to this line, everything that was wanted is there. */
  through: number;
}

export async function readLinePage(
  reading: LineReading,
  opened: NumberedLog,
  { from, to = Infinity, limit, levels, isTail, until }: LinesWanted,
): Promise<LinePage> {
  const lines: NumberedLine[] = [];
  let length = 0;
  let through = Math.min(from - 1, opened.total);
  if (from > opened.total) return { lines, through };
  const isFull = () => lines.length >= limit || length >= PAGE_LENGTH;
  reading: for await (const parsed of parsedLines(reading, opened, from)) {
    for (const { plain: _plain, ...line } of parsed) {
      if (line.number < from) continue;
      if (line.number > to) break reading;
      if (isFull() && !isTail) break reading;
      through = line.number;
      if (levels !== undefined && (line.level === undefined || !levels.has(line.level))) continue;
      lines.push(line);
      length += line.text.length;
      while (isTail && (lines.length > limit || (length > PAGE_LENGTH && lines.length > 1)))
        length -= lines.shift()!.text.length;
    }
    if (performance.now() > until) return { lines, through };
  }
  // What is left of the range was cut out.
  if (!isFull() || isTail) through = Math.max(through, Math.min(to, opened.total));
  return { lines, through };
}

export interface SearchWanted {
  /** Plain text; its case does not matter. */
  text: string;
  levels?: ReadonlySet<LineLevel> | undefined;
  /** How many numbers are wanted. */
  most: number;
  until: number;
}

export interface LineMatches {
  total: number;
  /** Of the first ones. */
  numbers: number[];
  /** The last line that was searched: time may have run out. */
  through: number;
}

/** In the text of lines as it is read, without escape sequences and times. */
export async function searchLines(
  reading: LineReading,
  opened: NumberedLog,
  { text, levels, most, until }: SearchWanted,
): Promise<LineMatches> {
  const wanted = text.toLowerCase();
  const matches: LineMatches = { total: 0, numbers: [], through: 0 };
  // Most parts of a log need no look at each line; one with escape sequences does, and levels are carried from line to line.
  const mayHave = (part: string) =>
    levels !== undefined || part.includes(ESCAPE) || part.toLowerCase().includes(wanted);
  for await (const parsed of parsedLines(reading, opened, 1, mayHave)) {
    for (const { number, level, plain } of parsed) {
      matches.through = number;
      if (levels !== undefined && (level === undefined || !levels.has(level))) continue;
      if (!plain.toLowerCase().includes(wanted)) continue;
      matches.total += 1;
      if (matches.numbers.length < most) matches.numbers.push(number);
    }
    if (performance.now() > until) return matches;
  }
  matches.through = opened.total;
  return matches;
}

/** All lines, with their texts without escape sequences, in small steps. */
export function readPlainLines(
  reading: LineReading,
  opened: NumberedLog,
): AsyncGenerator<(NumberedLine & { plain: string })[]> {
  return parsedLines(reading, opened, 1);
}
