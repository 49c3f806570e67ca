// Who may give which power to a token: never more than they hold themselves.
import { Failure } from '../failure.ts';
import type { KnownCaller } from './caller.ts';
import type { BaseRole } from './policy.ts';
import type { Power } from './tokens.ts';

const RANKS: Record<BaseRole, number> = { no_access: 0, reader: 1, writer: 2, admin: 3, owner: 4 };

/**
 * Refuses a token that could do more than the caller can now. Its own statements and custom roles cannot be ranked: they
 * are for callers whom nothing narrows, and for tokens that nobody's role narrows (service tokens) for administrators.
 */
export function checkGrant({ member, token }: KnownCaller, power: Power, isService: boolean): void {
  const own = RANKS[member.role];
  const held = token === undefined ? own : token.role === undefined ? 0 : Math.min(own, RANKS[token.role]);
  const isRanked = power.role !== undefined;
  const needed = isRanked ? RANKS[power.role!] : isService ? RANKS.admin : own;
  if (
    held >= needed &&
    (isRanked ? power.customRoles.length === 0 && power.inlinePolicy === undefined : true)
  )
    return;
  if (!isRanked && isSamePower(token, power)) return;
  throw new Failure('denied', 'A token cannot be given more power than its maker has', {
    access: {
      action: 'createAccessToken',
      resource: isService ? 'service-token/*' : `member/${member.id}:token/*`,
    },
  });
}

/** A narrowed token may make others narrowed in just the same way. */
function isSamePower(token: Power | undefined, power: Power): boolean {
  return (
    token !== undefined &&
    token.role === undefined &&
    JSON.stringify([token.customRoles, token.inlinePolicy]) ===
      JSON.stringify([power.customRoles, power.inlinePolicy])
  );
}
