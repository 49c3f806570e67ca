// The tables of rules for branches, and of who is named in them.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const protectionMigrations: Migration[] = [
  {
    name: 'host-branch-protection',
    up: ({ serial, text }) => [
      `create table branch_protections (
         number ${serial}, repository_number bigint not null references repositories (number) on delete cascade,
         branch ${text} not null, rule ${text} not null, created_at bigint not null, updated_at bigint not null)`,
      `create unique index branch_protections_branch on branch_protections (repository_number, branch)`,
      // One of account and team is set.
      `create table branch_protection_actors (
         protection_number bigint not null references branch_protections (number) on delete cascade,
         purpose ${text} not null, account_id ${text},
         team_number bigint references organization_teams (number) on delete cascade)`,
      `create unique index branch_protection_accounts
         on branch_protection_actors (protection_number, purpose, account_id) where account_id is not null`,
      `create unique index branch_protection_teams
         on branch_protection_actors (protection_number, purpose, team_number) where team_number is not null`,
      `create index branch_protection_actors_of_account on branch_protection_actors (account_id) where account_id is not null`,
      `create index branch_protection_actors_of_team on branch_protection_actors (team_number) where team_number is not null`,
      `create index branch_protection_actors_of_rule on branch_protection_actors (protection_number)`,
    ],
  },
];
