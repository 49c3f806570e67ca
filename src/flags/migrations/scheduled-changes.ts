// The table of scheduled flag changes.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const scheduledChangeMigrations: Migration[] = [
  {
    name: 'flags-scheduled-changes',
    up: ({ text }) => [
      `create table scheduled_changes (
         id ${text} primary key, flag_id ${text} not null references flags (id) on delete cascade,
         environment_id ${text} not null references environments (id) on delete cascade,
         member_id ${text} not null, service_token_id ${text}, execution_at bigint not null, status ${text} not null,
         version integer not null, created_at bigint not null, comment ${text}, conflicts ${text} not null,
         plan ${text} not null)`,
      `create index scheduled_changes_flag on scheduled_changes (flag_id, environment_id, execution_at, id)`,
      `create index scheduled_changes_environment on scheduled_changes (environment_id)`,
    ],
  },
  {
    name: 'flags-scheduled-changes-boundaries',
    up: ({ text }) => [
      `alter table scheduled_changes add column boundary_id ${text}`,
      `create index scheduled_changes_boundary on scheduled_changes (boundary_id) where boundary_id is not null`,
    ],
  },
];
