// The tables of imports: which repositories are filled from elsewhere, and what came from where.
import type { Migration } from '../../kernel/storage/migrate.ts';

const REPOSITORY = 'repository_number bigint not null references repositories (number) on delete cascade';

export const importMigrations: Migration[] = [
  {
    name: 'host-imports',
    up: ({ text }) => [
      `create table repository_imports (
         repository_number bigint primary key references repositories (number) on delete cascade,
         source ${text} not null, begun_at bigint not null, active_at bigint not null, finished_at bigint)`,
      // What was imported is known by its id there, so that the same is not imported twice.
      `create table imported_items (
         ${REPOSITORY}, kind ${text} not null, source_id bigint not null, id bigint not null,
         updated_at bigint not null, primary key (repository_number, kind, source_id))`,
      `create index imported_items_updated on imported_items (repository_number, kind, updated_at)`,
    ],
  },
];
