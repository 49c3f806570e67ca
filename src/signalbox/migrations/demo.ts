// Whether the examples are there, and since when.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const demoMigrations: Migration[] = [
  {
    name: 'signalbox-demo',
    up: ({ text }) => [
      `create table demo (
         id integer primary key check (id = 1), state ${text} not null, made_at bigint, loaded_at bigint)`,
    ],
  },
];
