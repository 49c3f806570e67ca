// The tables of datasets: counters, items in chunks, statistics.
import type { Migration } from '../../kernel/storage/migrate.ts';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    datasets: {
      storage_id: string;
      /** Also the sequence number that the next item gets. */
      item_count: number;
      /** Without items that have only hidden fields. */
      clean_item_count: number;
      bytes: number;
      read_count: number;
      /** Names as lines of JSON strings, in the order of their first occurrence; a name may occur twice. */
      fields: string;
      /** When items were last added. */
      modified_at: number;
    };
    dataset_chunks: {
      dataset_id: string;
      first_seq: number;
      item_count: number;
      bytes: number;
      /** See `column-outline.ts`. */
      outline: string | null;
      /** Joined by a comma and a line break: JSON.stringify writes no line break, nor NUL or half a surrogate pair. */
      items: string;
    };
    dataset_statistics: {
      dataset_id: string;
      /** As a JSON string, which both engines store without loss. */
      field: string;
      min: number | null;
      max: number | null;
      null_count: number;
      empty_count: number;
    };
  }
}

export const datasetMigrations: Migration[] = [
  {
    name: 'actors-datasets',
    up: ({ text }) => [
      `create table datasets (
         storage_id ${text} primary key, item_count bigint not null, clean_item_count bigint not null,
         bytes bigint not null, read_count bigint not null, fields ${text} not null, modified_at bigint not null)`,
      // The items come last: SQLite then reads the other columns without the overflow pages.
      `create table dataset_chunks (
         dataset_id ${text} not null, first_seq bigint not null, item_count integer not null, bytes bigint not null,
         outline ${text}, items ${text} not null, primary key (dataset_id, first_seq))`,
      `create table dataset_statistics (
         dataset_id ${text} not null, field ${text} not null, min double precision, max double precision,
         null_count bigint not null, empty_count bigint not null, primary key (dataset_id, field))`,
    ],
  },
];
