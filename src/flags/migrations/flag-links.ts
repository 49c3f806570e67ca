// The table of links from flags to external pages.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const flagLinkMigrations: Migration[] = [
  {
    name: 'flags-flag-links',
    up: ({ text }) => [
      `create table flag_links (
         id ${text} primary key, flag_id ${text} not null references flags (id) on delete cascade, key ${text} not null,
         member_id ${text} not null, version integer not null, created_at bigint not null, doc ${text} not null,
         unique (flag_id, key))`,
      `create index flag_links_created on flag_links (flag_id, created_at, id)`,
    ],
  },
];
