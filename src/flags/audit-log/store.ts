// The audit log in the database: finds events by time, resource and words.
import type { Selectable } from 'kysely';
import type { Access } from '../../kernel/identity/actor.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { searchByWords, wordsOf } from '../../kernel/storage/search.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import { couldBeId } from '../fields.ts';
import type { AuditEntry } from '../../kernel/change/change.ts';
import type { AuditDetail } from '../../kernel/change/store.ts';

/** All columns but `before` and `after`, which may be large. */
const LIST_COLUMNS = [
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
  'owner_id',
] as const;

type EventRow = Selectable<Tables['events']>;
type ListRow = Pick<EventRow, (typeof LIST_COLUMNS)[number]>;

export interface AuditLogSearch {
  /** In epoch milliseconds, both exclusive. */
  before?: number;
  after?: number;
  /** The id of an entry: only older entries, from the nearest on. */
  behind?: string;
  /** The id of an entry: only newer entries, from the nearest on. */
  ahead?: string;
  /** Start with the oldest entries. */
  isFromOldest?: boolean;
  words?: string;
  /** A resource specifier. */
  resource?: string;
}

export interface AuditLogPage {
  /** Newest first. */
  entries: AuditEntry[];
  /**
   * Present if there is a page of older or newer entries. It starts next to `than`, or at the end of the log if that is
   * absent.
   */
  older?: NeighbourPage;
  newer?: NeighbourPage;
}

interface NeighbourPage {
  than?: AuditEntry;
}

const BATCH_SIZE = 100;
/** How many entries one call examines. A search for rare entries continues on the next page. */
const MAX_EXAMINED = 10_000;
/**
 * Up to this many entries of a resource prefix are sorted in memory. If there are more, a scan by time finds them soon
 * enough.
 */
const MAX_SORTED = 2000;

/** Returns up to `limit` entries that match. Pages use keysets, without a total count. */
export async function searchEntries(
  engine: Engine,
  search: AuditLogSearch,
  matches: (entry: AuditEntry) => boolean,
  limit: number,
): Promise<AuditLogPage> {
  const range = await rangeOf(engine.db, search);
  const source = range && (await rowSourceOf(engine, search));
  if (range === undefined || source === undefined) return { entries: [] };
  const filtered = { source, matches: (row: ListRow) => isWithin(row, search) && matches(entryOf(row)) };
  const { from, below } = range;
  if (search.ahead === undefined && search.isFromOldest !== true) {
    const { rows, resumeAfter } = await scan({ ...filtered, range, order: 'desc' }, limit);
    const entries = rows.map(entryOf);
    const newerThan = { from: (rows[0]?.seq ?? below - 1) + 1, below: range.before };
    const hasNewer =
      search.behind !== undefined && (await hasAny({ ...filtered, range: newerThan, order: 'asc' }));
    return {
      entries,
      ...(resumeAfter && { older: { than: entryOf(resumeAfter) } }),
      ...(hasNewer && { newer: { ...(entries[0] && { than: entries[0] }) } }),
    };
  }
  const { rows, resumeAfter } = await scan({ ...filtered, range, order: 'asc' }, limit);
  const entries = rows.map(entryOf).reverse();
  const olderThan = { from: range.after, below: rows[0]?.seq ?? from };
  const hasOlder =
    search.ahead !== undefined && (await hasAny({ ...filtered, range: olderThan, order: 'desc' }));
  return {
    entries,
    ...(hasOlder && { older: { ...(entries.length > 0 && { than: entries.at(-1)! }) } }),
    ...(resumeAfter && { newer: { than: entryOf(resumeAfter) } }),
  };
}

interface Scan {
  source: RowSource;
  matches(row: ListRow): boolean;
  range: { from: number; below: number };
  order: 'desc' | 'asc';
}

/** The rows in their order, and the last one examined if there may be more after it. */
async function scan(
  { source, matches, range, order }: Scan,
  limit: number,
): Promise<{ rows: ListRow[]; resumeAfter?: ListRow }> {
  const found: ListRow[] = [];
  let edge = order === 'desc' ? range.below : range.from - 1;
  for (let examined = 0; ; examined += BATCH_SIZE) {
    const batch = await source(edge, BATCH_SIZE, order);
    for (const row of batch) {
      if (row.seq < range.from || row.seq >= range.below) return { rows: found };
      if (!matches(row)) continue;
      if (found.length === limit) return { rows: found, resumeAfter: found.at(-1)! };
      found.push(row);
    }
    const last = batch.at(-1);
    if (last === undefined || batch.length < BATCH_SIZE) return { rows: found };
    if (examined + BATCH_SIZE >= MAX_EXAMINED) return { rows: found, resumeAfter: last };
    edge = last.seq;
  }
}

/** Whether there is a matching entry, or one that was not examined. */
async function hasAny(scanned: Scan): Promise<boolean> {
  const { rows, resumeAfter } = await scan(scanned, 1);
  return rows.length > 0 || resumeAfter !== undefined;
}

/** Reads rows beyond a sequence number: below it in descending order, or above it in ascending order. */
type RowSource = (edge: number, limit: number, order: 'desc' | 'asc') => Promise<ListRow[]>;

