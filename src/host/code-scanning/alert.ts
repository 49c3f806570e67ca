// An alert as rules know it: on a ref, with its most recent instance there.
import type { ResultDetails } from './sarif/sarif-result.ts';
import type { AlertSeverity, ScanningRule, SecuritySeverity } from './sarif/sarif-rule.ts';

export const ALERT_STATES = ['open', 'dismissed', 'fixed'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

export const DISMISSAL_REASONS = ['false positive', "won't fix", 'used in tests', 'mitigated'] as const;

export interface AlertDismissal {
  at: number;
  by: string;
  reason: (typeof DISMISSAL_REASONS)[number];
  comment: string | null;
}

export interface AlertInstance {
  ref: string;
  category: string;
  state: AlertState;
  commitSha: string;
  details: ResultDetails;
}

export interface ScanningAlert {
  /** Of its repository. */
  repositoryNumber: number;
  number: number;
  state: AlertState;
  createdAt: number;
  updatedAt: number;
  fixedAt: number | null;
  dismissal: AlertDismissal | null;
  ruleId: string;
  /** As the newest upload describes it. */
  rule: ScanningRule;
  severity: AlertSeverity;
  securitySeverity: SecuritySeverity | null;
  toolName: string;
  toolVersion: string | null;
  toolGuid: string | null;
  instance: AlertInstance;
}
