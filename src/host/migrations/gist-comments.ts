// The table of comments on gists.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const gistCommentMigrations: Migration[] = [
  {
    name: 'host-gist-comments',
    up: ({ serial, text }) => [
      `create table gist_comments (
         number ${serial}, gist_number bigint not null references gists (number) on delete cascade,
         author_id ${text} not null, body ${text} not null, created_at bigint not null, updated_at bigint not null)`,
      `create index gist_comments_gist on gist_comments (gist_number, number)`,
    ],
  },
];
