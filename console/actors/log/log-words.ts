// The words of logs.
import type { LogState } from './log-reader.ts';

const STATES: Readonly<Record<LogState, string>> = {
  connecting: 'Reading',
  live: 'Live',
  reconnecting: 'Reconnecting',
  ended: 'Complete',
  failed: 'Not read',
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
  levels: { 'WARN,ERROR': 'Warnings and errors', ERROR: 'Errors' },
  wrap: 'Wrap',
  follow: 'Follow',
  download: 'Download',
  firstError: 'First error',
  states: STATES,
  following: 'Live, following',
  paused: 'Live, paused',
  toEnd: 'To the end',
  count: (count: string) => `${count} ${count === '1' ? 'line' : 'lines'}`,
  filtered: (shown: string, all: string) => `${shown} of ${all} lines`,
  line: (number: string) => `Line ${number}`,
  linesRange: (from: string, to: string) => `Lines ${from} to ${to}`,
  copyLink: 'Copy link',
  copyLines: 'Copy lines',
  unpoint: 'Point at no line',
  newLines: (count: string) => `${count} new lines`,
  wholeGap: (time: string) => `Reconnected at ${time}, nothing missed`,
  brokenGap: (time: string) => `Reconnected at ${time}; the server no longer has the lines between`,
  omitted: (count: string) => `${count} lines are left out here: the log is longer than the server keeps`,
  omittedBytes: (size: string) => `${size} are left out here: the log is longer than the server keeps`,
  noneFits: 'No line fits this level.',
} as const;
