// The table of SDKs that have connected.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    sdk_activity: SdkActivityRow;
  }
}

/** An SDK has connected to an environment, at this time for the last time, or up to an hour later. */
export interface SdkActivityRow {
  environment_id: string;
  key_kind: string;
  /** Without its version, in lower case, like `nodejsclient`. */
  sdk: string;
  /** The library around it, in lower case; empty for none. */
  wrapper: string;
  seen_at: number;
}
