// The table of custom repository roles.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    repository_roles: RepositoryRoleRow;
  }
}

export interface RepositoryRoleRow {
  number: Generated<number>;
  organization_id: string;
  name: string;
  /** The name without case, which no other of the organization has. */
  folded_name: string;
  description: string | null;
  /** `read`, `triage`, `write` or `maintain`. */
  base_role: string;
  /** A JSON list of further permissions. */
  permissions: string;
  created_at: number;
  updated_at: number;
}
