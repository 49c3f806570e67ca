// Members who come by the identity provider for the first time, where the operator lets everybody in whom it knows.
import { usernameFrom } from '../../flags/members/model.ts';
import { findFreeUsername, findIdsByEmail } from '../../flags/members/store.ts';
import { Failure } from '../../kernel/failure.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { insertExternalLogin } from '../../kernel/identity/external-logins/store.ts';
import { insertMember, type Member } from '../../kernel/identity/store-members.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { isUniqueViolation } from '../../kernel/storage/storage-failure.ts';
import { contested } from '../../kernel/storage/retry.ts';
import type { ExternalIdentity } from './provider.ts';

/**
 * Undefined where the operator does not want it. An address alone never leads to an account that is there: who could set one
 * at the provider would have it.
 */
export async function createExternalMember(
  { changes, clock, settings }: Kernel,
  { issuer, subject, email, firstName, lastName }: ExternalIdentity,
): Promise<Member | undefined> {
  const { newMembers: role } = settings.externalLogin ?? {};
  if (role === undefined) return undefined;
  if (email === undefined)
    throw new Failure(
      'denied',
      'The provider does not vouch for your e-mail address. Confirm it there first.',
    );
  const now = clock.now();
  return await changes.run(systemActor({ now }), async (tx) => {
    if ((await findIdsByEmail(tx.db, [email])).size > 0)
      throw new Failure(
        'denied',
        `An account has the address ${email}. Log in to it another way, and connect it in your settings.`,
      );
    const username = await findFreeUsername(tx.db, usernameFrom(email), new Set());
    const names = {
      ...(firstName !== undefined && { firstName }),
      ...(lastName !== undefined && { lastName }),
    };
    const member = await insertMember(tx.db, { username, email, role, ...names }, null, now).catch(
      (error: unknown) => {
        throw isUniqueViolation(error) ? contested('member') : error;
      },
    );
    if (!(await insertExternalLogin(tx.db, { issuer, subject, memberId: member.id, email }, now)))
      throw contested('member');
    tx.record({
      accesses: [{ action: 'createMember', resource: `member/${member.id}` }],
      kind: 'member',
      name: email,
      verb: 'let in the member by the identity provider:',
    });
    return member;
  });
}
