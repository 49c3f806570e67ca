// Owners of repositories: users, service tokens and organizations, in the short form that most replies nest.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import { Nullable, Type, type Static } from '../../kernel/schema/schema.ts';
import { nodeId } from '../node-id.ts';

export interface RepositoryOwner {
  /** Of the account or the organization. */
  id: string;
  number: number;
  login: string;
  type: 'User' | 'Bot' | 'Organization';
  isSiteAdmin: boolean;
}

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
    html_url: `${new URL(base).origin}/${pageOf(owner.login)}`,
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
