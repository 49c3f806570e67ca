// Who makes a change: a call, the initiator of background work, or the program and its operator.
import type { KnownCaller } from './caller.ts';
import { can, requirePermission } from './policy.ts';

/** A permission that is needed, or was used. */
export interface Access {
  action: string;
  resource: string;
}

export interface ChangeActor {
  now: number;
  /** The id of the call, where it is one. */
  id?: string;
  /** Named in the audit log; absent where the program itself or its operator makes the change. */
  caller?: KnownCaller;
  can(resource: string, action?: string): boolean;
  /** Throws unless it `can`. */
  requirePermission(resource: string, action?: string): void;
  /** For a call: throws where the permission that its route declares was not checked. */
  assertPermissionChecked?(isChange: boolean): void;
}

/** Throws unless the actor can do all of it. */
export function requireAllPermissions(
  actor: Pick<ChangeActor, 'requirePermission'>,
  accesses: readonly Access[],
): void {
  for (const { action, resource } of accesses) actor.requirePermission(resource, action);
}

/** For a patch that changes nothing: throws unless the actor has one of the permissions that a change would take. */
export function requireAnyPermission(
  actor: Pick<ChangeActor, 'can' | 'requirePermission'>,
  actions: readonly string[],
  resource: string,
): void {
  if (!actions.some((action) => actor.can(resource, action))) actor.requirePermission(resource, actions[0]);
}

/** A caller outside of a call, with the permissions they have now. */
export function actorOf(caller: KnownCaller, now: number): ChangeActor {
  return {
    now,
    caller,
    can: (resource, action) => can(caller, action!, resource),
    requirePermission: (resource, action) => requirePermission(caller, action!, resource),
  };
}

/** An actor without permission checks: the program itself, its operator, or the consequence of a permitted change. */
export function systemActor({ now, id, caller }: Pick<ChangeActor, 'now' | 'id' | 'caller'>): ChangeActor {
  return {
    now,
    ...(id !== undefined && { id }),
    ...(caller !== undefined && { caller }),
    can: () => true,
    requirePermission: () => {},
  };
}

/** For changes that need a caller: granting permissions is limited by one's own. */
export function knownCaller({ caller }: ChangeActor): KnownCaller {
  if (caller === undefined) throw new Error('Nobody is known who could do this.');
  return caller;
}
