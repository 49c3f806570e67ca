// The words of logs.
import type { LogLevel } from './log-line.ts';
import type { LogState } from './log-reader.ts';

const STATES: Readonly<Record<LogState, string>> = {
  connecting: 'Reading',
  live: 'Live',
  reconnecting: 'Reconnecting',
  ended: 'Complete',
  failed: 'Not read',
};

const LEVEL_NAMES: Readonly<Record<LogLevel, string>> = {
  debug: 'Debug',
  info: 'Info and graver',
  warn: 'Warnings and errors',
  error: 'Errors',
};

export const LOG_WORDS = {
  log: 'Log',
  lines: 'Log lines',
  search: 'Search in the log',
  hits: (at: string, all: string) => `${at} of ${all}`,
  noHits: 'Nothing found',
  previous: 'Previous hit',
  next: 'Next hit',
  level: 'Level',
  allLevels: 'All levels',
  levels: LEVEL_NAMES,
  wrap: 'Wrap',
  follow: 'Follow',
  download: 'Download',
  states: STATES,
  following: 'Live, following',
  paused: 'Live, paused',
  toEnd: 'To the end',
  count: (count: string) => `${count} ${count === '1' ? 'line' : 'lines'}`,
  filtered: (shown: string, all: string) => `${shown} of ${all} lines`,
  warnings: (count: string) => `${count} ${count === '1' ? 'warning' : 'warnings'}`,
  errors: (count: string) => `${count} ${count === '1' ? 'error' : 'errors'}`,
  line: (number: string) => `Line ${number}`,
  linesRange: (from: string, to: string) => `Lines ${from} to ${to}`,
  copyLink: 'Copy link',
  copyLines: 'Copy lines',
  unpoint: 'Point at no line',
  newLines: (count: string) => `${count} new lines`,
  wholeGap: (time: string) => `Reconnected at ${time}, nothing missed`,
  brokenGap: (time: string) => `Reconnected at ${time}; the server no longer has the lines between`,
  earlier: (count: string) =>
    `${count} earlier lines are not shown here. The download has what the server keeps.`,
  noneFits: 'No line fits this level.',
} as const;
