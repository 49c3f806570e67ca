// The call of a push as it is when all of the push has come: much can change while that takes.
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { RawRouteCall } from '../../kernel/http/raw-route.ts';

/** Throws where the token is gone; `action` is that of the route. */
export async function callAgain(
  { identity, clock }: Kernel,
  caller: KnownCaller,
  action: string,
): Promise<Pick<RawRouteCall, 'caller' | 'can' | 'now'>> {
  const now = clock.now();
  const present = await identity.identifyAgain(caller, now);
  return { caller: present, now, can: (resource, other = action) => can(present, other, resource) };
}
