// Finds what a query names: by the index, by changes that are not in it yet, and by what was pasted.
import { searchByTerms } from '../../kernel/storage/search.ts';
import { DOCS_KINDS } from './docs-index.ts';
import { findPasted } from './find-pasted.ts';
import { showRuns } from './job-items.ts';
import { SEARCH_KINDS, type FoundItem, type SearchKind } from './model.ts';
import type { Searcher, SearchSource } from './source.ts';
import { SEARCH_SOURCES } from './sources.ts';
import { listNewestRunIds } from './store-actor-records.ts';
import { listEntryIds, listUnindexed, SEARCHED } from './store.ts';
import { parseQuery, rankOf, stagesOf, type IndexedKind, type SearchQuery } from './terms.ts';

interface SearchRequest {
  text: string;
  kinds: ReadonlySet<SearchKind>;
  /** Of each kind. */
  limit: number;
}

/** So many changes that are not indexed yet are read by each search. More are there only after an import, for seconds. */
const MAX_UNINDEXED = 500;
/** So many matches are read until enough are found that the caller may see; most searches are over after the first batch. */
const BATCH_SIZES = [40, 400, 600];
const MAX_MATCHES = BATCH_SIZES.reduce((sum, size) => sum + size);

interface Ranked {
  item: FoundItem;
  rank: number;
}

/** What was pasted first, then by kind; in each the best first, and of equals the newest. */
export async function findEverything(searcher: Searcher, request: SearchRequest): Promise<FoundItem[]> {
  const { kinds, limit, text } = request;
  const query = parseQuery(text);
  const unindexed = await listUnindexed(searcher.db, MAX_UNINDEXED);
  const sought = [...SEARCH_SOURCES.values()].flatMap((source) =>
    source.kinds
      .filter((kind) => kinds.has(kind) || (kind === 'actor' && kinds.has('run')))
      .map((kind) => ({ source, kind, changed: unindexed.get(source.name) ?? [] })),
  );
  const [pasted, ...lists] = await Promise.all([
    findPasted(searcher, text),
    ...sought.map(async (one) => await findKind(searcher, query, one, limit)),
  ]);
  const byKind = new Map<SearchKind, Ranked[]>(sought.map(({ kind }, index) => [kind, lists[index]!]));
  for (const kind of DOCS_KINDS)
    if (kinds.has(kind)) byKind.set(kind, await searcher.kernel.services.docsIndex.find(kind, query, limit));
  if (kinds.has('run')) byKind.set('run', await findRunsOf(searcher, byKind.get('actor') ?? [], limit));
  const exact = pasted.filter(({ kind }) => kinds.has(kind as SearchKind));
  const known = new Set(exact.map(nameOf));
  const found = SEARCH_KINDS.filter((kind) => kinds.has(kind)).flatMap((kind) => byKind.get(kind) ?? []);
  const others = found.filter(({ item }) => !known.has(nameOf(item)));
  const named = others.filter(({ rank }) => rank === 0);
  return [
    ...[...exact, ...named.map(({ item }) => item)].map((item) => ({ ...item, isExact: true })),
    ...others.filter(({ rank }) => rank > 0).map(({ item }) => item),
  ];
}

function nameOf({ kind, id }: FoundItem): string {
  return `${kind} ${id}`;
}

async function findKind(
  searcher: Searcher,
  query: SearchQuery,
  { source, kind, changed }: { source: SearchSource; kind: IndexedKind; changed: readonly string[] },
  limit: number,
): Promise<Ranked[]> {
  const { db, kernel } = searcher;
  const seen = new Set<string>();
  const found: Ranked[] = [];
  const look = async (ids: readonly string[]) => {
    const fresh = ids.filter((id) => !seen.has(id));
    for (const id of fresh) seen.add(id);
    if (fresh.length > 0) found.push(...(await showMatches(searcher, query, { source, kind }, fresh)));
  };
  await look(changed);
  const stages = stagesOf(query, { kind, scopes: source.scopesOf?.(searcher) });
  for (const [index, terms] of stages.entries()) {
    // A stage finds what has at most this rank.
    const isEnough = () => found.filter(({ rank }) => rank <= index + 1).length >= limit;
    if (isEnough()) continue;
    const numbers = await searchByTerms(kernel.engine, SEARCHED, terms, MAX_MATCHES);
    let read = 0;
    for (const size of BATCH_SIZES) {
      if (read >= numbers.length || isEnough()) break;
      await look(await listEntryIds(db, numbers.slice(read, read + size)));
      read += size;
    }
  }
  return found.toSorted(byRank).slice(0, limit);
}

/** What is in the index may have changed since: only what matches now is found. */
async function showMatches(
  searcher: Searcher,
  query: SearchQuery,
  { source, kind }: { source: SearchSource; kind: IndexedKind },
  ids: readonly string[],
): Promise<Ranked[]> {
  const ranks = new Map<string, number>();
  const records = (await source.read(searcher.db, ids)).filter((record) => {
    const rank = record.kind === kind ? rankOf(query, record) : undefined;
    if (rank !== undefined) ranks.set(record.id, rank);
    return rank !== undefined;
  });
  if (records.length === 0) return [];
  const items = await source.show(searcher, records, false);
  return items.map((item) => ({ item, rank: ranks.get(item.id)! }));
}

function byRank(one: Ranked, other: Ranked): number {
  return one.rank - other.rank || (other.item.at ?? 0) - (one.item.at ?? 0);
}

/** Runs have no names of their own: those of the Actors that were found. */
async function findRunsOf(searcher: Searcher, actors: readonly Ranked[], limit: number): Promise<Ranked[]> {
  const actorIds = actors.map(({ item }) => item.id);
  const ids = await listNewestRunIds(searcher.db, searcher.accountId, actorIds, limit);
  return (await showRuns(searcher, ids)).map((item) => ({ item, rank: 3 }));
}
