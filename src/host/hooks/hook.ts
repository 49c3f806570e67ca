// A webhook as rules know it: where it points, which events it may ask for and asks for, and how many a place may have.
import { Failure } from '../../kernel/failure.ts';

/** What a hook belongs to. An app has one hook, which is part of it, for all accounts that it is installed on. */
export type HookTarget = StoredHookTarget | { app: number };

/** Of the hooks that are rows of their own. */
export type StoredHookTarget = { repository: number } | { organization: string };

export type HookContentType = 'json' | 'form';

export interface HookConfig {
  url: string;
  contentType: HookContentType;
  /** Whether the receiver's certificate may be any. */
  insecureSsl: boolean;
  /** Sealed; null where bodies are not signed. */
  secret: string | null;
}

export interface LastResponse {
  code: number | null;
  status: string;
  message: string | null;
}

export interface Hook {
  number: number;
  target: HookTarget;
  /** The number of the repository, organization or app, as clients know it. */
  targetNumber: number;
  isActive: boolean;
  /** Names of events; `*` stands for all. */
  events: string[];
  config: HookConfig;
  afterEvent: number;
  lastResponse: LastResponse;
  createdAt: number;
  updatedAt: number;
}

/** The name of the API in the rows of the webhook engine. */
export const HOST_HOOKS = 'host';
const APP_HOOK = 'app/';
const MAX_PER_EVENT = 20;
export const EVERY_EVENT = '*';

/** Hooks of apps are numbered apart from the others: by their apps. */
export function hookRefOf({ number, target }: Pick<Hook, 'number' | 'target'>): {
  api: string;
  hookId: string;
} {
  return { api: HOST_HOOKS, hookId: 'app' in target ? APP_HOOK + String(number) : String(number) };
}

/** The number of the app whose hook it is; undefined for hooks of repositories and organizations. */
export function appNumberIn(hookId: string): number | undefined {
  return hookId.startsWith(APP_HOOK) ? Number(hookId.slice(APP_HOOK.length)) : undefined;
}

/** In the word that receivers know: apps are integrations. */
export function placeOfTarget(target: HookTarget): HookPlaceKind {
  if ('app' in target) return 'integration';
  return 'repository' in target ? 'repository' : 'organization';
}

/** Whether the hook receives events of this name. */
export function asksFor({ target, events }: Pick<Hook, 'target' | 'events'>, name: string): boolean {
  if (!isEventOf(placeOfTarget(target), name)) return false;
  return events.includes(EVERY_EVENT) || events.includes(name);
}

/** Throws where the hook, new or changed, cannot be beside the others of its place. */
export function checkBeside(
  hook: Pick<Hook, 'events' | 'config' | 'target'> & { number?: number },
  hooks: readonly Hook[],
): void {
  const others = hooks.filter(({ number }) => number !== hook.number);
  const overlaps = (other: Hook) =>
    other.events.includes(EVERY_EVENT) ||
    hook.events.includes(EVERY_EVENT) ||
    hook.events.some((name) => other.events.includes(name));
  if (others.some((other) => overlaps(other) && isSameConfig(hook.config, other.config)))
    throw refused(`Hook already exists on this ${placeOfTarget(hook.target)}`);
  for (const name of hook.events) {
    const asking = others.filter(
      ({ events }) => name === EVERY_EVENT || events.includes(name) || events.includes(EVERY_EVENT),
    );
    if (asking.length >= MAX_PER_EVENT)
      throw refused(`The "${name}" event cannot have more than ${MAX_PER_EVENT} hooks`);
  }
}

/** Secrets do not matter: the receiver would get every event twice. */
function isSameConfig(one: HookConfig, other: HookConfig): boolean {
  return (
    one.url === other.url && one.contentType === other.contentType && one.insecureSsl === other.insecureSsl
  );
}

function refused(message: string): Failure {
  return new Failure('invalid', message, { code: 'custom', fields: [{ field: '', message }] });
}

/** The events of a hook after a request, each once. */
export function eventsAfter(
  before: readonly string[],
  sent: { events?: string[]; add_events?: string[]; remove_events?: string[] },
): string[] {
  const { events = before, add_events: added = [], remove_events: removed = [] } = sent;
  return [...new Set([...events, ...added])].filter((name) => !removed.includes(name));
}

/** Clients ask for more events than happen on this server. */
const EVERYWHERE = wordsOf(`
  branch_protection_configuration branch_protection_rule check_run check_suite code_scanning_alert
  commit_comment create custom_property_values delete dependabot_alert deploy_key deployment
  deployment_status discussion discussion_comment fork gollum issue_comment issue_dependencies issues
  label member merge_group meta milestone package page_build project project_card project_column public
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
type HookPlaceKind = 'repository' | 'organization' | 'integration';

/** Whether hooks of repositories, of organizations, or of apps, which hear of both, may ask for the event. */
export function isEventOf(place: HookPlaceKind, name: string): boolean {
  return EVERYWHERE.has(name) || (place !== 'repository' && IN_ORGANIZATIONS.has(name));
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
