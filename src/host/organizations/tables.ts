// The tables of organizations and their members.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    organizations: OrganizationRow;
    organization_members: OrganizationMemberRow;
  }
}

export interface OrganizationRow {
  number: Generated<number>;
  id: string;
  login: string;
  /** What it says about itself, as JSON. */
  profile: string;
  /** What its members may do and how new repositories begin, as JSON. */
  settings: string;
  /** The repository role of every member: `none`, `read`, `write` or `admin`. */
  default_permission: string;
  created_at: number;
  updated_at: number;
}

export interface OrganizationMemberRow {
  organization_id: string;
  account_id: string;
  /** `admin` or `member`. */
  role: string;
  /** Whether everybody may know of the membership. */
  is_public: number;
  created_at: number;
}
