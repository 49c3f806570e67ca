// The table of triggers: URLs that change a flag when they are called.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const triggerMigrations: Migration[] = [
  {
    name: 'flags-triggers',
    up: ({ text }) => [
      `create table flag_triggers (
         id ${text} primary key, flag_id ${text} not null references flags (id) on delete cascade,
         environment_id ${text} not null references environments (id) on delete cascade,
         member_id ${text} not null, integration_key ${text} not null, is_on integer not null, hash ${text} not null,
         fired_count bigint not null, fired_at bigint, version integer not null, created_at bigint not null,
         comment ${text}, instructions ${text} not null)`,
      `create index flag_triggers_flag on flag_triggers (flag_id, environment_id, created_at, id)`,
      `create index flag_triggers_environment on flag_triggers (environment_id)`,
    ],
  },
];
