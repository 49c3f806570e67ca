// Owners of repositories: users, service tokens and organizations, in the short form that most replies nest, as authors of commits, and the names that they cannot have.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import { Nullable, Type, type Static } from '../../kernel/schema/schema.ts';
import { nodeId } from '../node-id.ts';
import type { GitPerson } from '../git/objects/commit-object.ts';
import { siteOf } from '../site.ts';

export interface RepositoryOwner {
  /** Of the account or the organization. */
  id: string;
  number: number;
  login: string;
  type: 'User' | 'Bot' | 'Organization';
  isSiteAdmin: boolean;
}

/** Stands for an account that is gone, where readers expect one. */
export const GHOST: RepositoryOwner = { id: '', number: 0, login: 'ghost', type: 'User', isSiteAdmin: false };

export const SimpleUser = Type.Object(
  {
    login: Type.String(),
    id: Type.Integer(),
    node_id: Type.String(),
    avatar_url: Type.String(),
    gravatar_id: Nullable(Type.String()),
    url: Type.String(),
    html_url: Type.String(),
    followers_url: Type.String(),
    following_url: Type.String(),
    gists_url: Type.String(),
    starred_url: Type.String(),
    subscriptions_url: Type.String(),
    organizations_url: Type.String(),
    repos_url: Type.String(),
    events_url: Type.String(),
    received_events_url: Type.String(),
    type: Type.String(),
    site_admin: Type.Boolean(),
  },
  { $id: 'simple-user' },
);

export function toSimpleUser(owner: RepositoryOwner, base: string): Static<typeof SimpleUser> {
  // The names of bots have brackets.
  const url = `${base}/users/${encodeURIComponent(owner.login)}`;
  return {
    login: owner.login,
    id: owner.number,
    node_id: nodeId(owner.type, owner.number),
    avatar_url: `${base}/avatars/${owner.number}`,
    gravatar_id: '',
    url,
    html_url: `${siteOf(base)}/${pageOf(owner.login)}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: owner.type,
    site_admin: owner.isSiteAdmin,
  };
}

function pageOf(login: string): string {
  return login.endsWith('[bot]') ? `apps/${login.slice(0, -'[bot]'.length)}` : login;
}

export function ownerOfAccount({ id, number, username, role, isService, isBot }: Account): RepositoryOwner {
  return {
    id,
    number,
    login: username,
    type: isService || isBot ? 'Bot' : 'User',
    isSiteAdmin: role === 'owner' || role === 'admin',
  };
}

export function nodeIdOfAccount(account: Account): string {
  const { type, number } = ownerOfAccount(account);
  return nodeId(type, number);
}

/** Mail to it is never delivered: the domain is reserved for examples. */
const DOMAIN = 'users.noreply.signalbox.example';
const ADDRESS = new RegExp(String.raw`^(\d{1,10})\+[^@]+@${DOMAIN.replaceAll('.', String.raw`\.`)}$`, 'i');

export function noreplyAddressOf({ number, username }: { number: number; username: string }): string {
  return `${number}+${username}@${DOMAIN}`;
}

/** The number of the account; its name in the address may be a former one. Undefined for other addresses. */
export function numberInNoreplyAddress(email: string): number | undefined {
  const number = ADDRESS.exec(email)?.[1];
  return number === undefined ? undefined : Number(number);
}

export function personOf(account: Account, time: number): GitPerson {
  const { username, firstName, lastName } = account;
  return {
    name: [firstName, lastName].filter(Boolean).join(' ') || username,
    email: noreplyAddressOf(account),
    time,
    zone: 0,
  };
}

/** The committer of commits that the server itself makes of those of others, such as merges. */
export function serverPerson(time: number): GitPerson {
  return { name: 'Signalbox', email: 'noreply@signalbox.example', time, zone: 0 };
}

/** Pages and paths that a code host has or may get. */
export const RESERVED_NAMES: readonly string[] = [
  'about',
  'account',
  'api',
  'assets',
  'blog',
  'console',
  'contact',
  'dashboard',
  'docs',
  'explore',
  'favicon',
  'gist',
  'gists',
  'help',
  'home',
  'issues',
  'join',
  'login',
  'logout',
  'marketplace',
  'new',
  'notifications',
  'organizations',
  'orgs',
  'pages',
  'projects',
  'pulls',
  'raw',
  'register',
  'releases',
  'repos',
  'repositories',
  'root',
  'search',
  'security',
  'session',
  'settings',
  'signalbox',
  'signin',
  'signup',
  'sponsors',
  'static',
  'status',
  'support',
  'system',
  'teams',
  'topics',
  'trending',
  'uploads',
  'user',
  'users',
];
