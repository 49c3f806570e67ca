// Code scanning as requests and replies show it.
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { SimpleRepository } from '../repositories/model.ts';
import { isoSeconds } from '../times.ts';
import { ALERT_STATES, DISMISSAL_REASONS, type AlertInstance, type ScanningAlert } from './alert.ts';
import type { Analysis } from './analysis.ts';
import { SECURITY_SEVERITIES, SEVERITIES } from './sarif/sarif-rule.ts';
import { siteOf } from '../site.ts';

export const SarifUploadRequest = Type.Object(
  {
    commit_sha: Type.String({ pattern: '^[0-9a-fA-F]{40}$' }),
    ref: PlainText({ description: 'A full name: refs/heads/…, refs/tags/… or refs/pull/…' }),
    sarif: Type.String({ description: 'The SARIF document, compressed by gzip and written in base64' }),
    checkout_uri: Type.Optional(
      PlainText({
        maxLength: 2048,
        description: 'Where the tool had the files: paths in the document begin with it',
      }),
    ),
    started_at: Type.Optional(Type.String({ format: 'date-time' })),
    tool_name: Type.Optional(
      PlainText({ maxLength: 255, description: 'The document names the tool itself' }),
    ),
    validate: Type.Optional(Type.Boolean({ description: 'Documents are always validated' })),
  },
  { $id: 'code-scanning-sarif-upload', additionalProperties: false },
);

export const SarifReceipt = Type.Object(
  { id: Type.String(), url: Type.String() },
  { $id: 'code-scanning-sarifs-receipt' },
);

export const SarifStatus = Type.Object(
  {
    processing_status: OneOf(['pending', 'complete', 'failed']),
    analyses_url: Nullable(Type.String()),
    errors: Nullable(Type.Array(Type.String())),
  },
  { $id: 'code-scanning-sarifs-status' },
);

const Tool = Type.Object(
  { name: Type.String(), version: Nullable(Type.String()), guid: Nullable(Type.String()) },
  { $id: 'code-scanning-analysis-tool' },
);

export const AnalysisReply = Type.Object(
  {
    ref: Type.String(),
    commit_sha: Type.String(),
    analysis_key: Type.String(),
    environment: Type.String(),
    category: Type.String(),
    error: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    results_count: Type.Integer(),
    rules_count: Type.Integer(),
    id: Type.Integer(),
    url: Type.String(),
    sarif_id: Type.String(),
    tool: Tool,
    deletable: Type.Boolean(),
    warning: Type.String(),
  },
  { $id: 'code-scanning-analysis' },
);

export const AnalysisDeletion = Type.Object(
  { next_analysis_url: Nullable(Type.String()), confirm_delete_url: Nullable(Type.String()) },
  { $id: 'code-scanning-analysis-deletion' },
);

export const InstanceReply = Type.Object(
  {
    ref: Type.String(),
    analysis_key: Type.String(),
    environment: Type.String(),
    category: Type.String(),
    state: OneOf(ALERT_STATES),
    commit_sha: Type.String(),
    message: Type.Object({ text: Type.String() }),
    location: Type.Object({
      path: Type.String({ description: 'Empty where it is in no file of the repository' }),
      start_line: Type.Integer(),
      end_line: Type.Integer(),
      start_column: Type.Integer(),
      end_column: Type.Integer(),
    }),
    html_url: Type.String(),
    classifications: Type.Array(Type.String()),
  },
  { $id: 'code-scanning-alert-instance' },
);

const Rule = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    severity: OneOf(SEVERITIES),
    security_severity_level: Nullable(OneOf(SECURITY_SEVERITIES)),
    description: Type.String(),
    full_description: Type.String(),
    tags: Type.Array(Type.String()),
    help: Type.Optional(Nullable(Type.String({ description: 'Lists leave it out' }))),
    help_uri: Nullable(Type.String()),
  },
  { $id: 'code-scanning-alert-rule' },
);

export const AlertReply = Type.Object(
  {
    number: Type.Integer(),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    url: Type.String(),
    html_url: Type.String(),
    instances_url: Type.String(),
    state: OneOf(ALERT_STATES),
    fixed_at: Nullable(Type.String({ format: 'date-time' })),
    dismissed_by: Nullable(SimpleUser),
    dismissed_at: Nullable(Type.String({ format: 'date-time' })),
    dismissed_reason: Nullable(OneOf(DISMISSAL_REASONS)),
    dismissed_comment: Nullable(Type.String()),
    rule: Rule,
    tool: Tool,
    most_recent_instance: InstanceReply,
  },
  { $id: 'code-scanning-alert' },
);

