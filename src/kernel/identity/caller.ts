// The caller of an API: anonymous, or a member by token or session, with the policies that decide what they may do.
import type { Account } from './store-accounts.ts';
import type { Member } from './store-members.ts';
import type { Policy } from './policy.ts';
import type { Token } from './store-tokens.ts';

export interface AnonymousCaller {
  kind: 'anonymous';
  address: string;
  grants: Policy[][];
}

export function anonymousAt(address: string): AnonymousCaller {
  return { kind: 'anonymous', address, grants: [] };
}

export interface KnownCaller {
  kind: 'token' | 'session';
  /** Whose budget they spend; of a service token, who made it. */
  member: Member;
  token?: Token;
  /** Who owns what they make: the member, where it is absent. */
  account?: Account;
  /**
   * Every group must allow, and in a group any policy: a personal token's power is its owner's now and, in the last
   * group, its own.
   */
  grants: Policy[][];
  /** Roles and teams beside the base role. Absent, `member.customRoles` is all. */
  held?: HeldRoles;
}

export function accountOf({ account, member }: Pick<KnownCaller, 'account' | 'member'>): Account {
  return account ?? member;
}

/** By ids: custom roles, including those of teams; teams of the member; teams whose members they may change. */
export interface HeldRoles {
  roles: readonly string[];
  teams: readonly string[];
  managedTeams: readonly string[];
}

export type Caller = AnonymousCaller | KnownCaller;

/** The secret by which a request authenticates. */
export interface Credential {
  kind: 'token' | 'session';
  secret: string;
}
