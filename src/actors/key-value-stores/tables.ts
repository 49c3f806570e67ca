// The rows of key-value stores, as Kysely types.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    kv_stores: StoreRow;
    kv_records: RecordRow;
  }
}

interface StoreRow {
  id: string;
  read_count: number;
  write_count: number;
  delete_count: number;
  list_count: number;
  /** The sum of the sizes of all records. */
  storage_bytes: number;
  /** When a record was last written or deleted. */
  modified_at: number;
}

export interface RecordRow {
  store_id: string;
  key: string;
  content_type: string;
  content_encoding: string | null;
  /** In bytes, as sent. */
  size: number;
  /** Unique to each write. */
  etag: string;
  updated_at: number;
  /** The key of the blob with the content, if that is not in `body`. */
  blob: string | null;
  /** What the last write replaced, stored by that write itself, so that no other write can come between. */
  replaced_blob: string | null;
  replaced_size: number;
  body: Uint8Array | null;
}
