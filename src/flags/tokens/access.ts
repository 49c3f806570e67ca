// Which access tokens a caller may see, change and reset.
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { checkOutlives, checkTokenRank } from '../members/grant-rules.ts';
import { findToken, type Token } from '../../kernel/identity/store-tokens.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import type { Call } from '../../kernel/http/route.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { couldBeId } from '../fields.ts';
import { isTokenOwner, tokenResource } from './model.ts';

/**
 * Fails unless the caller may see the token: other members' personal tokens are visible to administrators only. With
 * `hold`, the row is locked until the transaction ends.
 */
export async function openToken(
  call: Pick<Call, 'can'> & { caller: KnownCaller },
  db: Db,
  id: string,
  hold?: 'hold',
): Promise<Token> {
  const token = couldBeId(id) ? await findToken(db, id, hold) : undefined;
  if (token === undefined) throw tokenNotFound(id);
  const access = { action: 'viewAccessToken', resource: tokenResource(token, call.caller) };
  if (call.can(access.resource, access.action)) return token;
  throw new Failure('forbidden', 'You have no access to this token', { access });
}

export function tokenNotFound(id: string): Failure {
  return new Failure('not-found', `There is no access token ${shorten(id)}`);
}

/**
 * A token with a base role cannot change tokens with more permissions: a reader token must not delete its owner's other
 * tokens.
 */
export function checkTokenChange(token: Token, caller: KnownCaller, action: string): void {
  if (caller.token?.role === undefined) return;
  if (token.isService || isTokenOwner(caller, token.memberId)) {
    checkTokenRank(caller, token, { action, resource: tokenResource(token, caller) });
  }
}

/**
 * A reset reveals the new secret, and so grants the permissions of the token: only the owner may reset a personal
 * token, and a service token requires at least its permissions.
 */
export function checkTokenReset(token: Token, caller: KnownCaller): void {
  const access = { action: 'resetAccessToken', resource: tokenResource(token, caller) };
  if (token.isService || isTokenOwner(caller, token.memberId)) {
    checkTokenRank(caller, token, access);
    return checkOutlives(caller, token, access);
  }
  throw new Failure('forbidden', 'Only its owner can reset a personal token; you can delete it', { access });
}
