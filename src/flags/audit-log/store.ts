// The audit log in the database: the events, found by time, by resource and by words, from the newest on.
import type { Selectable } from 'kysely';
import type { Access } from '../../kernel/events.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { searchByWords, wordsOf } from '../../kernel/storage/search.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import { couldBeId } from '../fields.ts';
import type { Entry, EntryExtras } from './entry.ts';

/** All but the thing before and after, which may be large. */
const LIGHT = [
  'seq',
  'id',
  'at',
  'action',
  'resource',
  'accesses',
  'kind',
  'name',
  'comment',
  'detail',
] as const;

type EventRow = Selectable<Tables['events']>;
type LightRow = Pick<EventRow, (typeof LIGHT)[number]>;

export interface Search {
  /** In epoch milliseconds, both outside of what is found. */
  before?: number;
  after?: number;
  /** An entry, to go on behind it. */
  behind?: string;
  words?: string;
  /** A resource specifier. */
  resource?: string;
}

export interface Found {
  entries: Entry[];
  /** The last entry looked at, where there may be more behind it. */
  goOnBehind?: Entry;
}

const BITE = 100;
/** How many entries one call looks at: who seeks what is rare among them goes on with the next. */
const MOST_LOOKED_AT = 10_000;
/** Of so few entries below a name, all are sorted; more are met soon enough on the way through time. */
const FEW = 2000;

/** Gives entries that `isWanted`, and as many as asked for. */
export async function searchEntries(
  engine: Engine,
  search: Search,
  isWanted: (entry: Entry) => boolean,
  limit: number,
): Promise<Found> {
  const bounds = await boundsOf(engine.db, search);
  const source = bounds && (await sourceOf(engine, search));
  if (bounds === undefined || source === undefined) return { entries: [] };
  const entries: Entry[] = [];
  let { below } = bounds;
  for (let lookedAt = 0; ; lookedAt += BITE) {
    const rows = await source(below, BITE);
    for (const row of rows) {
      if (row.seq < bounds.from) return { entries };
      const entry = entryOf(row);
      if (!isWithin(row, search) || !isWanted(entry)) continue;
      if (entries.length === limit) return { entries, goOnBehind: entries.at(-1)! };
      entries.push(entry);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BITE) return { entries };
    if (lookedAt + BITE >= MOST_LOOKED_AT) return { entries, goOnBehind: entryOf(last) };
    below = last.seq;
  }
}

/** Some rows below a number, from the highest on. */
type Source = (below: number, limit: number) => Promise<LightRow[]>;

/** The way through the entries by the index that leaves out most; undefined when nothing can be found. */
async function sourceOf(engine: Engine, { words, resource }: Search): Promise<Source | undefined> {
  const { db } = engine;
  const all = db.selectFrom('events').select(LIGHT);
  if (words !== undefined) {
    if (wordsOf(words) === '') return undefined;
    const about = { table: 'events', key: 'seq', text: words };
    return async (below, limit) => {
      const found = await searchByWords(engine, about, below, limit);
      if (found.length === 0) return [];
      return await all.where('seq', 'in', found).orderBy('seq', 'desc').execute();
    };
  }
  if (resource !== undefined) {
    const literal = resource.split(/[*;]/, 1)[0]!;
    if (literal === resource) {
      return (below, limit) =>
        all
          .where('resource', '=', literal)
          .where('seq', '<', below)
          .orderBy('seq', 'desc')
          .limit(limit)
          .execute();
    }
    const few = await numbersBelow(db, literal);
    if (few !== undefined) {
      return async (below, limit) => {
        const next = few.filter((seq) => seq < below).slice(0, limit);
        return next.length === 0 ? [] : await all.where('seq', 'in', next).orderBy('seq', 'desc').execute();
      };
    }
  }
  return (below, limit) => all.where('seq', '<', below).orderBy('seq', 'desc').limit(limit).execute();
}

/** The entries of resources whose name begins so, newest first; undefined when they are many. */
async function numbersBelow(db: Db, beginning: string): Promise<number[] | undefined> {
  if (beginning === '') return undefined;
  const rows = await db
    .selectFrom('events')
    .select('seq')
    .where('resource', '>=', beginning)
    .where('resource', '<', `${beginning}\uffff`)
    .limit(FEW + 1)
    .execute();
  if (rows.length > FEW) return undefined;
  return rows.map(({ seq }) => seq).sort((a, b) => b - a);
}

/** Times as numbers of entries, which grow with time. Undefined when there is nothing between them. */
async function boundsOf(
  db: Db,
  { before, after, behind }: Search,
): Promise<{ from: number; below: number } | undefined> {
  const numbers = db.selectFrom('events').select('seq').limit(1);
  let from = 0;
  let below = Number.MAX_SAFE_INTEGER;
  if (after !== undefined) {
    const first = await numbers.where('at', '>', after).orderBy('at').orderBy('seq').executeTakeFirst();
    if (first === undefined) return undefined;
    from = first.seq;
  }
  if (before !== undefined) {
    const last = await numbers
      .where('at', '<', before)
      .orderBy('at', 'desc')
      .orderBy('seq', 'desc')
      .executeTakeFirst();
    if (last === undefined) return undefined;
    below = last.seq + 1;
  }
  if (behind !== undefined) {
    const entry = couldBeId(behind) ? await numbers.where('id', '=', behind).executeTakeFirst() : undefined;
    if (entry === undefined) return undefined;
    below = Math.min(below, entry.seq);
  }
  return { from, below };
}

function isWithin({ at }: LightRow, { before = Infinity, after = -1 }: Search): boolean {
  return at < before && at > after;
}

export async function findEntry(db: Db, id: string): Promise<Entry | undefined> {
  if (!couldBeId(id)) return undefined;
  const row = await db.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirst();
  return row && entryOf(row);
}

function entryOf(row: LightRow & Partial<EventRow>): Entry {
  const { verb, description, update, who } = (
    row.detail === null ? {} : JSON.parse(row.detail)
  ) as Partial<EntryExtras>;
  return {
    id: row.id,
    at: row.at,
    accesses:
      row.accesses === null
        ? [{ action: row.action, resource: row.resource }]
        : (JSON.parse(row.accesses) as Access[]),
    resource: row.resource,
    kind: row.kind,
    name: row.name,
    verb: verb ?? plainVerb(row.action, row.kind),
    ...(description !== undefined && { description }),
    ...(row.comment !== null && { comment: row.comment }),
    who: who ?? {},
    ...(update !== undefined && { update }),
    ...(row.before && { before: JSON.parse(row.before) as unknown }),
    ...(row.after && { after: JSON.parse(row.after) as unknown }),
  };
}

/** Words for what was not recorded by this API: `createStorage` becomes `created the dataset`. */
function plainVerb(action: string, kind: string): string {
  const done = action.startsWith('create') ? 'created' : action.startsWith('delete') ? 'deleted' : 'updated';
  return `${done} the ${kind}`;
}

/** By the number of the bucket. */
export async function countEntries(
  db: Db,
  { after, before, bucketIntervalMs }: { after: number; before: number; bucketIntervalMs: number },
  isWanted: (entry: Entry) => boolean,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const rows = db
    .selectFrom('events')
    .select(['at', 'seq', 'id', 'action', 'resource', 'accesses', 'kind', 'name'])
    .where('at', '>=', after)
    .where('at', '<', before)
    .stream(1000);
  for await (const row of rows) {
    if (!isWanted(entryOf({ ...row, comment: null, detail: null }))) continue;
    const bucket = Math.floor((row.at - after) / bucketIntervalMs);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  return counts;
}
