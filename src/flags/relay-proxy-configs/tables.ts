// The tables of Relay Proxy configurations.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    relay_proxy_configs: RelayProxyConfigRow;
    relay_revisions: RelayRevisionRow;
  }
}

export interface RelayProxyConfigRow {
  id: string;
  name: string;
  /** A JSON list of statements. */
  policy: string;
  creator_id: string;
  /** The hash of the key. */
  hash: string;
  /** The last characters of the key. */
  ending: string;
  /** The key before the last reset, and until when it works. */
  old_hash: string | null;
  old_until: number | null;
  version: number;
  created_at: number;
  modified_at: number;
}

/** One row: how often anything has changed that Relay Proxies may have to hear of. */
export interface RelayRevisionRow {
  id: number;
  revision: number;
}
