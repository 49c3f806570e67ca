// The pages of things, by the specifiers that policies and the audit log name them with.

interface SpecifierPart {
  type: string;
  id: string;
}

/** `proj/shop;web:env/test:flag/x` without its tags. */
function partsOf(resource: string): SpecifierPart[] {
  return resource.split(':').map((part) => {
    const [plain = ''] = part.split(';', 1);
    const slash = plain.indexOf('/');
    return slash === -1
      ? { type: plain, id: '' }
      : { type: plain.slice(0, slash), id: plain.slice(slash + 1) };
  });
}

function idOf(parts: readonly SpecifierPart[], type: string): string | undefined {
  const id = parts.find((part) => part.type === type)?.id;
  return id === undefined || id === '' || id.includes('*') ? undefined : id;
}

/** By the types of specifiers. */
const STORAGE_PAGES: Readonly<Record<string, string>> = {
  dataset: 'datasets',
  'key-value-store': 'stores',
  'request-queue': 'queues',
};

/** A path below the console; undefined where the thing has no page. `name` is what lists are filtered by. */
export function hrefOfResource(resource: string, name = ''): string | undefined {
  const parts = partsOf(resource);
  const [first] = parts;
  const last = parts.at(-1);
  if (first === undefined || last === undefined) return undefined;
  if (first.type === 'proj') return hrefInProject(parts, last.type);
  const filtered = name === '' ? '' : `?q=${encodeURIComponent(name)}`;
  if (first.type === 'service-token' || last.type === 'token') return `/account/tokens${filtered}`;
  if (first.type === 'member') return `/account/members${filtered}`;
  if (first.type === 'role') return hrefOfNamed('/account/roles/', idOf(parts, 'role')) ?? '/account/roles';
  if (first.type === 'team')
    return hrefOfNamed('/account/teams?team=', idOf(parts, 'team')) ?? '/account/teams';
  if (first.type === 'webhook') return hrefOfWebhook(idOf(parts, 'webhook'));
  if (first.type === 'actor-webhook') return hrefOfActorWebhook(idOf(parts, 'actor-webhook'));
  if (first.type === 'app') return '/account/apps';
  if (first.type === 'integration') return `/account/webhooks${filtered}`;
  if (first.type === 'relay-proxy-config') return '/account/webhooks?tab=relay';
  if (first.type === 'repo') return hrefOfRepository(first.id);
  if (first.type === 'org') return hrefOfOrganization(parts);
  if (first.type === 'gist') return hrefOfGist(first.id);
  const storage = STORAGE_PAGES[first.type];
  const storageId = storage === undefined ? undefined : idOf(parts, first.type);
  if (storageId !== undefined) return `/storage/${storage}/${encodeURIComponent(storageId)}`;
  const actor = first.type === 'actor' ? idOf(parts, 'actor') : undefined;
  if (actor !== undefined) return `/actors/${encodeURIComponent(actor)}`;
  const task = idOf(parts, 'actor-task');
  if (task !== undefined) return `/tasks/${encodeURIComponent(task)}`;
  const schedule = idOf(parts, 'schedule');
  if (schedule !== undefined) return `/schedules/${encodeURIComponent(schedule)}`;
  const run = idOf(parts, 'actor-run');
  return run === undefined ? undefined : `/runs/${encodeURIComponent(run)}`;
}

function hrefInProject(parts: readonly SpecifierPart[], type: string): string | undefined {
  const project = idOf(parts, 'proj');
  if (project === undefined) return undefined;
  const list = `/flags/${encodeURIComponent(project)}`;
  const environment = idOf(parts, 'env');
  const chosen = environment === undefined ? '' : `?env=${encodeURIComponent(environment)}`;
  if (type === 'proj' || type === 'env') return `/environments/${encodeURIComponent(project)}${chosen}`;
  const segment = type === 'segment' ? idOf(parts, 'segment') : undefined;
  if (segment !== undefined)
    return `/segments/${encodeURIComponent(project)}/${encodeURIComponent(segment)}${chosen}`;
  const flag = type === 'flag' ? idOf(parts, 'flag') : undefined;
  return flag === undefined ? undefined : `${list}/${encodeURIComponent(flag)}${chosen}`;
}

function hrefOfNamed(place: string, id: string | undefined): string | undefined {
  return id === undefined ? undefined : place + encodeURIComponent(id);
}

function hrefOfWebhook(id: string | undefined): string {
  return id === undefined ? '/account/webhooks' : `/account/webhooks?hook=${encodeURIComponent(id)}`;
}

function hrefOfActorWebhook(id: string | undefined): string {
  const chosen = id === undefined ? '' : `&hook=${encodeURIComponent(id)}`;
  return `/account/webhooks?tab=actors${chosen}`;
}

/** `owner/name`. */
function hrefOfRepository(id: string): string | undefined {
  const [owner, name, ...rest] = id.split('/');
  if (!owner || !name || rest.length > 0 || id.includes('*')) return undefined;
  return `/code/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

function hrefOfOrganization(parts: readonly SpecifierPart[]): string | undefined {
  const login = idOf(parts, 'org');
  if (login === undefined) return undefined;
  const home = `/orgs/${encodeURIComponent(login)}`;
  const team = idOf(parts, 'team');
  if (team !== undefined) return `${home}/teams/${encodeURIComponent(team)}`;
  return parts.at(-1)?.type === 'member' ? `${home}/members` : home;
}

/** `owner/id`. */
function hrefOfGist(id: string): string | undefined {
  const [, hash] = /^[^/*]+\/([0-9a-f]{32})$/.exec(id) ?? [];
  return hash === undefined ? undefined : `/gists/${hash}`;
}

/** What a flag has in each environment. Changes of the whole flag name an environment too, because policies do. */
const OF_ENVIRONMENT = new Set([
  'updateOn',
  'updateTargets',
  'updateRules',
  'updateFlagRuleDescription',
  'updateFallthrough',
  'updateOffVariation',
  'updatePrerequisites',
  'updateTrackEvents',
  'updateFlagFallthroughTrackEvents',
  'updateFlagConfigMigrationSettings',
  'updateExpiringTargets',
  'copyFlagConfigTo',
  'updateScheduledChanges',
  'createApprovalRequest',
  'updateApprovalRequest',
  'reviewApprovalRequest',
  'applyApprovalRequest',
  'deleteApprovalRequest',
]);

/** Of a change; undefined where it was not about one environment. */
export function environmentOf(resource: string, action: string): string | undefined {
  const parts = partsOf(resource);
  const type = parts.at(-1)?.type;
  if (type !== 'segment' && !(type === 'flag' && OF_ENVIRONMENT.has(action))) return undefined;
  return idOf(parts, 'env');
}
