// What members prefer in the console: one row for each who has changed something.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const preferenceMigrations: Migration[] = [
  {
    name: 'signalbox-preferences',
    up: ({ text }) => [
      `create table preferences (
         member_id ${text} primary key references members (id) on delete cascade,
         value ${text} not null, updated_at bigint not null)`,
    ],
  },
];
