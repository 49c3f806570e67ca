// Datasets in the database: appends items atomically, counts them, caches the names of their fields, and purges deleted datasets.
import { sql, type RawBuilder } from 'kysely';
import type { Engine } from '../../kernel/storage/engine.ts';
import { buildOnce, insertOf } from '../../kernel/storage/build-once.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { DatasetCounts, FieldMeasure } from './model.ts';
import { readFields, writeFields, type PackedItems } from './chunks.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    /** By the id of the dataset. */
    datasetFields: BoundedCache<string, Set<string>>;
  }
}

const BATCH_SIZE = 500;

const insertDatasetRow = insertOf('datasets');

export async function insertDataset(tx: Db, id: string, now: number): Promise<DatasetCounts> {
  const row = {
    storage_id: id,
    item_count: 0,
    clean_item_count: 0,
    bytes: 0,
    read_count: 0,
    fields: '',
    modified_at: now,
  };
  await tx.executeQuery(insertDatasetRow(tx, row));
  return { itemCount: 0, cleanItemCount: 0, bytes: 0, readCount: 0, fields: [], modifiedAt: now };
}

/** By id; without datasets that were deleted meanwhile. */
export async function findCounts(db: Db, ids: readonly string[]): Promise<Map<string, DatasetCounts>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('datasets').selectAll().where('storage_id', 'in', ids).execute();
  return new Map(
    rows.map((row) => [
      row.storage_id,
      {
        itemCount: row.item_count,
        cleanItemCount: row.clean_item_count,
        bytes: row.bytes,
        readCount: row.read_count,
        fields: readFields(row.fields),
        modifiedAt: row.modified_at,
      },
    ]),
  );
}

/** The field names of each dataset, so that a push writes only new ones. */
export function openDatasetFields(): BoundedCache<string, Set<string>> {
  return new BoundedCache({ max: 1000 });
}

/** The caller adds the names that it stores. Names that another node stored meanwhile are stored twice, and read once. */
export async function knownFields(
  { db, services: { datasetFields } }: Pick<Kernel, 'db' | 'services'>,
  id: string,
): Promise<Set<string>> {
  const known = datasetFields.get(id);
  if (known !== undefined) return known;
  const counts = (await findCounts(db, [id])).get(id);
  const loaded = datasetFields.get(id) ?? new Set(counts?.fields);
  datasetFields.set(id, loaded);
  return loaded;
}

/**
 * Appends the items in one transaction, by default one of its own, which also advances the counter that numbers them. Returns
 * false when the dataset does not exist.
 */
export async function appendItems(
  engine: Engine,
  id: string,
  packed: PackedItems,
  measures: readonly FieldMeasure[],
  now: number,
  tx?: Db,
): Promise<boolean> {
  const { db, kind } = engine;
  const statements =
    kind === 'postgres' ? [appendOnPostgres(db, id, packed, now)] : appendOnSqlite(db, id, packed, now);
  if (measures.length > 0) statements.push(addMeasures(db, id, measures));
  if (tx !== undefined) return ((await executeAll(tx, statements))[0]?.numAffectedRows ?? 0n) > 0n;
  const [first] =
    statements.length === 1 ? [await db.executeQuery(statements[0]!)] : await engine.batch(statements);
  return (first?.numAffectedRows ?? 0n) > 0n;
}

/** First the counter, then the chunks, in one batch that no other statement interrupts. */
function appendOnSqlite(db: Db, id: string, packed: PackedItems, now: number): SqlStatement[] {
  const { count, cleanCount, bytes, newFields, chunks } = packed;
  const names = writeFields(newFields);
  const first =
    names === ''
      ? countItems(db, id, count, cleanCount, bytes, now)
      : countItemsAndFields(db, id, count, cleanCount, bytes, names, now);
  const inserts = chunks.map((chunk) =>
    insertChunk(db, id, count - chunk.at, chunk.count, chunk.bytes, chunk.outline, chunk.text),
  );
  return [first, ...inserts];
}

const countItems = buildOnce(
  (_db, id: string, count: number, cleanCount: number, bytes: number, now: number) =>
    counting(id, { count, cleanCount, bytes }, sql`fields`, now),
);

const countItemsAndFields = buildOnce(
  (_db, id: string, count: number, cleanCount: number, bytes: number, names: string, now: number) =>
    counting(id, { count, cleanCount, bytes }, sql`fields || ${names}`, now),
);

