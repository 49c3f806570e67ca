// A line of a log, as the server numbers it.
import { withoutAnsi } from './ansi.ts';

export type LogLevel = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';

export interface LogLine {
  number: number;
  at?: number;
  /** An indented line has that of the line before. */
  level?: LogLevel;
  /** With the colours that the program has printed. */
  text: string;
}

/** Colours may stand around the word. */
const LEVEL_WORD =
  // oxlint-disable-next-line no-control-regex
  /^(?:\u001B\[[\d;]*m|\s)*(DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)(?:\u001B\[[\d;]*m)*(?:[:\s]\s*|$)/;

/** The word that a line begins with, where that is a level, and the rest. */
export function splitLevel(text: string): { word?: string; rest: string } {
  const found = LEVEL_WORD.exec(text);
  return found === null ? { rest: text } : { word: found[1]!, rest: text.slice(found[0].length) };
}

/** As it is seen. */
export function plainText({ text }: LogLine): string {
  return withoutAnsi(text);
}
