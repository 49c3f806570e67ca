// Who changes something: a call, whoever is behind work that waited, or the program and its operator.
import type { KnownCaller } from '../identity/caller.ts';
import { can, demand } from '../identity/policy.ts';

/** A permission that is needed, or was used. */
export interface Access {
  action: string;
  resource: string;
}

export interface Actor {
  now: number;
  /** The id of the call, where it is one. */
  id?: string;
  /** Whose name stands in the audit log; nobody's where the program itself or its operator did it. */
  caller?: KnownCaller;
  can(resource: string, action?: string): boolean;
  /** Throws unless it `can`. */
  demand(resource: string, action?: string): void;
  /** For a call: throws where the permission that its route declares was not asked for. */
  checkPermissionAsked?(isChange: boolean): void;
}

/** Throws unless the actor can do all of it. */
export function demandAll(actor: Pick<Actor, 'demand'>, accesses: readonly Access[]): void {
  for (const { action, resource } of accesses) actor.demand(resource, action);
}

/** Someone who is not calling just now, with the permissions they have now. */
export function actorOf(caller: KnownCaller, now: number): Actor {
  return {
    now,
    caller,
    can: (resource, action) => can(caller, action!, resource),
    demand: (resource, action) => demand(caller, action!, resource),
  };
}

/** Nobody is asked: the program does it by itself, for its operator, or as a consequence of what was asked for. */
export function systemActor({ now, id, caller }: Pick<Actor, 'now' | 'id' | 'caller'>): Actor {
  return {
    now,
    ...(id !== undefined && { id }),
    ...(caller !== undefined && { caller }),
    can: () => true,
    demand: () => {},
  };
}

/** For what only somebody can do: who gives power to others must have it. */
export function knownCaller({ caller }: Actor): KnownCaller {
  if (caller === undefined) throw new Error('Nobody is known who could do this.');
  return caller;
}
