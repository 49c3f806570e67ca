// A line of a log: when it was printed, how grave it is, and its text.
import { withoutAnsi } from './ansi.ts';

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LEVELS)[number];

export interface LogLine {
  /** ISO 8601; absent where the line has no time. */
  at?: string;
  /** The word that the line begins with, where that is a level. */
  levelWord?: string;
  /** With its colours, without the time and the level. */
  text: string;
}

const STAMP = /^(\d{4}-\d\d-\d\dT[\d:.]{8,15}Z) /;
const WORDS: Readonly<Record<string, LogLevel>> = {
  TRACE: 'debug',
  DEBUG: 'debug',
  PERF: 'debug',
  INFO: 'info',
  NOTICE: 'info',
  WARN: 'warn',
  WARNING: 'warn',
  ERROR: 'error',
  CRITICAL: 'error',
  FATAL: 'error',
};
/** Colours may stand around the word. */
const WORD =
  // oxlint-disable-next-line no-control-regex
  /^(?:\u001B\[[\d;]*m|\s|\[)*(TRACE|DEBUG|PERF|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)(?:\u001B\[[\d;]*m|\])*(?:[:\s]\s*|$)/i;

export function parseLine(raw: string): LogLine {
  const at = STAMP.exec(raw)?.[1];
  const rest = at === undefined ? raw : raw.slice(at.length + 1);
  const word = WORD.exec(rest);
  return {
    ...(at !== undefined && { at }),
    ...(word !== null && { levelWord: word[1]!.toUpperCase() }),
    text: word === null ? rest : rest.slice(word[0].length),
  };
}

export function levelOfWord(word: string): LogLevel {
  return WORDS[word] ?? 'info';
}

/** A line that is indented belongs to the one above it: the stack of an error. */
export function levelOfLine(raw: string, above: LogLevel): LogLevel {
  const stamp = STAMP.exec(raw)?.[0].length ?? 0;
  const rest = raw.slice(stamp, stamp + 80);
  const word = WORD.exec(rest)?.[1];
  if (word !== undefined) return levelOfWord(word.toUpperCase());
  return /^(?:\t| {2,})\S/.test(rest) ? above : 'info';
}

/** What is searched: as it is seen. */
export function plainText(raw: string): string {
  return withoutAnsi(raw.replace(STAMP, ''));
}

export function stampOf(raw: string): string | undefined {
  return STAMP.exec(raw)?.[1];
}

/** The server says so in place of what it has left out of a long log. */
export function isCutNotice(raw: string): boolean {
  return /^\S+ ACTOR: \d+ bytes of the log are left out here/.test(raw);
}
