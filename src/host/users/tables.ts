// The tables of what users say about themselves: profile, e-mail addresses, keys.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    user_profiles: UserProfileRow;
    user_emails: UserEmailRow;
    user_keys: UserKeyRow;
  }
}

export interface UserProfileRow {
  account_id: string;
  /** As JSON. */
  profile: string;
  updated_at: number;
}

/** The addresses beside that of the member, which is the primary one. */
export interface UserEmailRow {
  /** In one case, so that an address is there once. */
  folded_email: string;
  account_id: string;
  email: string;
  created_at: number;
}

export interface UserKeyRow {
  number: Generated<number>;
  account_id: string;
  title: string;
  /** In the format of OpenSSH, without a comment. */
  public_key: string;
  /** The hash of the key, because long keys do not fit into an index. */
  fingerprint: string;
  created_at: number;
}
