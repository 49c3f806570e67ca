// The table of flags that are ready to be removed.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const removableFlagMigrations: Migration[] = [
  {
    name: 'flags-removable-flags',
    up: ({ text }) => [
      `create table removable_flags (
         flag_id ${text} primary key references flags (id) on delete cascade,
         project_id ${text} not null references projects (id) on delete cascade, since bigint not null)`,
      `create index removable_flags_project on removable_flags (project_id, flag_id)`,
    ],
  },
];
