// Tables as a copy has them, the same for both engines: their columns, their rows, and the last number that they gave.

/** What a value is in a copy: bytes are base64 there, and everything else is as in JSON. */
export type ColumnType = 'text' | 'integer' | 'real' | 'bytes';

export interface CopiedColumn {
  name: string;
  type: ColumnType;
}

export interface CopiedTable {
  name: string;
  /** In the order of their names, so that rows of both engines compare equal. */
  columns: CopiedColumn[];
  /** The column that numbers itself, with the last number given: it is never given again. */
  serial?: { column: string; last: number };
}

export type CopiedRow = (string | number | null)[];

/** The database as it was at one moment. */
export interface DatabaseSnapshot {
  tables: CopiedTable[];
  /** In batches. */
  rows(table: CopiedTable): AsyncGenerator<CopiedRow[], void, void>;
}

/** Puts rows into the tables of a new database. */
export interface DatabaseLoader {
  insert(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>;
  /** As it was read back. */
  count(table: CopiedTable): Promise<number>;
  /** The rows as they are there now, in batches. */
  rows(table: CopiedTable): AsyncGenerator<CopiedRow[], void, void>;
}

/** What belongs to one process or one place, and is not copied: who backs up, which nodes run, whether the server is paused. */
const NOT_COPIED = new Set([
  'backup_leases',
  'backup_runs',
  'disk_samples',
  'secret_key_nodes',
  'server_pause',
]);
/** The number of a transaction means nothing in another database: null there says that it ended long ago. */
export const TRANSACTION_COLUMN = 'xid';

export function isCopied(table: string): boolean {
  return !NOT_COPIED.has(table);
}

export const ROWS_AT_ONCE = 250;

export function encodeValue(value: unknown): string | number | null {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  if (typeof value === 'boolean') return Number(value);
  throw new Error(`A value of type ${typeof value} cannot be copied.`);
}

export function decodeValue(
  value: string | number | null,
  { type }: CopiedColumn,
): string | number | Buffer | null {
  return type === 'bytes' && typeof value === 'string' ? Buffer.from(value, 'base64') : value;
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
