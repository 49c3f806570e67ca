// The tables of code scanning: uploads, analyses with their results, and the alerts that come of them.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const codeScanningMigrations: Migration[] = [
  {
    name: 'host-code-scanning',
    up: ({ serial, text }) => [
      `create table code_scanning_uploads (
         number ${serial}, id ${text} not null unique,
         repository_number bigint not null references repositories (number) on delete cascade,
         ref ${text} not null, commit_sha ${text} not null, checkout_uri ${text}, status ${text} not null, errors ${text},
         created_at bigint not null, ended_at bigint)`,
      `create index code_scanning_uploads_repository on code_scanning_uploads (repository_number, number)`,
      `create index code_scanning_uploads_pending on code_scanning_uploads (repository_number, number)
         where status = 'pending'`,
      // An analysis replaces the one before of its set, and only that.
      `create table code_scanning_sets (
         number ${serial}, repository_number bigint not null references repositories (number) on delete cascade,
         ref ${text} not null, tool_name ${text} not null, category ${text} not null)`,
      `create unique index code_scanning_sets_key on code_scanning_sets (repository_number, ref, tool_name, category)`,
      `create table code_scanning_analyses (
         number ${serial}, repository_number bigint not null references repositories (number) on delete cascade,
         set_number bigint not null references code_scanning_sets (number) on delete cascade,
         upload_number bigint not null references code_scanning_uploads (number) on delete cascade,
         run_index integer not null, ref ${text} not null, commit_sha ${text} not null, tool_name ${text} not null,
         tool_version ${text}, tool_guid ${text}, category ${text} not null, results_count integer not null,
         rules_count integer not null, warning ${text} not null, created_at bigint not null,
         is_ready integer not null, is_newest integer not null)`,
      `create unique index code_scanning_analyses_run on code_scanning_analyses (upload_number, run_index)`,
      `create index code_scanning_analyses_repository on code_scanning_analyses (repository_number, number)
         where is_ready = 1`,
      `create index code_scanning_analyses_ref on code_scanning_analyses (repository_number, ref, number)
         where is_ready = 1`,
      `create index code_scanning_analyses_tool on code_scanning_analyses (repository_number, tool_name, number)
         where is_ready = 1`,
      `create index code_scanning_analyses_set on code_scanning_analyses (set_number, number)`,
      `create table code_scanning_rules (
         repository_number bigint not null references repositories (number) on delete cascade,
         tool_name ${text} not null, rule_id ${text} not null, rule ${text} not null,
         primary key (repository_number, tool_name, rule_id))`,
      `create table code_scanning_counters (
         repository_number bigint primary key references repositories (number) on delete cascade,
         last_alert bigint not null)`,
      `create table code_scanning_alerts (
         repository_number bigint not null references repositories (number) on delete cascade, number bigint not null,
         tool_name ${text} not null, tool_version ${text}, tool_guid ${text}, fingerprint ${text} not null,
         rule_id ${text} not null, severity ${text} not null, security_severity ${text}, created_at bigint not null,
         dismissed_at bigint, dismissed_by ${text}, dismissed_reason ${text}, dismissed_comment ${text},
         primary key (repository_number, number))`,
      `create unique index code_scanning_alerts_identity
         on code_scanning_alerts (repository_number, tool_name, fingerprint)`,
      `create table code_scanning_results (
         analysis_number bigint not null references code_scanning_analyses (number) on delete cascade,
         position integer not null, set_number bigint not null, alert_number bigint, fingerprint ${text} not null,
         rule_id ${text} not null, severity ${text} not null, security_severity ${text}, details ${text} not null,
         primary key (analysis_number, position))`,
      `create index code_scanning_results_alert on code_scanning_results (analysis_number, alert_number)`,
      `create index code_scanning_results_set on code_scanning_results (set_number, alert_number, analysis_number)`,
      // An alert in a set: open while the newest analysis of the set has it.
      `create table code_scanning_instances (
         repository_number bigint not null references repositories (number) on delete cascade,
         alert_number bigint not null, set_number bigint not null references code_scanning_sets (number) on delete cascade,
         ref ${text} not null, is_open integer not null, analysis_number bigint not null, updated_at bigint not null,
         fixed_at bigint, primary key (repository_number, alert_number, set_number))`,
      `create index code_scanning_instances_set on code_scanning_instances (set_number, is_open, alert_number)`,
      // An alert on a ref, of all sets of that ref: this is what lists show.
      `create table code_scanning_alert_refs (
         repository_number bigint not null references repositories (number) on delete cascade,
         ref ${text} not null, alert_number bigint not null, state ${text} not null, analysis_number bigint not null,
         updated_at bigint not null, fixed_at bigint, primary key (repository_number, ref, alert_number))`,
      `create index code_scanning_alert_refs_state
         on code_scanning_alert_refs (repository_number, ref, state, alert_number)`,
      `create index code_scanning_alert_refs_updated
         on code_scanning_alert_refs (repository_number, ref, updated_at, alert_number)`,
      `create index code_scanning_alert_refs_alert
         on code_scanning_alert_refs (repository_number, alert_number, updated_at)`,
    ],
  },
  {
    name: 'host-code-scanning-progress',
    up: () => [
      'alter table code_scanning_analyses add column applied integer',
      'alter table code_scanning_analyses add column events_left integer',
    ],
  },
  {
    name: 'host-code-scanning-deletions',
    up: () => [
      'alter table code_scanning_analyses add column restored integer',
      `create index code_scanning_analyses_deleting on code_scanning_analyses (repository_number)
         where restored is not null`,
    ],
  },
  {
    name: 'host-code-scanning-organizations',
    up: ({ text }) => [
      'alter table code_scanning_alert_refs add column created_at bigint not null default 0',
      `alter table code_scanning_alert_refs add column listed_by ${text}`,
      `update code_scanning_alert_refs set
         created_at = (select alert.created_at from code_scanning_alerts alert
           where alert.repository_number = code_scanning_alert_refs.repository_number
             and alert.number = code_scanning_alert_refs.alert_number),
         listed_by = (select repository.owner_id from repositories repository
           where repository.number = code_scanning_alert_refs.repository_number
             and 'refs/heads/' || repository.default_branch = code_scanning_alert_refs.ref)`,
      ...['created_at', 'updated_at'].map(
        (time) => `create index code_scanning_alert_refs_listed_${time}
          on code_scanning_alert_refs (listed_by, state, ${time}, repository_number, alert_number)
          where listed_by is not null`,
      ),
    ],
  },
  {
    name: 'host-code-scanning-help',
    up: ({ text }) => [`alter table code_scanning_rules add column help ${text}`],
  },
  {
    // For the deletion of a repository, whether its analyses are ready or not.
    name: 'host-code-scanning-removal',
    up: () => ['create index code_scanning_analyses_owner on code_scanning_analyses (repository_number)'],
  },
];
