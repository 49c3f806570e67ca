// Segments in the database.
import { sql } from 'kysely';
import { sortKeyOf } from '../../kernel/text/fold-case.ts';
import { newId } from '../../kernel/id.ts';
import { Page, type Slice } from '../../kernel/http/reply/page.ts';
import { contested } from '../../kernel/storage/retry.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { mapInSlices } from '../../kernel/yield-to-event-loop.ts';
import { couldBeKey } from '../fields.ts';
import type { Expression } from '../lists/filter-expression.ts';
import type { SortOrder } from '../lists/list-query.ts';
import { pageRows } from '../store-rows.ts';
import { conditionOf } from './store-filter.ts';
import type { NewSegment } from './model.ts';
import type { ImportMode, Segment } from './segment.ts';
import type { SegmentRow } from './tables.ts';

type SegmentDoc = Omit<
  Segment,
  | 'id'
  | 'environmentId'
  | 'key'
  | 'name'
  | 'tags'
  | 'unbounded'
  | 'includedCount'
  | 'excludedCount'
  | 'importing'
  | 'version'
  | 'generation'
  | 'createdAt'
  | 'modifiedAt'
>;

export async function findSegment(db: Db, environmentId: string, key: string): Promise<Segment | undefined> {
  if (!couldBeKey(key)) return undefined;
  const row = await selectOne(db, environmentId, key).executeTakeFirst();
  return row && segmentOf(row);
}

export async function findSegmentById(db: Db, id: string): Promise<Segment | undefined> {
  const row = await db.selectFrom('segments').selectAll().where('id', '=', id).executeTakeFirst();
  return row && segmentOf(row);
}

/** Finds and locks the segment until the transaction ends. */
export async function lockSegment(tx: Db, environmentId: string, key: string): Promise<Segment | undefined> {
  if (!couldBeKey(key)) return undefined;
  const row = await selectOne(tx, environmentId, key).forUpdate().executeTakeFirst();
  return row && segmentOf(row);
}

function selectOne(db: Db, environmentId: string, key: string) {
  return db
    .selectFrom('segments')
    .selectAll()
    .where('environment_id', '=', environmentId)
    .where('key', '=', key);
}

/** All segments of an environment by creation, for delivery to SDKs; with `keys`, only those. */
export async function listSegments(
  db: Db,
  environmentId: string,
  keys?: readonly string[],
): Promise<Segment[]> {
  const rows = await db
    .selectFrom('segments')
    .selectAll()
    .where('environment_id', '=', environmentId)
    .$if(keys !== undefined, (query) => query.where('key', 'in', keys!))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return await mapInSlices(rows, segmentOf);
}

export const SEGMENT_SORTS = ['creationDate', 'name', 'lastModified'] as const;

const COLUMNS = { creationDate: 'created_at', name: 'sort_name', lastModified: 'modified_at' } as const;

export interface SegmentQuery {
  environmentId: string;
  filter: Expression | undefined;
  sort: readonly SortOrder<(typeof SEGMENT_SORTS)[number]>[];
  slice: Slice;
}

/** The total size of the documents on one page: more would block the event loop. */
const PAGE_BYTES = 2 * 1024 * 1024;

/** Sorted by creation unless requested otherwise. A page of large segments may be shorter than the limit. */
export async function pageSegments(
  db: Db,
  { environmentId, filter, sort, slice }: SegmentQuery,
): Promise<Page<Segment>> {
  const found = db
    .selectFrom('segments')
    .where('environment_id', '=', environmentId)
    .$if(filter !== undefined, (query) => query.where((eb) => conditionOf(filter!, eb)));
  const page = await pageRows(found, slice, (all) => {
    let ordered = all.select(['id', sql<number>`octet_length(doc)`.as('size')]);
    for (const { field, desc } of [...sort, { field: 'creationDate', desc: false } as const])
      ordered = ordered.orderBy(COLUMNS[field], desc ? 'desc' : 'asc');
    return ordered.orderBy('id');
  });
  const ids = fitting(page.items);
  const rows =
    ids.length === 0 ? [] : await db.selectFrom('segments').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(await mapInSlices(rows, (row) => [row.id, segmentOf(row)]));
  const limit = ids.length < page.items.length ? ids.length : slice.limit;
  return new Page(
    ids.flatMap((id) => byId.get(id) ?? []),
    page.total,
    { ...slice, limit },
  );
}

