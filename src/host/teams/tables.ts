// The tables of teams of organizations.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    organization_teams: OrganizationTeamRow;
    organization_team_members: OrganizationTeamMemberRow;
    team_repositories: TeamRepositoryRow;
  }
}

export interface OrganizationTeamRow {
  number: Generated<number>;
  organization_id: string;
  slug: string;
  name: string;
  /** The name without case, which no other of the organization has. */
  folded_name: string;
  description: string | null;
  /** `secret` or `closed`. */
  privacy: string;
  notification_setting: string;
  /** The repository role that new repositories of the team get: `pull`, `push` or `admin`. */
  permission: string;
  parent_number: number | null;
  created_at: number;
  updated_at: number;
}

export interface OrganizationTeamMemberRow {
  team_number: number;
  account_id: string;
  /** `member` or `maintainer`. */
  role: string;
  created_at: number;
}

export interface TeamRepositoryRow {
  team_number: number;
  repository_number: number;
  /** A repository role, or the name of a custom one. */
  role: string;
  created_at: number;
}
