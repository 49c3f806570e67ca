// What belongs to a person alone, such as their sessions: that person's browsers may always, their tokens where they have the permission.
import { Failure } from '../kernel/failure.ts';
import type { Call } from '../kernel/http/route.ts';
import type { KnownCaller } from '../kernel/identity/caller.ts';
import type { RoleStatements } from '../kernel/identity/role-policies.ts';

const RESOURCES = {
  sessions: 'member/me:session/*',
  preferences: 'member/me:preferences/*',
  profile: 'member/me:profile/*',
  'list of what needs attention': 'member/me:attention/*',
} as const;

const OWN = [{ effect: 'allow' as const, actions: ['*'], resources: Object.values(RESOURCES) }];

/** Those who administrate have everything anyway. */
export const ownStatements: RoleStatements = { reader: OWN, writer: OWN };

type OwnCall = Pick<Call, 'can' | 'requirePermission'> & { caller: KnownCaller };

/** The id of the member. A service token acts for nobody who could log in. */
export function requireOwn(call: OwnCall, what: keyof typeof RESOURCES): string {
  const { caller } = call;
  if (caller.token?.isService === true)
    throw new Failure('forbidden', `A service token has no ${what}: only people do.`);
  const resource = RESOURCES[what];
  if (!call.can(resource) && caller.session === undefined) call.requirePermission(resource);
  return caller.member.id;
}
