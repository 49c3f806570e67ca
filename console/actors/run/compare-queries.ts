// The comparison of two runs, as the server makes it.
import { path } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import type { RunStatus } from '../run.ts';

export interface ComparedRun {
  id: string;
  status: RunStatus;
  statusMessage: string | null;
  startedAt: number;
  build: { id: string; number: string; commit?: string };
}

export interface Difference {
  /** A JSON pointer. */
  path: string;
  before?: unknown;
  after?: unknown;
}

export interface ComparedCount {
  before?: number;
  after?: number;
}

export interface OneSidedLine {
  text: string;
  count: number;
  number: number;
  example: string;
  level?: string;
}

export type CountName =
  | 'items'
  | 'requests'
  | 'handledRequests'
  | 'durationMs'
  | 'memoryMaxBytes'
  | 'cpuAvgUsage'
  | 'restarts'
  | 'migrations';

export interface RunComparison {
  before: ComparedRun;
  after: ComparedRun;
  input: { isSame: boolean; differences: Difference[]; total: number; reason?: string };
  options: Difference[];
  counts: Readonly<Record<CountName, ComparedCount>>;
  output: { added: string[]; missing: string[]; common: number; isKnown: boolean };
  log: {
    added: OneSidedLine[];
    missing: OneSidedLine[];
    addedTotal: number;
    missingTotal: number;
    isPartial: boolean;
  };
}

/** With the last good one where none is named. */
export function useComparison(id: string, other: string) {
  return useRead<RunComparison>(
    {
      call: {
        api: 'signalbox',
        path: path`/runs/${id}/compare`,
        query: { with: other === '' ? 'last-good' : other },
      },
      topics: ['run'],
    },
    { keepsPrevious: true },
  );
}
