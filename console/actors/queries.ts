// What several pages of Actors and runs read.
import { path, type Call } from '../api/call.ts';
import { useRead, type Read } from '../api/read.ts';
import type { RunDetail } from './run.ts';

export interface ListBody<Item> {
  data: { total: number; offset: number; items: Item[] };
}

export interface ActorShort {
  id: string;
  name: string;
  username: string;
  title?: string | null;
  createdAt: string;
  modifiedAt: string;
  stats: { totalRuns: number; totalBuilds: number; lastRunStartedAt?: string };
}

/** As many as one account may have, and more than that. */
const MAX_ACTORS = 1000;

export function runRead(id: string): Read {
  return { call: { api: 'actors', path: path`/actor-runs/${id}` }, topics: ['run'] };
}

/** `everyMs` for the numbers of a run that goes on. */
export function useRun(id: string, everyMs?: number) {
  const { data, ...rest } = useRead<{ data: RunDetail }>(runRead(id), { everyMs });
  return { run: data?.data, ...rest };
}

/** The caller's Actors, in one call. */
export function useOwnActors() {
  const call: Call = { api: 'actors', path: '/actors', query: { my: true, limit: MAX_ACTORS } };
  const { data, ...rest } = useRead<ListBody<ActorShort>>({ call, topics: ['actor'] });
  return { actors: data?.data.items, ...rest };
}

/** Names of the caller's Actors come in one call; those of others one by one. */
export function useActorName(id: string): Pick<ActorShort, 'id' | 'name' | 'username' | 'title'> | undefined {
  const { actors } = useOwnActors();
  const found = actors?.find((actor) => actor.id === id);
  const other = useRead<{ data: ActorShort }>(
    { call: { api: 'actors', path: path`/actors/${id}` } },
    { isEnabled: actors !== undefined && found === undefined },
  );
  return found ?? other.data?.data;
}

/** `user~name`: what the paths of the API and of the console call an Actor. */
export function hrefOfActor({ username, name }: Pick<ActorShort, 'username' | 'name'>, tab = ''): string {
  return `/actors/${encodeURIComponent(username)}~${encodeURIComponent(name)}${tab === '' ? '' : `/${tab}`}`;
}
