// The names of events that webhooks may ask for. Clients ask for more of them than happen on this server.

const EVERYWHERE = wordsOf(`
  branch_protection_configuration branch_protection_rule check_run check_suite code_scanning_alert
  commit_comment create custom_property_values delete dependabot_alert deploy_key deployment
  deployment_status discussion discussion_comment fork gollum issue_comment issues label member
  merge_group meta milestone package page_build project project_card project_column public
  pull_request pull_request_review pull_request_review_comment pull_request_review_thread push
  registry_package release repository repository_advisory repository_dispatch repository_import
  repository_ruleset repository_vulnerability_alert secret_scanning_alert
  secret_scanning_alert_location security_advisory security_and_analysis star status sub_issues
  team_add watch workflow_dispatch workflow_job workflow_run
`);

/** They happen in no repository. */
const IN_ORGANIZATIONS = wordsOf(`
  custom_property membership org_block organization projects_v2 projects_v2_item
  projects_v2_status_update team
`);

export const APP_EVENT_NAMES: readonly string[] = [...EVERYWHERE, ...IN_ORGANIZATIONS].toSorted();

/** What a hook may belong to, in the words that receivers know: apps are integrations. */
export type HookPlaceKind = 'repository' | 'organization' | 'integration';

/** Whether hooks of repositories, of organizations, or of apps, which hear of both, may ask for the event. */
export function isEventOf(place: HookPlaceKind, name: string): boolean {
  return EVERYWHERE.has(name) || (place !== 'repository' && IN_ORGANIZATIONS.has(name));
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
