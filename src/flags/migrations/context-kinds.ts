// The table of context kinds.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const contextKindMigrations: Migration[] = [
  {
    name: 'flags-context-kinds',
    up: ({ text }) => [
      `create table context_kinds (
         project_id ${text} not null references projects (id) on delete cascade, key ${text} not null, name ${text} not null,
         is_archived integer not null, version integer not null, created_at bigint not null,
         modified_at bigint not null, description ${text} not null, primary key (project_id, key))`,
    ],
  },
];
