// Which key the database is written with, and which keys each node has: a key is written only when every node reads it.
import { sql, type RawBuilder } from 'kysely';
import { schedule } from '../jobs/due-store.ts';
import type { Migration } from '../storage/migrate.ts';
import type { Db } from '../storage/tables.ts';

declare module '../storage/tables.ts' {
  interface Tables {
    /** One row, once a secret is stored. `changed_at` is null as long as the first key is used. */
    secret_key: { id: number; fingerprint: string; changed_at: number | null; swept_at: number | null };
    /** The nodes that run on a database that several share. */
    secret_key_nodes: { node: string; keys: string; writes: string; until: number };
  }
}

export const secretKeyMigrations: Migration[] = [
  {
    name: 'kernel-secret-key',
    up: ({ text }) => [
      `create table secret_key (id integer primary key check (id = 1), fingerprint ${text} not null)`,
    ],
  },
];

export const keyringMigrations: Migration[] = [
  {
    name: 'kernel-keyring',
    up: ({ text }) => [
      'alter table secret_key add column changed_at bigint',
      'alter table secret_key add column swept_at bigint',
      `create table secret_key_nodes (
         node ${text} primary key, keys ${text} not null, writes ${text} not null, until bigint not null)`,
    ],
  },
];

export interface WrittenKey {
  fingerprint: string;
  changedAt: number | null;
  /** When nothing was left that an older key has sealed. */
  sweptAt: number | null;
}

export async function findWrittenKey(db: Db): Promise<WrittenKey | undefined> {
  const row = await db.selectFrom('secret_key').selectAll().executeTakeFirst();
  return row && { fingerprint: row.fingerprint, changedAt: row.changed_at, sweptAt: row.swept_at };
}

export async function findKeyFingerprint(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('secret_key').select('fingerprint').executeTakeFirst();
  return row?.fingerprint;
}

/** Stores it unless there is one, and returns the one that is there. */
export async function claimKeyFingerprint(db: Db, fingerprint: string): Promise<string> {
  await db
    .insertInto('secret_key')
    .values({ id: 1, fingerprint, changed_at: null, swept_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await findKeyFingerprint(db))!;
}

export async function updateWrittenKey(tx: Db, fingerprint: string, now: number): Promise<void> {
  await tx.updateTable('secret_key').set({ fingerprint, changed_at: now, swept_at: null }).execute();
}

/** Unless the key was changed again meanwhile. */
export async function updateSweptAt(db: Db, fingerprint: string, now: number): Promise<void> {
  await db.updateTable('secret_key').set({ swept_at: now }).where('fingerprint', '=', fingerprint).execute();
}

/** A node that is not heard of for so long has ended. */
export const NODE_LEASE_MS = 45_000;

export interface KeyNode {
  node: string;
  /** The ids of the keys that it reads, and of the one that it writes. */
  keys: string[];
  writes: string;
  until: number;
}

export async function upsertKeyNode(tx: Db, { node, keys, writes, until }: KeyNode): Promise<void> {
  const values = { keys: JSON.stringify(keys), writes, until };
  await tx
    .insertInto('secret_key_nodes')
    .values({ node, ...values })
    .onConflict((conflict) => conflict.column('node').doUpdateSet(values))
    .execute();
}

/** Those that have ended go with it. */
export async function deleteKeyNode(db: Db, node: string, now: number): Promise<void> {
  await db
    .deleteFrom('secret_key_nodes')
    .where((eb) => eb.or([eb('node', '=', node), eb('until', '<', now)]))
    .execute();
}

/** There are as many as there are nodes. */
export async function listKeyNodes(db: Db, now: number): Promise<KeyNode[]> {
  const rows = await db
    .selectFrom('secret_key_nodes')
    .selectAll()
    .where('until', '>=', now)
    .orderBy('node')
    .execute();
  return rows.map(({ keys, ...row }) => ({ ...row, keys: JSON.parse(keys) as string[] }));
}

/** A column with sealed texts, alone or in JSON, and the columns of its primary key. */
export interface SealedColumn {
  table: string;
  column: string;
  key: readonly string[];
}

export type RowKey = readonly (string | number)[];

/** In the order of the primary key, which is its index. */
export async function listSealedRows(
  db: Db,
  { table, column, key }: SealedColumn,
  after: RowKey | undefined,
  limit: number,
): Promise<{ key: RowKey; value: string }[]> {
  const names = sql.join(key.map((name) => sql.ref(name)));
  const isAfter = after === undefined ? sql`1 = 1` : sql`(${names}) > (${sql.join([...after])})`;
  const { rows } = await sql<Record<string, string | number>>`
    select ${names}, ${sql.ref(column)} as value from ${sql.table(table)}
    where ${isAfter} order by ${names} limit ${sql.lit(limit)}`.execute(db);
  return rows.map((row) => ({ key: key.map((name) => row[name]!), value: (row['value'] ?? '') as string }));
}

/** False where the row has changed since it was read: the next pass finds it. */
export async function updateSealedRow(
  db: Db,
  { table, column, key }: SealedColumn,
  row: RowKey,
  { before, after }: { before: string; after: string },
): Promise<boolean> {
  const conditions: RawBuilder<unknown>[] = key.map((name, index) => sql`${sql.ref(name)} = ${row[index]}`);
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${after}
    where ${sql.join(conditions, sql` and `)} and ${sql.ref(column)} = ${before}`.execute(db);
  return numAffectedRows === 1n;
}

/** The work that encrypts stored secrets anew. */
export const SWEEP_SECRETS = 'secrets.sweep';

export async function planSweep(db: Db, now: number, inMs = 0): Promise<void> {
  const work = { id: SWEEP_SECRETS, kind: SWEEP_SECRETS, payload: '', dueAt: now + inMs };
  await schedule(db, work, now, 'move');
}
