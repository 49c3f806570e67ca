// All sources of the search.
import { accountSources } from './account-sources.ts';
import { actorSources } from './actor-sources.ts';
import { flagSources } from './flag-sources.ts';
import { hostSources } from './host-sources.ts';
import type { SearchSource } from './source.ts';

/** By name. */
export const SEARCH_SOURCES: ReadonlyMap<string, SearchSource> = new Map(
  ([...flagSources, ...actorSources, ...hostSources, ...accountSources] as SearchSource[]).map((source) => [
    source.name,
    source,
  ]),
);
