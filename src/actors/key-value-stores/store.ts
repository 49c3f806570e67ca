// The records of key-value stores in the database, with the contents that are small enough for a row.
import { sql, type ExpressionBuilder } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import { KEY_CHARACTERS, type Encoding, type KeyFilter } from './model.ts';
import type { RecordRow } from './tables.ts';

export interface RecordHead {
  contentType: string;
  encoding: Encoding | null;
  size: number;
  etag: string;
  updatedAt: number;
}

/** The content is in the row or in a blob. */
export type Content = { body: Uint8Array } | { blob: string };

/** What reading the content takes. */
export type RecordContent = Pick<RecordHead, 'encoding'> & Content;

export type StoredRecord = RecordHead & Content & { key: string };

export type NewRecord = Omit<RecordHead, 'updatedAt'> & Content;

const selectRecord = buildOnce((db, storeId: string, key: string) =>
  db.selectFrom('kv_records').selectAll().where('store_id', '=', storeId).where('key', '=', key),
);

export async function findRecord(db: Db, storeId: string, key: string): Promise<StoredRecord | undefined> {
  const { rows } = await db.executeQuery(selectRecord(db, storeId, key));
  return rows[0] && recordOf(rows[0]);
}

const countWrite = buildOnce((db, storeId: string, now: number) =>
  db
    .updateTable('kv_stores')
    .set((eb) => ({ write_count: eb('write_count', '+', 1), modified_at: now }))
    .where('id', '=', storeId),
);

const upsert = buildOnce(
  (
    db,
    store_id: string,
    key: string,
    content_type: string,
    content_encoding: string | null,
    size: number,
    etag: string,
    updated_at: number,
    blob: string | null,
    body: Uint8Array | null,
  ) =>
    db
      .insertInto('kv_records')
      .values({
        store_id,
        key,
        content_type,
        content_encoding,
        size,
        etag,
        updated_at,
        blob,
        body,
        replaced_blob: null,
        replaced_size: 0,
      })
      .onConflict((conflict) =>
        conflict.columns(['store_id', 'key']).doUpdateSet(({ ref }) => ({
          content_type: ref('excluded.content_type'),
          content_encoding: ref('excluded.content_encoding'),
          size: ref('excluded.size'),
          etag: ref('excluded.etag'),
          updated_at: ref('excluded.updated_at'),
          blob: ref('excluded.blob'),
          body: ref('excluded.body'),
          replaced_blob: ref('kv_records.blob'),
          replaced_size: ref('kv_records.size'),
        })),
      )
      .returning('replaced_blob'),
);

const addGrowth = buildOnce((db, storeId: string, key: string) =>
  db
    .updateTable('kv_stores')
    .set((eb) => ({
      storage_bytes: eb(
        'storage_bytes',
        '+',
        one(eb, storeId, key).select((row) => row('size', '-', row.ref('replaced_size')).as('growth')),
      ),
    }))
    .where('id', '=', storeId),
);

/**
 * Returns the blob that no row refers to any more, if there is one. The row of the store is updated first: it serializes the
 * writes to one store, so that its sum of sizes is exact.
 */
export async function replaceRecord(
  { db, batch }: Pick<Engine, 'db' | 'batch'>,
  storeId: string,
  key: string,
  record: NewRecord,
  now: number,
): Promise<string | undefined> {
  const { contentType, encoding, size, etag } = record;
  const blob = 'blob' in record ? record.blob : null;
  const body = 'body' in record ? record.body : null;
  const statements = [
    countWrite(db, storeId, now),
    upsert(db, storeId, key, contentType, encoding, size, etag, now, blob, body),
    addGrowth(db, storeId, key),
  ];
  const results = await batch(statements).catch(reportDeletedStore);
  const [replaced] = results[1]!.rows as { replaced_blob: string | null }[];
  return replaced?.replaced_blob ?? undefined;
}

/**
 * Only where the record still has this ETag; a deleted one has none. The row of the store is locked before the ETag is read, so
 * that no other write comes between.
 */
