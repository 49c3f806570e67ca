// The tables of repositories, and of who may use them, follows them or has starred them.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const repositoryMigrations: Migration[] = [
  {
    name: 'host-repositories',
    up: ({ serial, text }) => [
      `create table repositories (
         number ${serial}, owner_id ${text} not null, name ${text} not null, full_name ${text} not null,
         description ${text}, is_private integer not null,
         is_archived integer not null, default_branch ${text} not null, settings ${text} not null, topics ${text} not null,
         languages ${text} not null, language ${text}, license ${text}, size_kb bigint not null,
         parent_number bigint references repositories (number) on delete set null,
         source_number bigint references repositories (number) on delete set null,
         star_count bigint not null, watch_count bigint not null, fork_count bigint not null,
         created_at bigint not null, updated_at bigint not null, pushed_at bigint not null, deleted_at bigint)`,
      `create unique index repositories_name on repositories (owner_id, full_name) where deleted_at is null`,
      // Counts by owner and visibility read this index alone.
      `create index repositories_counts on repositories (owner_id, is_private, size_kb) where deleted_at is null`,
      `create index repositories_created on repositories (owner_id, created_at, number)`,
      `create index repositories_updated on repositories (owner_id, updated_at, number)`,
      `create index repositories_pushed on repositories (owner_id, pushed_at, number)`,
      `create index repositories_public on repositories (number) where is_private = 0 and deleted_at is null`,
      `create index repositories_parent on repositories (parent_number, created_at, number) where parent_number is not null`,
      `create index repositories_source on repositories (source_number, owner_id) where source_number is not null`,
      `create table repository_redirects (
         owner_id ${text} not null, folded_name ${text} not null,
         repository_number bigint not null references repositories (number) on delete cascade,
         created_at bigint not null, primary key (owner_id, folded_name))`,
      `create index repository_redirects_target on repository_redirects (repository_number)`,
      `create table collaborators (
         repository_number bigint not null references repositories (number) on delete cascade, account_id ${text} not null,
         role ${text} not null, created_at bigint not null, primary key (repository_number, account_id))`,
      `create index collaborators_account on collaborators (account_id, repository_number)`,
      `create table team_repositories (
         team_number bigint not null references organization_teams (number) on delete cascade,
         repository_number bigint not null references repositories (number) on delete cascade,
         role ${text} not null, created_at bigint not null, primary key (team_number, repository_number))`,
      `create index team_repositories_repository on team_repositories (repository_number, team_number)`,
      `create table stars (
         account_id ${text} not null, repository_number bigint not null references repositories (number) on delete cascade,
         created_at bigint not null, primary key (account_id, repository_number))`,
      `create index stars_of_account on stars (account_id, created_at, repository_number)`,
      `create index stars_of_repository on stars (repository_number, created_at, account_id)`,
      `create table watches (
         account_id ${text} not null, repository_number bigint not null references repositories (number) on delete cascade,
         is_ignored integer not null, created_at bigint not null, primary key (account_id, repository_number))`,
      `create index watches_of_repository on watches (repository_number, created_at, account_id)`,
      `create table commit_statuses (
         number ${serial}, repository_number bigint not null references repositories (number) on delete cascade,
         sha ${text} not null, context ${text} not null, state ${text} not null, description ${text}, target_url ${text},
         creator_id ${text} not null, created_at bigint not null)`,
      `create index commit_statuses_of_commit on commit_statuses (repository_number, sha, number)`,
      `create index commit_statuses_of_context on commit_statuses (repository_number, sha, context, number)`,
    ],
  },
  {
    name: 'host-repositories-bindings',
    up: ({ text }) => [
      `alter table repositories add column binding ${text}`,
      `update repositories set binding = 'fork' where is_private = 1 and source_number in (
         select number from repositories where is_private = 1)`,
    ],
  },
];
