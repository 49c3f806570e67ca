// Finds an Actor, and checks that the caller may do something with it.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import { parseActorRef } from '../resource-names.ts';
import type { Actor } from './model.ts';
import { findActor } from './store.ts';

type ActorAction =
  | 'viewActor'
  // Sources and environment variables, which only the owner sees.
  | 'viewActorVersion'
  | 'updateActor'
  | 'deleteActor'
  | 'runActor'
  | 'buildActor';

/** The part of a call that access checks need. */
export type ActorCall = Pick<Call, 'can'> & { caller: KnownCaller };

export function actorResource({ id }: Pick<Actor, 'id'>): string {
  return `actor/${id}`;
}

/**
 * Finds the Actor by its id, `username~name`, `~name` or the name of one's own, and throws unless the caller may do this.
 * Others may view and run a public Actor; one that is not public is reported as missing. A run is started in the caller's
 * account, so running needs the permission even for an Actor of others.
 */
export async function openActor(
  { db }: Pick<Kernel, 'db'>,
  call: ActorCall,
  reference: string,
  action: ActorAction,
): Promise<Actor> {
  const asked = parseActorRef(reference);
  if (asked === undefined) {
    throw new Failure('malformed', `"${reference}" names no Actor: write username~name`, { part: 'request' });
  }
  const actor = await findActor(db, asked, accountOf(call.caller).id);
  if (actor === undefined) throw actorNotFound();
  checkActorAccess(call, actor, action);
  return actor;
}

function checkActorAccess(call: ActorCall, actor: Actor, action: ActorAction): void {
  const isAllowed = call.can(actorResource(actor), action);
  if (!isOwnerOf(call.caller, actor)) {
    if (!actor.isPublic || (action !== 'viewActor' && action !== 'runActor')) throw actorNotFound();
    if (action === 'viewActor') return;
  }
  if (!isAllowed) throw actorDenied();
}

export function isOwnerOf(caller: KnownCaller, { userId }: Pick<Actor, 'userId'>): boolean {
  return accountOf(caller).id === userId;
}

export function actorNotFound(): Failure {
  return new Failure('not-found', 'Actor was not found');
}

export function actorDenied(): Failure {
  return new Failure(
    'denied',
    "Insufficient permissions for the Actor. Make sure you're passing a correct API token and that it has the required permissions.",
  );
}
