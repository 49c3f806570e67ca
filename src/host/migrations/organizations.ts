// The tables of organizations, their teams and their custom repository roles.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const organizationMigrations: Migration[] = [
  {
    name: 'host-organizations',
    up: ({ serial, text }) => [
      `create table organizations (
         number ${serial}, id ${text} not null unique, login ${text} not null, profile ${text} not null,
         settings ${text} not null, default_permission ${text} not null,
         created_at bigint not null, updated_at bigint not null)`,
      // Names are ASCII, which both engines fold alike.
      `create unique index organizations_login on organizations (lower(login))`,
      `create table organization_members (
         organization_id ${text} not null references organizations (id) on delete cascade, account_id ${text} not null,
         role ${text} not null, is_public integer not null, created_at bigint not null,
         primary key (organization_id, account_id))`,
      `create index organization_members_account on organization_members (account_id, organization_id)`,
      `create index organization_members_role on organization_members (organization_id, role, account_id)`,
      `create table organization_teams (
         number ${serial}, organization_id ${text} not null references organizations (id) on delete cascade,
         slug ${text} not null, name ${text} not null, folded_name ${text} not null, description ${text},
         privacy ${text} not null,
         notification_setting ${text} not null, permission ${text} not null,
         parent_number bigint references organization_teams (number) on delete cascade,
         created_at bigint not null, updated_at bigint not null)`,
      `create unique index organization_teams_slug on organization_teams (organization_id, slug)`,
      `create unique index organization_teams_name on organization_teams (organization_id, folded_name)`,
      `create index organization_teams_parent on organization_teams (parent_number, number) where parent_number is not null`,
      `create table organization_team_members (
         team_number bigint not null references organization_teams (number) on delete cascade, account_id ${text} not null,
         role ${text} not null, created_at bigint not null, primary key (team_number, account_id))`,
      `create index organization_team_members_account on organization_team_members (account_id, team_number)`,
      `create table repository_roles (
         number ${serial}, organization_id ${text} not null references organizations (id) on delete cascade,
         name ${text} not null, folded_name ${text} not null, description ${text}, base_role ${text} not null,
         permissions ${text} not null,
         created_at bigint not null, updated_at bigint not null)`,
      `create unique index repository_roles_name on repository_roles (organization_id, folded_name)`,
    ],
  },
];
