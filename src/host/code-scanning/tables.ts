// The tables of code scanning.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    code_scanning_uploads: SarifUploadRow;
    code_scanning_sets: AnalysisSetRow;
    code_scanning_analyses: AnalysisRow;
    code_scanning_rules: ScanningRuleRow;
    code_scanning_counters: { repository_number: number; last_alert: number };
    code_scanning_alerts: AlertRow;
    code_scanning_results: ScanningResultRow;
    code_scanning_instances: AlertInstanceRow;
    code_scanning_alert_refs: AlertRefRow;
  }
}

export interface SarifUploadRow {
  /** Grows in the order of the uploads, in which they are processed. */
  number: Generated<number>;
  /** As clients know it. */
  id: string;
  repository_number: number;
  ref: string;
  commit_sha: string;
  checkout_uri: string | null;
  /** pending, complete or failed. */
  status: string;
  /** JSON: what is wrong with it. */
  errors: string | null;
  created_at: number;
  ended_at: number | null;
}

/** Analyses of the same ref, tool and category: the newest of them says what is open. */
export interface AnalysisSetRow {
  number: Generated<number>;
  repository_number: number;
  ref: string;
  tool_name: string;
  category: string;
}

export interface AnalysisRow {
  number: Generated<number>;
  repository_number: number;
  set_number: number;
  upload_number: number;
  /** Of the runs of the upload. */
  run_index: number;
  ref: string;
  commit_sha: string;
  tool_name: string;
  tool_version: string | null;
  tool_guid: string | null;
  category: string;
  results_count: number;
  rules_count: number;
  warning: string;
  created_at: number;
  /** 0 while it is being written, applied or deleted: nobody sees it. */
  is_ready: number;
  /** Of its set: only this one can be deleted. */
  is_newest: number;
  /** How many of its results have opened alerts; null before it begins and when it is ready. */
  applied: number | null;
  /** How many events it may still cause, meanwhile. */
  events_left: number | null;
  /** While it is being deleted: how many results of the newest of its set have their alerts back. */
  restored: number | null;
}

/** As the newest upload describes it. */
export interface ScanningRuleRow {
  repository_number: number;
  tool_name: string;
  rule_id: string;
  /** JSON, without the help. */
  rule: string;
  /** Apart, because it is long and lists do not show it. */
  help: string | null;
}

export interface AlertRow {
  repository_number: number;
  /** In its repository. */
  number: number;
  tool_name: string;
  tool_version: string | null;
  tool_guid: string | null;
  /** Of the rule and the place in the code; with the tool it identifies the alert. */
  fingerprint: string;
  rule_id: string;
  severity: string;
  security_severity: string | null;
  created_at: number;
  dismissed_at: number | null;
  dismissed_by: string | null;
  dismissed_reason: string | null;
  dismissed_comment: string | null;
}

export interface ScanningResultRow {
  analysis_number: number;
  position: number;
  set_number: number;
  /** Null until the analysis is ready. */
  alert_number: number | null;
  fingerprint: string;
  rule_id: string;
  severity: string;
  security_severity: string | null;
  /** JSON: the message and where it is. */
  details: string;
}

export interface AlertInstanceRow {
  repository_number: number;
  alert_number: number;
  set_number: number;
  ref: string;
  is_open: number;
  /** The newest that has it. */
  analysis_number: number;
  updated_at: number;
  fixed_at: number | null;
}

export interface AlertRefRow {
  repository_number: number;
  ref: string;
  alert_number: number;
  /** open, dismissed or fixed. */
  state: string;
  /** That of the most recent instance. */
  analysis_number: number;
  /** That of the alert. */
  created_at: number;
  updated_at: number;
  fixed_at: number | null;
  /** The owner of the repository, where the ref is its default branch: the lists of organizations show these. */
  listed_by: string | null;
}