/** The first id, and as many more as fit into the size limit. */
function fitting(rows: readonly { id: string; size: number }[]): string[] {
  let bytes = 0;
  const end = rows.findIndex(({ size }, index) => {
    bytes += size;
    return index > 0 && bytes > PAGE_BYTES;
  });
  return rows.slice(0, end < 0 ? rows.length : end).map(({ id }) => id);
}

/** Its version is above that of deleted segments with the same key. Undefined if the key is taken. */
export async function insertSegment(
  tx: Db,
  wanted: NewSegment,
  salt: string,
  now: number,
): Promise<Segment | undefined> {
  const grave = await tx
    .selectFrom('segment_graves')
    .select(['version', 'generation'])
    .where('environment_id', '=', wanted.environmentId)
    .where('key', '=', wanted.key)
    .executeTakeFirst();
  const segment: Segment = {
    ...wanted,
    id: newId(now),
    included: [],
    excluded: [],
    includedContexts: [],
    excludedContexts: [],
    rules: [],
    salt,
    includedCount: 0,
    excludedCount: 0,
    version: (grave?.version ?? 0) + 1,
    generation: (grave?.generation ?? 0) + 1,
    createdAt: now,
    modifiedAt: now,
  };
  const made = await tx
    .insertInto('segments')
    .values(rowOf(segment))
    .onConflict((conflict) => conflict.columns(['environment_id', 'key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return made && segment;
}

/** Fails with `conflict` if it no longer has the version that was read. */
export async function updateSegment(tx: Db, before: Segment, after: Segment): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('segments')
    .set(rowOf(after))
    .where('id', '=', before.id)
    .where('version', '=', before.version)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw contested('segment');
}

/** A recurring task deletes its members later. */
export async function deleteSegment(tx: Db, segment: Segment): Promise<void> {
  const { id, environmentId, key, version, generation } = segment;
  const { numDeletedRows } = await tx
    .deleteFrom('segments')
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw contested('segment');
  const left = { version: version + 1, generation };
  await tx
    .insertInto('segment_graves')
    .values({ environment_id: environmentId, key, ...left })
    .onConflict((conflict) => conflict.columns(['environment_id', 'key']).doUpdateSet(left))
    .execute();
}

function rowOf(segment: Segment): SegmentRow {
  const { id, environmentId, key, name, tags, unbounded, includedCount, excludedCount, ...rest } = segment;
  const { importing, version, generation, createdAt, modifiedAt, ...kept } = rest;
  return {
    id,
    environment_id: environmentId,
    key,
    name,
    sort_name: sortKeyOf(name),
    // One line each, so that a search never matches across two fields.
    words: [key, name, kept.description ?? ''].join('\n').toLowerCase(),
    tags: JSON.stringify(tags),
    is_unbounded: Number(unbounded),
    included_count: includedCount,
    excluded_count: excludedCount,
    importing: importing ?? null,
    version,
    generation,
    created_at: createdAt,
    modified_at: modifiedAt,
    doc: JSON.stringify(kept satisfies SegmentDoc),
  };
}

function segmentOf(row: SegmentRow): Segment {
  return {
    ...(JSON.parse(row.doc) as SegmentDoc),
    id: row.id,
    environmentId: row.environment_id,
    key: row.key,
    name: row.name,
    tags: JSON.parse(row.tags) as string[],
    unbounded: row.is_unbounded === 1,
    includedCount: row.included_count,
    excludedCount: row.excluded_count,
    ...(row.importing !== null && { importing: row.importing as ImportMode }),
    version: row.version,
    generation: row.generation,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
  };
}
