// The tables of gists, their revisions and their stars.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const gistMigrations: Migration[] = [
  {
    name: 'host-gists',
    up: ({ serial, text }) => [
      `create table gists (
         number ${serial}, id ${text} not null, owner_id ${text} not null, description ${text}, is_public integer not null,
         parent_number bigint references gists (number) on delete set null,
         comment_count bigint not null, star_count bigint not null, fork_count bigint not null,
         files ${text} not null, head ${text}, revision_count bigint not null,
         created_at bigint not null, updated_at bigint not null, deleted_at bigint)`,
      `create unique index gists_id on gists (id)`,
      `create index gists_public on gists (updated_at, number) where is_public = 1 and deleted_at is null`,
      `create index gists_of_owner on gists (owner_id, updated_at, number)`,
      // Counts by owner and visibility read this index alone.
      `create index gists_of_owner_public on gists (owner_id, is_public, updated_at, number) where deleted_at is null`,
      `create index gists_parent on gists (parent_number, created_at, number) where parent_number is not null`,
      `create index gists_parent_owner on gists (parent_number, owner_id) where parent_number is not null`,
      `create table gist_revisions (
         gist_number bigint not null references gists (number) on delete cascade, position bigint not null,
         sha ${text} not null, author_id ${text}, committed_at bigint not null,
         additions bigint not null, deletions bigint not null, primary key (gist_number, position))`,
      `create unique index gist_revisions_sha on gist_revisions (gist_number, sha)`,
      `create table gist_stars (
         account_id ${text} not null, gist_number bigint not null references gists (number) on delete cascade,
         created_at bigint not null, primary key (account_id, gist_number))`,
      `create index gist_stars_of_account on gist_stars (account_id, created_at, gist_number)`,
      `create index gist_stars_of_gist on gist_stars (gist_number)`,
    ],
  },
  {
    name: 'host-gists-inflated-bytes',
    up: () => [`alter table gists add column inflated_bytes bigint not null default 0`],
  },
];
