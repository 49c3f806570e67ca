// Who may give which power to a token, and who may touch one: never more power than they hold themselves.
import { Failure } from '../failure.ts';
import type { KnownCaller } from './caller.ts';
import type { BaseRole } from './policy.ts';
import type { Power, Token } from './tokens.ts';

const RANKS: Record<BaseRole, number> = { no_access: 0, reader: 1, writer: 2, admin: 3, owner: 4 };

/** Refuses to give a token power that the caller does not hold. */
export function checkGrant(caller: KnownCaller, power: Power, isService: boolean): void {
  if (mayGrant(caller, power, isService)) return;
  throw new Failure('denied', 'A token cannot be given more power than its maker has', {
    access: {
      action: 'createAccessToken',
      resource: isService ? 'service-token/*' : `member/${caller.member.id}:token/*`,
    },
  });
}

/** Refuses to touch a service token, or one of the caller's own, that can do more than the caller. */
export function checkReach(
  caller: KnownCaller,
  touched: Token,
  access: { action: string; resource: string },
): void {
  // What a personal token says of itself is bounded by its owner: who can do all that the owner can reaches it.
  if (!touched.isService && isWhole(caller)) return;
  if (mayGrant(caller, touched, touched.isService)) return;
  throw new Failure('denied', 'This token has more power than you hold', { access });
}

/**
 * Statements and custom roles cannot be ranked. On a personal token they only narrow what its owner may do, so that a
 * caller whom nothing narrows may choose any; on a service token nothing else narrows them, and it takes an administrator.
 */
function mayGrant(caller: KnownCaller, power: Power, isService: boolean): boolean {
  const { token } = caller;
  if (power.role !== undefined) return heldRank(caller) >= RANKS[power.role] && !hasOwnStatements(power);
  if (token?.isService === isService && hasSamePower(token, power)) return true;
  return isService ? heldRank(caller) >= RANKS.admin : isWhole(caller);
}

export function hasSamePower(one: Power, other: Power): boolean {
  const parts = ({ role, customRoles, inlinePolicy }: Power) => [role, customRoles, inlinePolicy];
  return JSON.stringify(parts(one)) === JSON.stringify(parts(other));
}

function hasOwnStatements({ customRoles, inlinePolicy }: Power): boolean {
  return customRoles.length > 0 || inlinePolicy !== undefined;
}

/** The highest base role the caller is sure to hold; a token without one may hold anything or nothing. */
function heldRank({ member, token }: KnownCaller): number {
  const own = RANKS[member.role];
  if (token === undefined) return own;
  return token.role === undefined ? RANKS.no_access : Math.min(own, RANKS[token.role]);
}

/** Whether the caller can do all that the member can, custom roles included: these have no rank to compare by. */
function isWhole(caller: KnownCaller): boolean {
  const { member, token } = caller;
  if (token === undefined || token.role === 'owner') return true;
  return (
    token.role !== undefined && member.customRoles.length === 0 && heldRank(caller) >= RANKS[member.role]
  );
}
