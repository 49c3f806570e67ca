// Code-scanning alerts and analyses, as the host API has them.
import type { BadgeTone, StatusTone } from '../../ui/status.tsx';
import type { Person } from '../issues/issue.ts';
import { repositoryHref, type RepositoryPlace } from '../place.ts';

export const ALERT_STATES = ['open', 'dismissed', 'fixed'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'error', 'warning', 'note'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const DISMISSAL_REASONS = ['false positive', "won't fix", 'used in tests', 'mitigated'] as const;
export type DismissalReason = (typeof DISMISSAL_REASONS)[number];

export interface AlertInstance {
  ref: string;
  category: string;
  state: AlertState;
  commit_sha: string;
  message: { text: string };
  location: {
    /** Empty where it is in no file of the repository. */
    path: string;
    start_line: number;
    end_line: number;
    start_column: number;
    end_column: number;
  };
}

export interface Alert {
  number: number;
  created_at: string;
  updated_at: string;
  state: AlertState;
  fixed_at: string | null;
  dismissed_by: Person | null;
  dismissed_at: string | null;
  dismissed_reason: DismissalReason | null;
  dismissed_comment: string | null;
  rule: {
    id: string;
    name: string;
    severity: Severity | 'none';
    security_severity_level: Severity | null;
    description: string;
    full_description: string;
    tags: string[];
    /** Markdown; absent in lists. */
    help?: string | null;
    help_uri: string | null;
  };
  tool: { name: string; version: string | null };
  most_recent_instance: AlertInstance;
}

export interface Analysis {
  id: number;
  ref: string;
  commit_sha: string;
  category: string;
  created_at: string;
  results_count: number;
  rules_count: number;
  tool: { name: string; version: string | null };
  /** The newest of its ref, tool and category. */
  deletable: boolean;
  warning: string;
}

/** What is known about the danger wins over what the tool calls it. */
export function severityOf({ rule }: Pick<Alert, 'rule'>): Severity | 'none' {
  return rule.security_severity_level ?? rule.severity;
}

export const SEVERITY_TONES: Readonly<Record<Severity | 'none', BadgeTone | undefined>> = {
  critical: 'bad',
  high: 'bad',
  error: 'bad',
  medium: 'warn',
  warning: 'warn',
  low: undefined,
  note: undefined,
  none: undefined,
};

export const STATE_TONES: Readonly<Record<AlertState, StatusTone>> = {
  open: 'warn',
  dismissed: 'neutral',
  fixed: 'ok',
};

/** The name of a branch or a tag without what stands before it. */
export function shortRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags)\//, '').replace(/^refs\//, '');
}

export function locationText({ location: { path, start_line: line } }: AlertInstance): string {
  return path === '' ? '' : `${path}:${line}`;
}

/** Those of a tool and a branch or tag, where they are named. */
export function analysesHref(place: RepositoryPlace, named: { tool?: string; ref?: string } = {}): string {
  const query = new URLSearchParams(named).toString();
  return `${securityHref(place)}/analyses${query === '' ? '' : `?${query}`}`;
}

export function securityHref(place: RepositoryPlace): string {
  return `${repositoryHref(place)}/security`;
}

export function alertHref(place: RepositoryPlace, number: number): string {
  return `${securityHref(place)}/code-scanning/${number}`;
}
