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
  results: 'Results',
  waiting: 'Waiting',
  busy: 'Being done',
  done: 'Done',
  skipped: {
    abort: 'Left out: it has ended already.',
    resurrect: 'Left out: it has not ended.',
    delete: 'Left out: it has not ended.',
  },
  none: 'None of these runs can be changed so.',
  finish: 'Close',
  failed: (count: string) => `${runs(count)} did not change. The reasons stand beside them.`,
} as const;
