// The tables of rules for branches.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    branch_protections: BranchProtectionRow;
    branch_protection_actors: BranchProtectionActorRow;
  }
}

export interface BranchProtectionRow {
  number: Generated<number>;
  repository_number: number;
  branch: string;
  /** A `BranchRule` as JSON. */
  rule: string;
  created_at: number;
  updated_at: number;
}

/** A user, a service token or a team that a rule names. */
export interface BranchProtectionActorRow {
  protection_number: number;
  /** What for: an `ActorPurpose`. */
  purpose: string;
  account_id: string | null;
  team_number: number | null;
}
