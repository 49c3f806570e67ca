// The manifest of an app, as another site sends it: what it may hold, what is refused, and how it lasts through a login.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Failure } from '../../kernel/failure.ts';
import { checker, Nullable, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import type { AppUrls } from '../apps/app.ts';
import { checkedPermissions, type AppPermissions } from '../apps/permissions.ts';
import { isEventOf } from '../hooks/hook.ts';

const MAX_MANIFEST = 64 * 1024;
const MAX_CALLBACKS = 10;

const Address = PlainText({ maxLength: 2048 });

const Manifest = Type.Object({
  name: Type.Optional(PlainText({ maxLength: 200 })),
  url: Address,
  description: Type.Optional(Nullable(PlainText({ maxLength: 2000 }))),
  hook_attributes: Type.Optional(Type.Object({ url: Address, active: Type.Optional(Type.Boolean()) })),
  redirect_url: Type.Optional(Address),
  callback_url: Type.Optional(Address),
  callback_urls: Type.Optional(Type.Array(Address, { maxItems: MAX_CALLBACKS })),
  setup_url: Type.Optional(Address),
  setup_on_update: Type.Optional(Type.Boolean()),
  public: Type.Optional(Type.Boolean()),
  default_permissions: Type.Optional(Type.Record(Type.String({ maxLength: 100 }), Type.String())),
  default_events: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 200 })),
});

const checkManifest = checker(Manifest, 'manifest');

/** What an app asks for. JSON. */
export interface AppManifest {
  /** Empty where the person who registers the app has to choose one. */
  name: string;
  description: string | null;
  externalUrl: string;
  isPublic: boolean;
  permissions: AppPermissions;
  events: string[];
  urls: AppUrls;
  hook: { url: string | null; isActive: boolean };
}

/** `checkHookUrl` throws for addresses that this server must not call. */
export function readAppManifest(text: string, checkHookUrl: (url: string) => void): AppManifest {
  if (text.length > MAX_MANIFEST) throw problem('manifest', `must have at most ${MAX_MANIFEST} characters`);
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch {
    throw problem('manifest', 'must be JSON');
  }
  checkManifest(sent);
  const manifest = sent as Static<typeof Manifest>;
  const { hook_attributes: hook, callback_urls: callbacks = [], callback_url: callback } = manifest;
  const permissions = checkedPermissions(manifest.default_permissions ?? {}, 'default_permissions');
  if (hook !== undefined) {
    const url = checkedAddress('hook_attributes.url', hook.url);
    checkHookAddress('hook_attributes.url', url, checkHookUrl);
  }
  return {
    name: (manifest.name ?? '').trim(),
    description: manifest.description?.trim() || null,
    externalUrl: checkedAddress('url', manifest.url),
    isPublic: manifest.public ?? false,
    permissions,
    events: checkedEvents('default_events', manifest.default_events ?? [], permissions),
    urls: {
      redirect: optionalAddress('redirect_url', manifest.redirect_url),
      callbacks: [...callbacks, ...(callback === undefined ? [] : [callback])].map((url) =>
        checkedAddress('callback_urls', url),
      ),
      setup: optionalAddress('setup_url', manifest.setup_url),
      setupOnUpdate: manifest.setup_on_update ?? false,
    },
    hook: { url: hook?.url ?? null, isActive: hook !== undefined && (hook.active ?? true) },
  };
}

function optionalAddress(field: string, url: string | undefined): string | null {
  return url === undefined || url === '' ? null : checkedAddress(field, url);
}

/** People are sent there: a `javascript:` address, or one with a password in it, would be an attack. */
export function checkedAddress(field: string, url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) throw problem(field, 'must be a URL');
  if (!/^https?:$/.test(parsed.protocol)) throw problem(field, 'must begin with http: or https:');
  if (parsed.username !== '' || parsed.password !== '') throw problem(field, 'must have no user or password');
  return url;
}

export function checkHookAddress(field: string, url: string, check: (url: string) => void): void {
  try {
    check(url);
  } catch (error) {
    throw problem(field, `cannot be used. ${(error as Error).message}`);
  }
}

/** Each once, in no order. */
export function checkedEvents(
  field: string,
  names: readonly string[],
  permissions: AppPermissions,
): string[] {
  for (const name of names) {
    const permission = permissionForEvent(name);
    if (permission === undefined) throw problem(field, `must be names of events: "${name}" is none`);
    if (permissions[permission] === undefined)
      throw problem(field, `must have permissions: "${name}" needs the permission ${permission}`);
  }
  return [...new Set(names)];
}

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

/** Payloads show what the permission lets the app read. Undefined where no app can ask for the event. */
function permissionForEvent(name: string): string | undefined {
  return isEventOf('integration', name) ? (PERMISSIONS.get(name) ?? 'metadata') : undefined;
}

/**
 * A manifest as a part of an address: it comes from another site, without a session, and has to last through
 * the login.
 */
export interface SentManifest {
  /** As it was sent. */
  text: string;
  /** Of the site, which gets it back. */
  state: string;
}

/** Proxies refuse longer addresses than 8 KB. A manifest that asks for everything takes a quarter of this. */
const MAX_PACKED = 6000;
const MAX_UNPACKED = 256 * 1024;

export function packManifest({ text, state }: SentManifest): string {
  const packed = deflateRawSync(JSON.stringify([text, state])).toString('base64url');
  if (packed.length > MAX_PACKED) throw problem('manifest', 'must be smaller, together with the state');
  return packed;
}

/** Anybody can make one up: it is checked like one that was sent. */
export function unpackManifest(packed: string): SentManifest {
  try {
    if (packed.length > MAX_PACKED) throw new Error('too long');
    const bytes = inflateRawSync(Buffer.from(packed, 'base64url'), { maxOutputLength: MAX_UNPACKED });
    const sent: unknown = JSON.parse(bytes.toString('utf8'));
    if (!Array.isArray(sent) || !sent.every((one) => typeof one === 'string')) throw new Error('no manifest');
    const [text = '', state = ''] = sent;
    return { text, state };
  } catch {
    throw new Failure(
      'malformed',
      'This address is not complete. Begin again at the site that you come from.',
    );
  }
}