const insertChunk = buildOnce(
  (_db, id: string, beforeEnd: number, count: number, bytes: number, outline: string | null, text: string) =>
    sql`insert into dataset_chunks (dataset_id, first_seq, item_count, bytes, outline, items)
      select storage_id, item_count - ${beforeEnd}, ${count}, ${bytes}, ${outline}, ${text}
      from datasets where storage_id = ${id}`,
);

function counting(
  id: string,
  { count, cleanCount, bytes }: Pick<PackedItems, 'count' | 'cleanCount' | 'bytes'>,
  fields: RawBuilder<unknown>,
  now: number,
): RawBuilder<unknown> {
  return sql`update datasets set item_count = item_count + ${count},
    clean_item_count = clean_item_count + ${cleanCount}, bytes = bytes + ${bytes},
    fields = ${fields}, modified_at = ${now} where storage_id = ${id}`;
}

/** One statement, so that the row of the dataset is locked only for one commit. */
function appendOnPostgres(db: Db, id: string, packed: PackedItems, now: number): SqlStatement {
  const rows = packed.chunks.map(
    ({ at, count, bytes, outline, text }) =>
      sql`(cast(${packed.count - at} as bigint), cast(${count} as integer), cast(${bytes} as bigint), ${outline}, ${text})`,
  );
  const names = writeFields(packed.newFields);
  const fields = names === '' ? sql`fields` : sql`fields || ${names}`;
  return sql`with counted as (${counting(id, packed, fields, now)} returning item_count)
    insert into dataset_chunks (dataset_id, first_seq, item_count, bytes, outline, items)
    select ${id}, counted.item_count - chunk.before_end, chunk.item_count, chunk.bytes, chunk.outline, chunk.items
    from counted, (values ${sql.join(rows)}) as chunk (before_end, item_count, bytes, outline, items)`.compile(
    db,
  );
}

function addMeasures(db: Db, id: string, measures: readonly FieldMeasure[]): SqlStatement {
  const rows = measures.map(
    ({ field, min, max, nullCount, emptyCount }) =>
      sql`(cast(${JSON.stringify(field)} as text), cast(${min} as double precision),
        cast(${max} as double precision), cast(${nullCount} as bigint), cast(${emptyCount} as bigint))`,
  );
  return sql`insert into dataset_statistics (dataset_id, field, min, max, null_count, empty_count)
    select ${id}, column1, column2, column3, column4, column5 from (values ${sql.join(rows)}) as measured
    where exists (select 1 from datasets where storage_id = ${id})
    on conflict (dataset_id, field) do update set
      min = case when dataset_statistics.min < excluded.min then dataset_statistics.min
        else coalesce(excluded.min, dataset_statistics.min) end,
      max = case when dataset_statistics.max > excluded.max then dataset_statistics.max
        else coalesce(excluded.max, dataset_statistics.max) end,
      null_count = dataset_statistics.null_count + excluded.null_count,
      empty_count = dataset_statistics.empty_count + excluded.empty_count`.compile(db);
}

export async function listMeasures(db: Db, id: string): Promise<FieldMeasure[]> {
  const rows = await db.selectFrom('dataset_statistics').selectAll().where('dataset_id', '=', id).execute();
  return rows.map(({ field, min, max, null_count, empty_count }) => ({
    field: JSON.parse(field) as string,
    min,
    max,
    nullCount: null_count,
    emptyCount: empty_count,
  }));
}

export async function countReads(db: Db, id: string, reads: number): Promise<void> {
  await db
    .updateTable('datasets')
    .set((eb) => ({ read_count: eb('read_count', '+', reads) }))
    .where('storage_id', '=', id)
    .execute();
}

/** Deletes the counter first, so that nothing can be appended any more, and then the chunks in batches. */
export async function purgeDataset(db: Db, id: string, signal: AbortSignal): Promise<void> {
  await db.deleteFrom('datasets').where('storage_id', '=', id).execute();
  await db.deleteFrom('dataset_statistics').where('dataset_id', '=', id).execute();
  for (;;) {
    signal.throwIfAborted();
    const { numDeletedRows } = await db
      .deleteFrom('dataset_chunks')
      .where('dataset_id', '=', id)
      .where('first_seq', '<=', lastOfBatch(db, id))
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) return;
  }
}

function lastOfBatch(db: Db, id: string) {
  return db
    .selectFrom((query) =>
      query
        .selectFrom('dataset_chunks')
        .select('first_seq')
        .where('dataset_id', '=', id)
        .orderBy('first_seq')
        .limit(BATCH_SIZE)
        .as('piece'),
    )
    .select(({ fn }) => fn.max('piece.first_seq').as('last'));
}
