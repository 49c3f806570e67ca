// The table of expiring targets of flags and segments.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const expiringTargetMigrations: Migration[] = [
  {
    name: 'flags-expiring-targets',
    up: ({ text }) => [
      // No foreign key for `resource_id`: it names a flag or a segment.
      `create table expiring_targets (
         id ${text} primary key, resource_kind ${text} not null, resource_id ${text} not null,
         environment_id ${text} not null references environments (id) on delete cascade,
         place ${text} not null, context_kind ${text} not null, context_key ${text} not null,
         expires_at bigint not null, version integer not null,
         unique (resource_id, environment_id, context_kind, context_key))`,
      `create index expiring_targets_environment on expiring_targets (environment_id)`,
    ],
  },
];
