// The table of the keys that secret input fields are encrypted with.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    input_keys: InputKeyRow;
  }
}

export interface InputKeyRow {
  /** The account that runs the Actor. */
  user_id: string;
  actor_id: string;
  /** PEM. */
  public_key: string;
  /** The private key and its passphrase, sealed. */
  sealed_key: string;
  created_at: number;
}
