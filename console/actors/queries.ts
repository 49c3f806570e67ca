// What the pages of runs read.
import { path, type Call } from '../api/call.ts';
import { useRead, type Read } from '../api/read.ts';
import { useListPages } from '../lib/list-pages.ts';
import type { Run, RunDetail } from './run.ts';

interface ListBody<Item> {
  data: { total: number; offset: number; items: Item[] };
}

interface Actor {
  id: string;
  name: string;
  username: string;
  title?: string;
}

const PAGE = 50;
/** As many as the API gives at once. */
const MAX_ACTORS = 1000;

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

export function runRead(id: string): Read {
  return { call: { api: 'actors', path: path`/actor-runs/${id}` }, topics: ['run'] };
}

export function useRun(id: string) {
  const { data, ...rest } = useRead<{ data: RunDetail }>(runRead(id));
  return { run: data?.data, ...rest };
}

/** Without colours, which the server takes out; of a long log the server leaves out the middle. */
export function logCall(id: string): Call {
  return { api: 'actors', path: path`/logs/${id}` };
}

/** Read anew when the run changes, and by hand. */
export function useLog(id: string) {
  return useRead<string>({ call: logCall(id), topics: ['run'] });
}

/** Names of the caller's Actors come in one call; those of others one by one. */
export function useActor(id: string): Actor | undefined {
  const call: Call = { api: 'actors', path: '/actors', query: { my: true, limit: MAX_ACTORS } };
  const own = useRead<ListBody<Actor>>({ call, topics: ['actor'] });
  const found = own.data?.data.items.find((actor) => actor.id === id);
  const other = useRead<{ data: Actor }>(
    { call: { api: 'actors', path: path`/actors/${id}` } },
    { isEnabled: own.data !== undefined && found === undefined },
  );
  return found ?? other.data?.data;
}
