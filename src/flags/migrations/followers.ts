// The table of members who follow a flag in an environment.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const followerMigrations: Migration[] = [
  {
    name: 'flags-followers',
    up: ({ text }) => [
      `create table flag_followers (
         flag_id ${text} not null references flags (id) on delete cascade,
         environment_id ${text} not null references environments (id) on delete cascade,
         member_id ${text} not null, followed_at bigint not null, primary key (flag_id, environment_id, member_id))`,
      `create index flag_followers_environment on flag_followers (environment_id, flag_id)`,
    ],
  },
];
