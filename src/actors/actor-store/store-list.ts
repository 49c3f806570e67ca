// Finds public Actors: in the order of an index, or the matches of a search and filters, which are ranked here.
import { sql, type Selectable, type SqlBool } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { searchByWords } from '../../kernel/storage/search.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { ActorRow } from '../actors/tables.ts';
import { MAX_DESCRIPTION_LENGTH, MAX_MATCHES, type ListedActor, type StoreSort } from './model.ts';
import { searchWordsOf } from './store-entries.ts';

export interface StoreFilter {
  search?: string;
  category?: string;
  /** The owner. */
  userId?: string;
}

export interface StorePage {
  items: ListedActor[];
  total: number;
}

/** A value would keep PostgreSQL from using the partial indexes. */
const isPublic = sql<SqlBool>`is_public = 1`;

const COLUMNS = {
  relevance: 'total_runs',
  popularity: 'total_runs',
  newest: 'created_at',
  lastUpdate: 'modified_at',
} as const satisfies Record<StoreSort, string>;

export async function listStore(
  engine: Engine,
  filter: StoreFilter,
  sortBy: StoreSort,
  slice: Slice,
): Promise<StorePage> {
  const { db } = engine;
  if (filter.search === undefined && filter.category === undefined && filter.userId === undefined)
    return await listAll(db, sortBy, slice);
  const ids = await findMatches(engine, filter);
  const ranked = await rank(db, ids, filter, sortBy);
  const page = ranked.slice(slice.offset, slice.offset + slice.limit);
  return { items: await listByIds(db, page), total: ranked.length };
}

async function listAll(db: Db, sortBy: StoreSort, { offset, limit }: Slice): Promise<StorePage> {
  const rows = await db
    .selectFrom('actors')
    .select('id')
    .where(isPublic)
    .orderBy(COLUMNS[sortBy], 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await db
    .selectFrom('actors')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where(isPublic)
    .executeTakeFirstOrThrow();
  return {
    items: await listByIds(
      db,
      rows.map(({ id }) => id),
    ),
    total,
  };
}

/** The ids of the newest matches, by the one filter that has an index for it; `rank` applies the others. */
async function findMatches(engine: Engine, filter: StoreFilter): Promise<string[]> {
  const { db } = engine;
  if (filter.search !== undefined) {
    const text = soughtWordsOf(filter.search).join(' ');
    if (text === '') return [];
    const search = { table: 'store_actors', key: 'number', text };
    const numbers = await searchByWords(engine, search, Number.MAX_SAFE_INTEGER, MAX_MATCHES);
    const ids: string[] = [];
    for (const some of chunk(numbers)) {
      const rows = await db
        .selectFrom('store_actors')
        .select('actor_id')
        .where('number', 'in', some)
        .execute();
      ids.push(...rows.map(({ actor_id: id }) => id));
    }
    return ids;
  }
  if (filter.userId !== undefined) {
    const rows = await db
      .selectFrom('actors')
      .select('id')
      .where('user_id', '=', filter.userId)
      .where('is_public', '=', 1)
      .limit(MAX_MATCHES)
      .execute();
    return rows.map(({ id }) => id);
  }
  const rows = await db
    .selectFrom('store_categories')
    .select('actor_id')
    .where('category', '=', filter.category!)
    .orderBy('actor_id', 'desc')
    .limit(MAX_MATCHES)
    .execute();
  return rows.map(({ actor_id: id }) => id);
}

const MAX_SOUGHT_WORDS = 20;

function soughtWordsOf(search: string): string[] {
  return searchWordsOf(search).split(' ').slice(0, MAX_SOUGHT_WORDS);
}

interface Match {
  id: string;
  score: number;
  order: number;
}

async function rank(
  db: Db,
  ids: readonly string[],
  { search, category, userId }: StoreFilter,
  sortBy: StoreSort,
): Promise<string[]> {
  const sought = search === undefined ? [] : soughtWordsOf(search);
  const matches: Match[] = [];
  for (const some of chunk(ids)) {
    const rows = await db
      .selectFrom('actors')
      .select(['id', 'name', 'title', 'total_runs', 'created_at', 'modified_at'])
      .where('id', 'in', some)
      .where(isPublic)
      .$if(userId !== undefined, (query) => query.where('user_id', '=', userId!))
      .$if(category !== undefined, (query) =>
        query.where('id', 'in', (eb) =>
          eb
            .selectFrom('store_categories')
            .select('actor_id')
            .where('category', '=', category!)
            .where('actor_id', 'in', some),
        ),
      )
      .execute();
    for (const row of rows) {
      const score = sortBy === 'relevance' ? scoreOf(sought, row) : 0;
      matches.push({ id: row.id, score, order: row[COLUMNS[sortBy]] });
    }
  }
  matches.sort((a, b) => b.score - a.score || b.order - a.order || (a.id < b.id ? 1 : -1));
  return matches.map(({ id }) => id);
}

/** A word of the name counts most, and a whole word more than its beginning. */
function scoreOf(sought: readonly string[], { name, title }: { name: string; title: string | null }): number {
  const scores = [
    { words: searchWordsOf(name).split(' '), weight: 4 },
    { words: searchWordsOf(title).split(' '), weight: 2 },
  ].flatMap(({ words, weight }) =>
    sought.map((one) => {
      if (words.includes(one)) return weight;
      return words.some((word) => word.startsWith(one)) ? weight / 2 : 0;
    }),
  );
  return scores.reduce((sum, score) => sum + score, 0);
}

/** In the order of the ids. */
async function listByIds(db: Db, ids: readonly string[]): Promise<ListedActor[]> {
  const found = new Map<string, ListedActor>();
  for (const some of chunk(ids)) {
    const rows = await db
      .selectFrom('actors')
      .leftJoin('store_actors', 'store_actors.actor_id', 'actors.id')
      .select(['actors.id', 'user_id', 'name', 'title', 'summary'])
      .select(['total_builds', 'total_runs', 'total_metamorphs', 'total_users', 'last_run_started_at'])
      .select(
        sql<string | null>`substr(description, 1, ${sql.lit(MAX_DESCRIPTION_LENGTH)})`.as('description'),
      )
      .where('actors.id', 'in', some)
      .execute();
    for (const row of rows) found.set(row.id, listedFrom(row));
    const categories = await db
      .selectFrom('store_categories')
      .selectAll()
      .where('actor_id', 'in', some)
      .orderBy('category')
      .execute();
    for (const { actor_id: id, category } of categories) found.get(id)?.categories.push(category);
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

type ListedRow = Pick<
  Selectable<ActorRow>,
  | 'id'
  | 'user_id'
  | 'name'
  | 'title'
  | 'description'
  | 'total_builds'
  | 'total_runs'
  | 'total_metamorphs'
  | 'total_users'
  | 'last_run_started_at'
> & { summary: string | null };

function listedFrom(row: ListedRow): ListedActor {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    title: row.title,
    description: row.description,
    totalBuilds: row.total_builds,
    totalRuns: row.total_runs,
    totalMetamorphs: row.total_metamorphs,
    totalUsers: row.total_users,
    lastRunStartedAt: row.last_run_started_at === 0 ? null : row.last_run_started_at,
    categories: [],
    summary: row.summary,
  };
}
