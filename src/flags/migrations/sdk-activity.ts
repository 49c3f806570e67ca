// The table of SDKs that have connected.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const sdkActivityMigrations: Migration[] = [
  {
    name: 'flags-sdk-activity',
    up: ({ text }) => [
      `create table sdk_activity (
         environment_id ${text} not null references environments (id) on delete cascade,
         key_kind ${text} not null, sdk ${text} not null, wrapper ${text} not null, seen_at bigint not null,
         primary key (environment_id, key_kind, sdk, wrapper))`,
      `create index sdk_activity_seen on sdk_activity (seen_at)`,
    ],
  },
];