export async function replaceSameRecord(
  db: Db,
  storeId: string,
  key: string,
  { record, etag }: { record: NewRecord; etag: string },
  now: number,
): Promise<string | undefined> {
  return await db.transaction().execute(async (tx) => {
    await tx.updateTable('kv_stores').set({ modified_at: now }).where('id', '=', storeId).execute();
    const present = await tx
      .selectFrom('kv_records')
      .select('etag')
      .where('store_id', '=', storeId)
      .where('key', '=', key)
      .executeTakeFirst();
    if (present?.etag !== etag) throw recordChanged(key);
    return await replaceRecord({ db: tx, batch: (all) => executeAll(tx, all) }, storeId, key, record, now);
  });
}

function recordChanged(key: string): Failure {
  return new Failure(
    'conflict',
    `The record "${key}" was changed or deleted since it was read. Read it again.`,
  );
}

/** In the transaction that creates the store, or gives a run another input. */
export async function insertRecord(
  tx: Db,
  storeId: string,
  key: string,
  record: NewRecord,
  now: number,
): Promise<void> {
  const batch: Engine['batch'] = (statements) => executeAll(tx, statements);
  await replaceRecord({ db: tx, batch }, storeId, key, record, now);
}

/** Returns the blob that no row refers to any more, if there is one. */
export async function deleteRecord(
  { db, batch }: Engine,
  storeId: string,
  key: string,
  now: number,
): Promise<string | undefined> {
  const statements = [
    db
      .updateTable('kv_stores')
      .set((eb) => ({ delete_count: eb('delete_count', '+', 1), modified_at: now }))
      .where('id', '=', storeId),
    db
      .updateTable('kv_stores')
      .set((eb) => ({
        storage_bytes: eb(
          'storage_bytes',
          '-',
          eb.fn.coalesce(one(eb, storeId, key).select('size'), eb.val(0)),
        ),
      }))
      .where('id', '=', storeId),
    db.deleteFrom('kv_records').where('store_id', '=', storeId).where('key', '=', key).returning('blob'),
  ];
  const results = await batch(statements.map((statement) => statement.compile()));
  const [deleted] = results[2]!.rows as { blob: string | null }[];
  return deleted?.blob ?? undefined;
}

function one(eb: ExpressionBuilder<Tables, 'kv_stores'>, storeId: string, key: string) {
  return eb.selectFrom('kv_records').where('store_id', '=', storeId).where('key', '=', key);
}

/** A purge deletes the row of the store last; after that the foreign key rejects new records. */
function reportDeletedStore(error: unknown): never {
  if (error instanceof Failure && error.kind === 'conflict') {
    throw new Failure('not-found', 'The key-value store was deleted meanwhile');
  }
  throw error;
}

export interface KeyPage extends KeyFilter {
  /** The key before the first. */
  after?: string | undefined;
  limit: number;
}

export async function listKeys(
  db: Db,
  storeId: string,
  page: KeyPage,
): Promise<{ key: string; size: number }[]> {
  return await pageOf(db, storeId, page).select(['key', 'size']).execute();
}

/** With the type and the time of each record, without contents. */
export async function listRecordHeads(db: Db, storeId: string, page: KeyPage): Promise<ListedHead[]> {
  const rows = await pageOf(db, storeId, page)
    .select(['key', 'size', 'content_type', 'etag', 'updated_at'])
    .execute();
  return rows.map(headOf);
}

export async function listRecords(db: Db, storeId: string, page: KeyPage): Promise<StoredRecord[]> {
  const rows = await pageOf(db, storeId, page).selectAll().execute();
  return rows.map(recordOf);
}

/** Greater than every character of a key. */
const LAST = '\u{10ffff}';

function pageOf(db: Db, storeId: string, { prefixes, key, after, limit }: KeyPage) {
  let query = db.selectFrom('kv_records').where('store_id', '=', storeId);
  for (const prefix of prefixes) {
    if (prefix !== '') query = query.where('key', '>=', prefix).where('key', '<', prefix + LAST);
  }
  if (key !== undefined) query = query.where('key', '=', key);
  if (after !== undefined) query = query.where('key', '>', after);
  return query.orderBy('key').limit(limit);
}

