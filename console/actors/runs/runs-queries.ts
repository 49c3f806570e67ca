// What the list of runs reads.
import type { RunStatus } from '../../lib/run-status.tsx';
import { useRead } from '../../api/read.ts';
import type { Call } from '../../api/call.ts';
import type { FoundRuns } from '../../api/types/signalbox.ts';
import { offsetPage, useListPages } from '../../lib/list-pages.ts';
import type { Run } from '../run.ts';

const PAGE = 50;

const idOf = ({ id }: Run) => id;

export interface RunsFilter {
  /** These alone. */
  ids?: readonly string[] | undefined;
  /** A text in the input. */
  input?: string | undefined;
  /** Of one Actor alone: its id or `user~name`. */
  actor?: string | undefined;
  task?: string | undefined;
  statuses?: readonly RunStatus[] | undefined;
  origin?: string | undefined;
  /** The number of a build. */
  build?: string | undefined;
  /** In epoch milliseconds. */
  since?: number | undefined;
}

function runsCall({ ids, statuses, ...rest }: RunsFilter): Call {
  const status = statuses?.length === 0 ? undefined : statuses;
  return { api: 'signalbox', path: '/runs', query: { id: ids, ...rest, status } };
}

/** Newest first. */
export function useRuns(filter: RunsFilter) {
  return useListPages<FoundRuns, Run>({
    call: runsCall(filter),
    topics: ['run'],
    first: 0,
    pageQuery: (offset) => ({ limit: PAGE, offset }),
    toPage: ({ items, total }, offset) => offsetPage(items as Run[], total, offset),
    idOf,
  });
}

/** How many runs each choice of a filter has, with the other filters as they are. */
export function useRunChoices(filter: RunsFilter) {
  const { data } = useRead<FoundRuns>(
    { call: { ...runsCall(filter), query: { ...runsCall(filter).query, limit: 1 } }, topics: ['run'] },
    { keepsPrevious: true },
  );
  return data;
}
