// Datasets: what is counted of each, and its items in chunks.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const datasetMigrations: Migration[] = [
  {
    name: 'actors-datasets',
    up: () => [
      `create table datasets (
         storage_id text primary key, item_count bigint not null, clean_item_count bigint not null,
         bytes bigint not null, read_count bigint not null, fields text not null, modified_at bigint not null)`,
      // The items last: SQLite then finds all else without reading what overflows to other pages.
      `create table dataset_chunks (
         dataset_id text not null, first_seq bigint not null, item_count integer not null, bytes bigint not null,
         outline text, items text not null, primary key (dataset_id, first_seq))`,
      `create table dataset_statistics (
         dataset_id text not null, field text not null, min double precision, max double precision,
         null_count bigint not null, empty_count bigint not null, primary key (dataset_id, field))`,
    ],
  },
];
