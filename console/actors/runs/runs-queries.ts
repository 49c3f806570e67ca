// What the list of runs reads.
import { path, type Call } from '../../api/call.ts';
import { offsetPage, useListPages } from '../../lib/list-pages.ts';
import type { ListBody } from '../queries.ts';
import type { Run } from '../run.ts';

const PAGE = 50;

const idOf = ({ id }: Run) => id;

export interface RunsFilter {
  /** Of one Actor alone: its id or `user~name`. */
  actor?: string | undefined;
  /** Joined by commas. */
  statuses?: string | undefined;
  /** ISO 8601. */
  startedAfter?: string | undefined;
}

function runsCall({ actor, statuses, startedAfter }: RunsFilter): Call {
  return {
    api: 'actors',
    path: actor === undefined ? '/actor-runs' : path`/actors/${actor}/runs`,
    query: { desc: true, status: statuses, startedAfter },
  };
}

/** Newest first. */
export function useRuns(filter: RunsFilter) {
  return useListPages<ListBody<Run>, Run>({
    call: runsCall(filter),
    topics: ['run'],
    first: 0,
    pageQuery: (offset) => ({ limit: PAGE, offset }),
    toPage: ({ data: { items, total } }, offset) => offsetPage(items, total, offset),
    idOf,
  });
}
