// What the list of runs reads.
import { useListPages } from '../../lib/list-pages.ts';
import type { ListBody } from '../queries.ts';
import type { Run } from '../run.ts';

const PAGE = 50;

const idOf = ({ id }: Run) => id;

/** Newest first; `statuses` are joined by commas. */
export function useRuns(statuses: string | undefined) {
  return useListPages<ListBody<Run>, Run>({
    call: { api: 'actors', path: '/actor-runs', query: { desc: true, status: statuses } },
    topics: ['run'],
    first: 0,
    pageQuery: (offset) => ({ limit: PAGE, offset }),
    toPage: ({ data: { items, total } }, offset) => ({
      rows: items,
      total,
      next: offset + items.length < total && items.length > 0 ? offset + items.length : undefined,
    }),
    idOf,
  });
}
