// An app and its installations as rules know them.
import type { HookContentType } from '../hooks/hook.ts';
import type { AppPermissions } from './permissions.ts';

/** Where people are sent to; null or empty where the app names none. */
export interface AppUrls {
  /** After the app was created from a manifest. */
  redirect: string | null;
  /** After a person has authorized the app. */
  callbacks: readonly string[];
  /** After the app was installed. */
  setup: string | null;
  /** Whether people are sent there after changes of an installation, too. */
  setupOnUpdate: boolean;
}

export interface AppHook {
  /** Null where the app has no webhook. */
  url: string | null;
  isActive: boolean;
  contentType: HookContentType;
  insecureSsl: boolean;
  /** Sealed; null where bodies are not signed. */
  secret: string | null;
}

export interface HostApp {
  number: number;
  slug: string;
  clientId: string;
  ownerId: string;
  botId: string;
  name: string;
  description: string | null;
  externalUrl: string;
  /** Whether others than the owner may install it. */
  isPublic: boolean;
  permissions: AppPermissions;
  /** Names of events; those of installations are sent without being named. */
  events: readonly string[];
  urls: AppUrls;
  hook: AppHook;
  /** How often its permissions and events have changed. */
  rightsRevision: number;
  /** The revisions in which it last gave up what it had asked for, by right. */
  lostRights: Readonly<Record<string, number>>;
  createdAt: number;
  updatedAt: number;
}

export type RepositorySelection = 'all' | 'selected';

export interface Installation {
  number: number;
  appNumber: number;
  accountId: string;
  targetType: 'User' | 'Organization';
  selection: RepositorySelection;
  permissions: AppPermissions;
  events: readonly string[];
  /** The app's revision of rights that the account agreed to. */
  rightsRevision: number;
  suspendedAt: number | null;
  /** The account; null where the app itself did it. */
  suspendedBy: string | null;
  createdAt: number;
  updatedAt: number;
  /** Set while background work removes it. */
  removedAt: number | null;
}

const MAX_NAME = 34;
/** The page for new apps is beside those of the others. */
const RESERVED_SLUG = 'new';

/** As addresses and the name of the bot have it; undefined for a name that has no letter or digit. */
export function appSlugOf(name: string): string | undefined {
  const words = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '');
  const slug = words
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME)
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' ? undefined : slug;
}

export function isAppName(name: string): boolean {
  const slug = appSlugOf(name);
  if (slug === undefined || slug === RESERVED_SLUG) return false;
  return name.trim() === name && name.length > 0 && name.length <= MAX_NAME;
}

/** As policies name it. */
export function appResource({ slug }: Pick<HostApp, 'slug'>): string {
  return `app/${slug}`;
}
