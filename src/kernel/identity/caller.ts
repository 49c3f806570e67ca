// The caller of an API: anonymous, or a member by token or session, with the policies that apply.
import type { Boundary } from './store-boundaries.ts';
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
  /** The member whose rate limit the call counts against; for a service token, its creator. */
  member: Member;
  token?: Token;
  /** Set where a cookie was the credential. */
  session?: SessionIdentity;
  /** The owner of resources that the call creates; if absent, the member. */
  account?: Account;
  /**
   * Every group must allow, and in a group any policy. A personal token has the current permissions of its owner, limited by
   * its own, which are the last group.
   */
  grants: Policy[][];
  /** What of the grants comes from the token, or from the one that started a program, and not from the member. */
  boundary?: Boundary;
  /** Set where the caller is a program that an API runs for its owner: the credential is valid for that API only. */
  program?: ProgramIdentity;
  /** Roles and teams beside the base role. If absent, `member.customRoles` is all. */
  held?: HeldRoles;
  /** Whose rate limits the call counts against, where they are not the member's. */
  budget?: CallerBudget;
}

/** The rate limits of a program, such as `installation/7`, apart from those of the member behind it. */
export interface CallerBudget {
  id: string;
  /** A higher limit than that of other callers; it counts for quotas that may be raised. */
  limit?: number;
}

export function accountOf({ account, member }: Pick<KnownCaller, 'account' | 'member'>): Account {
  return account ?? member;
}

export interface SessionIdentity {
  /** Names the session without opening it. */
  hash: string;
  /** The hash of its second secret; null in sessions from before there was one. */
  pageHash: string | null;
  expiresAt: number;
}

export interface ProgramIdentity {
  /** The name of the API's protocol. */
  api: string;
  /** What the API knows it by. */
  id: string;
  /** What else the API knows of it, in its own form. */
  facts?: object;
  /** Called at the end of each of its calls, where the API counts them; without an operation where none is at the path. */
  noteCall?: (api: string, operation: string | undefined, status: number, at: number) => void;
}

/** Ids of custom roles, those of teams included; of the member's teams; and of teams whose members they may change. */
export interface HeldRoles {
  roles: readonly string[];
  teams: readonly string[];
  managedTeams: readonly string[];
}

export type Caller = AnonymousCaller | KnownCaller;

/** The secret by which a request authenticates. */
export interface Credential {
  /** `sessionHash` names a session without opening it: only for what has been signed by this server. */
  kind: 'token' | 'session' | 'sessionHash';
  secret: string;
}