/** Reads entries by the most selective index. Undefined if nothing can match. */
async function rowSourceOf(
  engine: Engine,
  { words, resource }: AuditLogSearch,
): Promise<RowSource | undefined> {
  const { db } = engine;
  const all = db.selectFrom('events').select(LIST_COLUMNS);
  const numbered = (found: readonly number[], order: 'desc' | 'asc') =>
    found.length === 0 ? [] : all.where('seq', 'in', found).orderBy('seq', order).execute();
  if (words !== undefined) {
    if (wordsOf(words) === '') return undefined;
    const about = { table: 'events', key: 'seq', text: words };
    return async (edge, limit, order) =>
      await numbered(await searchByWords(engine, about, edge, limit, order), order);
  }
  const beyond = (edge: number, limit: number, order: 'desc' | 'asc') =>
    all
      .where('seq', order === 'desc' ? '<' : '>', edge)
      .orderBy('seq', order)
      .limit(limit);
  if (resource !== undefined) {
    const literal = resource.split(/[*;]/, 1)[0]!;
    if (literal === resource) {
      return (edge, limit, order) => beyond(edge, limit, order).where('resource', '=', literal).execute();
    }
    const few = await listSeqsBelow(db, literal);
    if (few !== undefined) {
      const rising = few.toReversed();
      return async (edge, limit, order) => {
        const next = order === 'desc' ? few.filter((seq) => seq < edge) : rising.filter((seq) => seq > edge);
        return await numbered(next.slice(0, limit), order);
      };
    }
  }
  return (edge, limit, order) => beyond(edge, limit, order).execute();
}

/** Sequence numbers of entries whose resource starts with the prefix, newest first. Undefined if there are many. */
async function listSeqsBelow(db: Db, beginning: string): Promise<number[] | undefined> {
  if (beginning === '') return undefined;
  const rows = await db
    .selectFrom('events')
    .select('seq')
    .where('resource', '>=', beginning)
    .where('resource', '<', `${beginning}\uffff`)
    .limit(MAX_SORTED + 1)
    .execute();
  if (rows.length > MAX_SORTED) return undefined;
  return rows.map(({ seq }) => seq).sort((a, b) => b - a);
}

interface Range {
  /** A half-open range of sequence numbers, by the times and the entry to continue from. */
  from: number;
  below: number;
  /** The range by the times only. */
  after: number;
  before: number;
}

/** Converts times to sequence numbers, which grow with time. Undefined if the range is empty. */
async function rangeOf(db: Db, { before, after, behind, ahead }: AuditLogSearch): Promise<Range | undefined> {
  const numbers = db.selectFrom('events').select('seq').limit(1);
  const numberOf = async (id: string) =>
    couldBeId(id) ? (await numbers.where('id', '=', id).executeTakeFirst())?.seq : undefined;
  const times = { after: 0, before: Number.MAX_SAFE_INTEGER };
  if (after !== undefined) {
    const first = await numbers.where('at', '>', after).orderBy('at').orderBy('seq').executeTakeFirst();
    if (first === undefined) return undefined;
    times.after = first.seq;
  }
  if (before !== undefined) {
    const last = await numbers
      .where('at', '<', before)
      .orderBy('at', 'desc')
      .orderBy('seq', 'desc')
      .executeTakeFirst();
    if (last === undefined) return undefined;
    times.before = last.seq + 1;
  }
  const range = { from: times.after, below: times.before, ...times };
  if (behind !== undefined) {
    const seq = await numberOf(behind);
    if (seq === undefined) return undefined;
    range.below = Math.min(range.below, seq);
  }
  if (ahead !== undefined) {
    const seq = await numberOf(ahead);
    if (seq === undefined) return undefined;
    range.from = Math.max(range.from, seq + 1);
  }
  return range;
}

function isWithin({ at }: ListRow, { before = Infinity, after = -1 }: AuditLogSearch): boolean {
  return at < before && at > after;
}

export async function findEntry(db: Db, id: string): Promise<AuditEntry | undefined> {
  if (!couldBeId(id)) return undefined;
  const row = await db.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirst();
  return row && entryOf(row);
}

function entryOf(row: ListRow & Partial<EventRow>): AuditEntry {
  const { verb, description, update, who } = (
    row.detail === null ? {} : JSON.parse(row.detail)
  ) as Partial<AuditDetail>;
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
    ...(row.owner_id !== null && { ownerId: row.owner_id }),
    ...(update !== undefined && { update }),
    ...(row.before && { before: JSON.parse(row.before) as unknown }),
    ...(row.after && { after: JSON.parse(row.after) as unknown }),
  };
}

/** A verb for entries of the other APIs: `createStorage` becomes `created the dataset`. */
function plainVerb(action: string, kind: string): string {
  const done = action.startsWith('create') ? 'created' : action.startsWith('delete') ? 'deleted' : 'updated';
  return `${done} the ${kind}`;
}

/** Counts by bucket number. */
export async function countEntries(
  db: Db,
  { after, before, bucketIntervalMs }: { after: number; before: number; bucketIntervalMs: number },
  matches: (entry: AuditEntry) => boolean,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const rows = db
    .selectFrom('events')
    .select(['at', 'seq', 'id', 'action', 'resource', 'accesses', 'kind', 'name', 'owner_id'])
    .where('at', '>=', after)
    .where('at', '<', before)
    .stream(1000);
  for await (const row of rows) {
    if (!matches(entryOf({ ...row, comment: null, detail: null }))) continue;
    const bucket = Math.floor((row.at - after) / bucketIntervalMs);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  return counts;
}
