// The table of default setups of code scanning.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    code_scanning_setups: CodeScanningSetupRow;
  }
}

export interface CodeScanningSetupRow {
  repository_number: number;
  /** A `CodeScanningSetup` as JSON. */
  setup: string;
  /** The setup that is being configured, as JSON. */
  pending: string | null;
  updated_at: number | null;
}
