// Access tokens as the APIs give them, and the rules that the pages need to know of them.
import type { Me, TokenUsage } from '../../api/types/signalbox.ts';
import type { PolicyStatement } from '../policy/policy.ts';

export type TokenHour = TokenUsage['hours'][number];

/** Of the flags API: with all that it may do. */
export interface TokenDetail {
  _id: string;
  memberId: string;
  name?: string;
  description?: string;
  creationDate: number;
  /** Whole when it was just made or reset; else its last characters. */
  token: string;
  serviceToken: boolean;
  role?: string;
  customRoleIds?: string[];
  inlineRole?: PolicyStatement[];
  lastUsed?: number;
  expiry?: number;
  _member?: { _id: string; email: string; firstName?: string; lastName?: string };
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export function isOwnToken({ memberId, serviceToken }: TokenDetail, me: Me): boolean {
  return !serviceToken && memberId === me.member.id;
}

/** As policies name it: one's own tokens are below `member/me`. */
export function tokenResourceOf(token: TokenDetail, me: Me): string {
  if (token.serviceToken) return `service-token/${token._id}`;
  return `member/${isOwnToken(token, me) ? 'me' : token.memberId}:token/${token._id}`;
}

export const TOKEN_ROLES = ['reader', 'writer', 'admin', 'owner'] as const;
export type TokenRole = (typeof TOKEN_ROLES)[number];

/** The server refuses those above the role of the caller. */
export function rolesUpTo(role: string): TokenRole[] {
  return TOKEN_ROLES.slice(0, TOKEN_ROLES.indexOf(role as TokenRole) + 1);
}

/** Statements and custom roles narrow a personal token. Nothing narrows a service token, so it takes an administrator. */
export function mayGiveStatements(role: string, isService: boolean): boolean {
  return !isService || role === 'admin' || role === 'owner';
}
