// Environments as a Relay Proxy gets them, and the events that bring one up to date. Pure.
import { compilePolicy } from '../../kernel/identity/policy.ts';
import type { Environment, Project, RetiredKey } from '../projects/project.ts';
import { environmentResource } from '../policy/resources.ts';
import type { RelayProxyConfig } from './model.ts';

/** The policy of a configuration allows an environment by this action on it, or by `*`. */
export const SERVE = 'viewSdkKey';

export interface RelayEnvironment {
  /** The client-side ID. */
  id: string;
  resource: string;
  /** Rises with every change of the environment and of its project: a Relay Proxy ignores what has no higher version. */
  version: number;
  /** As the Relay Proxy reads it. */
  json: string;
}

/** What all streams of a node are brought up to date from. */
export interface RelayState {
  revision: number;
  configs: readonly RelayProxyConfig[];
  environments: readonly RelayEnvironment[];
}

export function toRelayEnvironment(
  project: Project,
  environment: Environment,
  now: number,
): RelayEnvironment {
  const { clientId: id, sdkKey, oldSdkKey, mobileKey, oldMobileKey } = environment;
  const version = project.version + environment.version;
  const oldSdk = unlessExpired(oldSdkKey, now);
  const oldMobile = unlessExpired(oldMobileKey, now);
  const shown = {
    envID: id,
    envKey: environment.key,
    envName: environment.name,
    mobKey: mobileKey,
    projKey: project.key,
    projName: project.name,
    sdkKey: {
      value: sdkKey,
      ...(oldSdk && { expiring: { value: oldSdk.key, timestamp: oldSdk.until } }),
    },
    // Older Relay Proxies know one mobile key alone.
    ...(oldMobile && {
      mobileKeys: [
        { key: 'current', value: mobileKey, hasViews: false },
        { key: 'expiring', value: oldMobile.key, expiry: oldMobile.until, hasViews: false },
      ],
    }),
    defaultTtl: environment.defaultTtl,
    secureMode: environment.secureMode,
    version,
  };
  return { id, resource: environmentResource(project, environment), version, json: JSON.stringify(shown) };
}

function unlessExpired(key: RetiredKey | undefined, now: number): RetiredKey | undefined {
  return key !== undefined && key.until > now ? key : undefined;
}

export function allowedEnvironments(
  { policy }: Pick<RelayProxyConfig, 'policy'>,
  environments: readonly RelayEnvironment[],
): RelayEnvironment[] {
  const { allows } = compilePolicy(policy);
  return environments.filter(({ resource }) => allows(SERVE, resource));
}

export function acceptsRelayKey(
  { hash, oldHash, oldUntil = 0 }: RelayProxyConfig,
  shown: string,
  now: number,
): boolean {
  return shown === hash || (shown === oldHash && oldUntil > now);
}

/** The versions of the environments that a Relay Proxy has, by id. */
export type SentVersions = ReadonlyMap<string, number>;

/**
 * An environment that exists but is no longer allowed goes by a whole set, which a Relay Proxy forgets what it lacks by: after
 * a `delete` it would ignore the same version if the policy allowed the environment again. Deletions come first, because a
 * new client-side ID may have the keys of the old one.
 */
export function relayEvents(
  sent: SentVersions | undefined,
  allowed: readonly RelayEnvironment[],
  all: readonly RelayEnvironment[],
): string {
  const ids = new Set(allowed.map(({ id }) => id));
  const gone = [...(sent ?? [])].filter(([id]) => !ids.has(id));
  const existing = new Set(all.map(({ id }) => id));
  if (sent === undefined || gone.some(([id]) => existing.has(id))) return putEvent(allowed);
  const changed = allowed.filter(({ id, version }) => sent.get(id) !== version);
  return [
    ...gone.map(([id, version]) => deleteEvent(id, version + 1)),
    ...changed.map(({ id, json }) => patchEvent(id, json)),
  ].join('');
}

function putEvent(environments: readonly RelayEnvironment[]): string {
  const members = environments.map(({ id, json }) => `${JSON.stringify(id)}:${json}`).join(',');
  return `event: put\ndata: {"path":"/","data":{"environments":{${members}},"filters":{}}}\n\n`;
}

function patchEvent(id: string, json: string): string {
  return `event: patch\ndata: {"path":${JSON.stringify(pathOf(id))},"data":${json}}\n\n`;
}

function deleteEvent(id: string, version: number): string {
  return `event: delete\ndata: ${JSON.stringify({ path: pathOf(id), version })}\n\n`;
}

function pathOf(id: string): string {
  return `/environments/${id}`;
}
