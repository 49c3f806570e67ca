// Which permission an app needs to receive events of each name: payloads show what the permission lets it read.
import { isEventOf } from '../hooks/event-names.ts';

/** Others need the permission `metadata`, which every app has. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  administration: [
    'branch_protection_configuration',
    'branch_protection_rule',
    'deploy_key',
    'repository_ruleset',
    'security_and_analysis',
  ],
  actions: ['workflow_job', 'workflow_run'],
  checks: ['check_run', 'check_suite'],
  contents: [
    'commit_comment',
    'create',
    'delete',
    'fork',
    'gollum',
    'push',
    'release',
    'repository_dispatch',
    'workflow_dispatch',
  ],
  deployments: ['deployment', 'deployment_status'],
  issues: ['issue_comment', 'issues', 'label', 'milestone', 'sub_issues'],
  members: ['member', 'membership', 'organization', 'team', 'team_add'],
  organization_user_blocking: ['org_block'],
  organization_projects: ['projects_v2', 'projects_v2_item', 'projects_v2_status_update'],
  packages: ['package', 'registry_package'],
  pages: ['page_build'],
  pull_requests: [
    'merge_group',
    'pull_request',
    'pull_request_review',
    'pull_request_review_comment',
    'pull_request_review_thread',
  ],
  repository_projects: ['project', 'project_card', 'project_column'],
  secret_scanning_alerts: ['secret_scanning_alert', 'secret_scanning_alert_location'],
  security_events: ['code_scanning_alert'],
  statuses: ['status'],
  vulnerability_alerts: ['dependabot_alert', 'repository_vulnerability_alert'],
};

const PERMISSIONS = new Map(
  Object.entries(NEEDED).flatMap(([permission, events]) =>
    events.map((event) => [event, permission] as const),
  ),
);

/** Undefined where no app can ask for the event. */
export function permissionForEvent(name: string): string | undefined {
  return isEventOf('integration', name) ? (PERMISSIONS.get(name) ?? 'metadata') : undefined;
}
