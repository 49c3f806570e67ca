// The messages between the main thread and the thread that reads an upload.
import type { ReadResult, SarifRunSummary } from './sarif-run.ts';
import type { ScanningRule } from './sarif-rule.ts';

/** The main thread asks for one after another, so that it never has more than one batch in memory. */
export type SarifRequest =
  | { verb: 'rules'; run: number; start: number }
  | { verb: 'results'; run: number; start: number }
  | { verb: 'document'; run: number };

export type SarifAnswer =
  | { verb: 'read'; runs: SarifRunSummary[] }
  | { verb: 'refused'; problems: string[] }
  | { verb: 'rules'; rules: [id: string, rule: ScanningRule][] }
  | { verb: 'results'; results: ReadResult[] }
  | { verb: 'document'; gzip: Uint8Array };

export const RULES_AT_ONCE = 50;
export const RESULTS_AT_ONCE = 200;
