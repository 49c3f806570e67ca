// The tables of key-value stores.

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
  /** Unlike that of any other write. */
  etag: string;
  updated_at: number;
  /** Where the content is, if it is not in `body`. */
  blob: string | null;
  /** What the last write has put aside, told by the write itself: no other write can come between. */
  replaced_blob: string | null;
  replaced_size: number;
  body: Uint8Array | null;
}
