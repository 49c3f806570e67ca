// The words of the list of runs.
import type { BulkAction } from './bulk.ts';

interface BulkWords {
  button: string;
  title: (count: string) => string;
  text: string;
  confirm: (count: string) => string;
}

const runs = (count: string) => `${count} ${count === '1' ? 'run' : 'runs'}`;

const BULK: Readonly<Record<BulkAction, BulkWords>> = {
  abort: {
    button: 'Abort…',
    title: (count) => `Abort ${runs(count)}?`,
    text: 'Each process is asked to end, and gets 30 seconds to save what it has. Storages and logs stay.',
    confirm: (count) => `Abort ${runs(count)}`,
  },
  resurrect: {
    button: 'Resurrect…',
    title: (count) => `Resurrect ${runs(count)}?`,
    text: 'Each run goes on with the same id, its storages, its input and its log. Its time limit begins anew, and from now on it acts with your permissions.',
    confirm: (count) => `Resurrect ${runs(count)}`,
  },
  rerun: {
    button: 'Rerun…',
    title: (count) => `Run ${count === '1' ? 'this run' : `these ${count} runs`} again?`,
    text: 'A new run of the same Actor begins for each, with the same input and options, and storages of its own.',
    confirm: (count) => `Start ${runs(count)}`,
  },
  delete: {
    button: 'Delete…',
    title: (count) => `Delete ${runs(count)}?`,
    text: 'Each run goes with its log and its unnamed storages. This cannot be brought back.',
    confirm: (count) => `Delete ${runs(count)}`,
  },
};

export const RUNS_WORDS = {
  actor: 'Actor',
  allActors: 'All Actors',
  since: 'Started',
  anyTime: 'At any time',
  anyOrigin: 'Started by anything',
  anyBuild: 'Any build',
  build: (number: string) => `Build ${number}`,
  task: 'Task',
  ofTask: (id: string) => `Task ${id}`,
  toActors: 'Choose an Actor to run',
  input: 'Text in the input',
  ofAction: (count: string) => `The ${runs(count)} of the last action`,
  theseRuns: 'Of one action',
  partial: (count: string) => `The newest ${count} runs of this time were looked through.`,
  unread: (count: string) => `The inputs of ${runs(count)} are too long to be searched.`,
  spans: {
    '1h': 'In the last hour',
    '24h': 'In the last 24 hours',
    '7d': 'In the last 7 days',
    '30d': 'In the last 30 days',
  },
  noMatch: {
    title: 'No run fits this filter',
    text: 'Other runs are there once the filter is cleared.',
    clear: 'Show all runs',
  },
  bulk: BULK,
  view: 'What is listed',
  views: { list: 'Runs', causes: 'Causes of failures' },
  causes: {
    table: 'Failed runs by cause',
    cause: 'Cause',
    unknown: 'It gave no reason',
    first: 'First',
    last: 'Last',
    nouns: ['causes', 'cause'],
    none: 'No run has failed',
    noneText: 'Failed and timed-out runs of this time are listed here by what made them fail.',
    alike: 'Messages count as the same without numbers, addresses, ids and times.',
    partial: 'There are more failed runs than are looked at.',
  },
  results: 'Results',
  waiting: 'Waiting',
  busy: 'Being done',
  done: 'Done',
  skipped: {
    abort: 'Left out: it has ended already.',
    resurrect: 'Left out: it has not ended.',
    rerun: 'Left out: it has not ended.',
    delete: 'Left out: it has not ended.',
  },
  none: 'None of these runs can be changed so.',
  finish: 'Close',
  show: { abort: 'Show these runs', resurrect: 'Show these runs', rerun: 'Show the new runs' },
  failed: (count: string) => `${runs(count)} did not change. The reasons stand beside them.`,
} as const;
