// The table of app manifests that somebody agreed to, until they become apps.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    host_app_manifests: AppManifestRow;
  }
}

export interface AppManifestRow {
  /** Of the code that turns it into an app. */
  code_hash: string;
  /** Of the form by which somebody agreed: it is good once. */
  consent_hash: string;
  /** A member, a service token or an organization. */
  owner_id: string;
  /** Who agreed. */
  creator_id: string;
  /** JSON. */
  manifest: string;
  created_at: number;
  expires_at: number;
  /** Set when it became an app; the row stays until it expires, so that the consent stays used. */
  used_at: number | null;
}
