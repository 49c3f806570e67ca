// The tables of apps, their keys, their installations, the repositories that these select, and their tokens.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    host_apps: HostAppRow;
    host_app_keys: AppKeyRow;
    host_installations: InstallationRow;
    host_installation_repositories: { installation_number: number; repository_number: number };
    host_installation_tokens: InstallationTokenRow;
  }
}

export interface HostAppRow {
  number: Generated<number>;
  slug: string;
  client_id: string;
  /** A member, a service token or an organization. */
  owner_id: string;
  /** The account that its installations act as. */
  bot_id: string;
  name: string;
  description: string | null;
  external_url: string;
  /** Whether others than the owner may install it. */
  is_public: number;
  /** JSON: levels by permission. */
  permissions: string;
  /** A JSON list. */
  events: string;
  /** JSON: the addresses that people are sent to. */
  urls: string;
  client_secret_hash: string | null;
  hook_url: string | null;
  hook_active: number;
  /** `json` or `form`. */
  hook_content_type: string;
  hook_insecure_ssl: number;
  /** Sealed. */
  hook_secret: string | null;
  rights_revision: Generated<number>;
  /** JSON: revisions by right. */
  lost_rights: Generated<string>;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

export interface AppKeyRow {
  number: Generated<number>;
  app_number: number;
  /** PEM. */
  public_key: string;
  created_at: number;
}

export interface InstallationRow {
  number: Generated<number>;
  app_number: number;
  /** A member, a service token or an organization. */
  account_id: string;
  /** `User` or `Organization`. */
  target_type: string;
  /** `all` or `selected`. */
  repository_selection: string;
  /** JSON: levels by permission. */
  permissions: string;
  /** A JSON list. */
  events: string;
  rights_revision: Generated<number>;
  suspended_at: number | null;
  /** The account. */
  suspended_by: string | null;
  created_at: number;
  updated_at: number;
  /** Set while background work removes it: it has no rights from then on. */
  removed_at: number | null;
}

export interface InstallationTokenRow {
  hash: string;
  installation_number: number;
  /** JSON: levels by permission. */
  permissions: string;
  /** JSON: the numbers of the repositories that it is limited to; null for all of the installation. */
  repositories: string | null;
  created_at: number;
  expires_at: number;
}