export interface KeyGroup {
  /** Of all its keys: up to and with the delimiter. */
  prefix: string;
}

export interface KeyGroupPage {
  prefix: string;
  /** One character. */
  delimiter: string;
  /** The key or the prefix that the page before ended with. */
  after: string | undefined;
  limit: number;
}

type ListedHead = Omit<RecordHead, 'encoding'> & { key: string };

/**
 * The keys that begin with the prefix, where those that have a delimiter after it are one group for all up to there. Each step
 * goes to the first key behind the group, so that a page costs as many looks at the index as it has rows, however many keys
 * the groups have.
 */
export async function listKeyGroups(
  db: Db,
  storeId: string,
  { prefix, delimiter, after, limit }: KeyGroupPage,
): Promise<(KeyGroup | ListedHead)[]> {
  const rest = sql`ltrim(substr(walk.key, cast(${prefix.length + 1} as integer)), ${KEY_CHARACTERS.replace(delimiter, '')})`;
  const behind = sql`case when ${rest} = '' then walk.key
    else substr(walk.key, 1, length(walk.key) - length(${rest}) + 1) || cast(${LAST} as text) end`;
  const isGroup = after?.endsWith(delimiter) === true;
  const { rows } = await sql<HeadRow>`
    with recursive walk (key, step) as (
      select (select r.key from kv_records as r
        where r.store_id = ${storeId} and r.key >= ${prefix} and r.key > ${isGroup ? after + LAST : (after ?? '')}
          and r.key < ${prefix + LAST}
        order by r.key limit 1), 1
      union all
      select (select r.key from kv_records as r
        where r.store_id = ${storeId} and r.key > ${behind} and r.key < ${prefix + LAST}
        order by r.key limit 1), step + 1
      from walk where walk.key is not null and step < ${limit})
    select walk.key, r.size, r.content_type, r.etag, r.updated_at
    from walk left join kv_records as r on r.store_id = ${storeId} and r.key = walk.key
    where walk.key is not null
    order by walk.key`.execute(db);
  return rows.map((row) => {
    const end = row.key.indexOf(delimiter, prefix.length);
    return end === -1 ? headOf(row) : { prefix: row.key.slice(0, end + 1) };
  });
}

type HeadRow = Pick<RecordRow, 'key' | 'size' | 'content_type' | 'etag' | 'updated_at'>;

function headOf({ key, size, content_type: contentType, etag, updated_at: updatedAt }: HeadRow): ListedHead {
  return { key, size, contentType, etag, updatedAt };
}

function recordOf(row: RecordRow): StoredRecord {
  return {
    key: row.key,
    contentType: row.content_type,
    encoding: row.content_encoding as Encoding | null,
    size: row.size,
    etag: row.etag,
    updatedAt: row.updated_at,
    ...(row.blob === null ? { body: row.body ?? new Uint8Array() } : { blob: row.blob }),
  };
}

/** Returns those of the blobs that a record refers to. */
export async function listReferencedBlobs(db: Db, blobs: string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('kv_records').select('blob').where('blob', 'in', blobs).execute();
  return new Set(rows.map(({ blob }) => blob!));
}

/** Some records of a store, for a caller that deletes all of them. */
export async function listRecordBatch(
  db: Db,
  storeId: string,
  limit: number,
): Promise<{ key: string; blob: string | null }[]> {
  return await db
    .selectFrom('kv_records')
    .select(['key', 'blob'])
    .where('store_id', '=', storeId)
    .orderBy('key')
    .limit(limit)
    .execute();
}

/** Returns the blobs that no row refers to any more. */
export async function deleteRecordBatch(db: Db, storeId: string, keys: string[]): Promise<string[]> {
  const rows = await db
    .deleteFrom('kv_records')
    .where('store_id', '=', storeId)
    .where('key', 'in', keys)
    .returning('blob')
    .execute();
  return rows.flatMap(({ blob }) => blob ?? []);
}
