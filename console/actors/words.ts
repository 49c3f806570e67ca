// The words of the pages of runs.
import type { RunStatus } from './run.ts';

export const STATUS_WORDS: Readonly<Record<RunStatus, string>> = {
  READY: 'Ready',
  RUNNING: 'Running',
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  'TIMING-OUT': 'Timing out',
  'TIMED-OUT': 'Timed out',
  ABORTING: 'Aborting',
  ABORTED: 'Aborted',
};

/** What started a run. */
const ORIGINS: Readonly<Record<string, string>> = {
  API: 'API',
  ACTOR: 'An Actor',
  CLI: 'CLI',
  DEVELOPMENT: 'Development',
  SCHEDULER: 'A schedule',
  TEST: 'A test',
  WEB: 'Web',
  WEBHOOK: 'A webhook',
};

/** What another release records is shown as it is. */
export function originWord(origin: string): string {
  return ORIGINS[origin] ?? origin;
}

export const WORDS = {
  runs: 'Runs',
  table: 'Runs',
  nouns: ['runs', 'run'],
  statusFilter: 'Status',
  status: 'Status',
  actor: 'Actor',
  started: 'Started',
  duration: 'Duration',
  origin: 'Started by',
  build: 'Build',
  empty: {
    title: 'There are no runs yet',
    text: 'A run is one execution of an Actor: a program that this server keeps, starts and watches.',
  },
  noMatch: {
    title: 'No run has this status',
    text: 'Runs of other statuses are there once the filter is cleared.',
    clear: 'Show all runs',
  },
  listNext:
    'Starting, aborting and rerunning Actors here comes with the next release; today the API and its clients do it.',
  runNext:
    'Following the log, the output and the storages here comes with the next release; today the API shows them.',
  run: 'Run',
  finished: 'Finished',
  exitCode: 'Exit code',
  memory: 'Memory',
  mostMemory: 'Most memory used',
  timeout: 'Time limit',
  noTimeout: 'none',
  disk: 'Disk',
  requestedBuild: 'Build asked for',
  details: 'Details',
  storages: 'Storages',
  dataset: 'Dataset',
  store: 'Key-value store',
  queue: 'Request queue',
  id: 'Run id',
  copyId: (what: string) => `Copy the id of the ${what}`,
  restarts: 'Restarts',
  resurrections: 'Resurrections',
  log: 'Log',
  logLines: 'Log lines',
  lastLines: (shown: string, all: string) => `The last ${shown} of ${all} lines`,
  lines: (count: string) => `${count} lines`,
  noLog: 'The run has printed nothing yet.',
  refresh: 'Read again',
  download: 'Download',
} as const;
