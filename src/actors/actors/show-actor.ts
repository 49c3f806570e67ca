// An Actor with its versions and tagged builds, as a caller may see it.
import { accountOf } from '../../kernel/identity/caller.ts';
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { JsonText } from '../../kernel/route.ts';
import { actorResource, isOwnerOf, type ActorCall } from './access.ts';
import { toShownActor, type Actor } from './model.ts';
import { listTags } from './store-tags.ts';
import { listVersions } from './store-versions.ts';
import { toVersionJson, type VersionView } from './version.ts';

export const WHOLE_VERSION: VersionView = { envVars: true, source: true };

export async function showActor(
  { db }: Pick<Kernel, 'db'>,
  call: ActorCall,
  actor: Actor,
): Promise<JsonText> {
  const view = viewOf(call, actor);
  const tags = await listTags(db, actor.id);
  const versions = await listVersions(db, actor.id, view.source === false ? 'without sources' : undefined);
  const shown = JSON.stringify(toShownActor(actor, await usernameOf(db, call, actor), tags));
  const list = versions.map((version) => toVersionJson(version, view)).join(',');
  return new JsonText(`${shown.slice(0, -1)},"versions":[${list}]}`);
}

/** Variables are the owner's alone. Others see the sources of a public Actor where its owner shows them. */
function viewOf(call: ActorCall, actor: Actor): VersionView {
  if (isOwnerOf(call.caller, actor)) {
    const isAllowed = call.can(actorResource(actor), 'viewActorVersion');
    return { envVars: isAllowed, source: isAllowed };
  }
  return { envVars: false, source: actor.details.isSourceCodeHidden === false ? 'public' : false };
}

async function usernameOf(
  db: Kernel['db'],
  { caller }: ActorCall,
  { userId }: Pick<Actor, 'userId'>,
): Promise<string> {
  const own = accountOf(caller);
  if (own.id === userId) return own.username;
  return (await findAccount(db, { id: userId }))?.username ?? '';
}