/** In the list of an organization. */
export const OrganizationAlertReply = Type.Object(
  { ...AlertReply.properties, repository: SimpleRepository },
  { $id: 'code-scanning-organization-alert-items' },
);

export const AlertUpdate = Type.Object(
  {
    state: OneOf(['open', 'dismissed']),
    dismissed_reason: Type.Optional(
      Nullable(OneOf(DISMISSAL_REASONS, { description: 'Needed where the state is dismissed' })),
    ),
    dismissed_comment: Type.Optional(Nullable(PlainText({ maxLength: 280 }))),
  },
  { $id: 'code-scanning-alert-update' },
);

/** Below the base of the API. */
export function scanningUrl({ owner, repository }: FoundRepository, base: string): string {
  return `${base}/repos/${owner.login}/${repository.name}/code-scanning`;
}

function alertPage({ owner, repository }: FoundRepository, number: number, base: string): string {
  return `${siteOf(base)}/${owner.login}/${repository.name}/security/code-scanning/${number}`;
}

/** Uploads do not name the configuration that made them: the category tells them apart. */
const CONFIGURATION = { analysis_key: '(default)', environment: '{}' };

export function toAnalysis(
  analysis: Analysis,
  found: FoundRepository,
  base: string,
): Static<typeof AnalysisReply> {
  return {
    ref: analysis.ref,
    commit_sha: analysis.commitSha,
    ...CONFIGURATION,
    category: analysis.category,
    error: '',
    created_at: isoSeconds(analysis.createdAt),
    results_count: analysis.resultsCount,
    rules_count: analysis.rulesCount,
    id: analysis.number,
    url: `${scanningUrl(found, base)}/analyses/${analysis.number}`,
    sarif_id: analysis.uploadId,
    tool: { name: analysis.toolName, version: analysis.toolVersion, guid: analysis.toolGuid },
    deletable: analysis.isDeletable,
    warning: analysis.warning,
  };
}

function toInstance(
  { ref, category, state, commitSha, details }: AlertInstance,
  page: string,
): Static<typeof InstanceReply> {
  return {
    ref,
    ...CONFIGURATION,
    category,
    state,
    commit_sha: commitSha,
    message: { text: details.message },
    location: details.location,
    html_url: page,
    classifications: [],
  };
}

export function toAlertInstance(
  instance: AlertInstance,
  found: FoundRepository,
  number: number,
  base: string,
) {
  return toInstance(instance, alertPage(found, number, base));
}

/** `dismissedBy` is undefined where nobody did, or the account is gone. */
export function toAlert(
  alert: ScanningAlert,
  found: FoundRepository,
  dismissedBy: RepositoryOwner | undefined,
  base: string,
): Static<typeof AlertReply> {
  const { number, rule, dismissal } = alert;
  const url = `${scanningUrl(found, base)}/alerts/${number}`;
  const page = alertPage(found, number, base);
  return {
    number,
    created_at: isoSeconds(alert.createdAt),
    updated_at: isoSeconds(alert.updatedAt),
    url,
    html_url: page,
    instances_url: `${url}/instances`,
    state: alert.state,
    fixed_at: alert.fixedAt === null ? null : isoSeconds(alert.fixedAt),
    dismissed_by: dismissedBy === undefined ? null : toSimpleUser(dismissedBy, base),
    dismissed_at: dismissal === null ? null : isoSeconds(dismissal.at),
    dismissed_reason: dismissal?.reason ?? null,
    dismissed_comment: dismissal?.comment ?? null,
    rule: {
      id: alert.ruleId,
      name: rule.name,
      severity: alert.severity,
      security_severity_level: alert.securitySeverity,
      description: rule.description,
      full_description: rule.fullDescription,
      tags: rule.tags,
      ...(rule.help !== undefined && { help: rule.help }),
      help_uri: rule.helpUri,
    },
    tool: { name: alert.toolName, version: alert.toolVersion, guid: alert.toolGuid },
    most_recent_instance: toInstance(alert.instance, page),
  };
}
