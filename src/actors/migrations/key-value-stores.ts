// The tables of key-value stores: counters and records.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const keyValueStoreMigrations: Migration[] = [
  {
    name: 'actors-key-value-stores',
    up: ({ bytes, text }) => [
      `create table kv_stores (
         id ${text} primary key, read_count bigint not null, write_count bigint not null, delete_count bigint not null,
         list_count bigint not null, storage_bytes bigint not null, modified_at bigint not null)`,
      `create table kv_records (
         store_id ${text} not null references kv_stores (id), key ${text} not null,
         content_type ${text} not null, content_encoding ${text}, size bigint not null, etag ${text} not null,
         updated_at bigint not null, blob ${text}, replaced_blob ${text}, replaced_size bigint not null, body ${bytes},
         primary key (store_id, key))`,
      `create index kv_records_blob on kv_records (blob) where blob is not null`,
    ],
  },
];
